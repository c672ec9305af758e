extension User {
    /// Difficult cases for display, sorting and storage.
    package static let samples = [
        User(
            id: "sample-full", username: "bigswan571",
            name: Name(title: "Ms", first: "Jennie", last: "Nichols"),
            displayName: "Jennie Nichols (Editing)",
            gender: "female", email: "jennie.nichols@example.com",
            emails: [
                Contact(value: "jennie.nichols@example.com", kind: "work"),
                Contact(value: "bigswan571@example.org", kind: "home"),
            ],
            phone: "(272) 790-0888", cell: "(489) 330-2385",
            phones: [
                Contact(value: "(272) 790-0888", kind: "work"),
                Contact(value: "(489) 330-2385", kind: "mobile"),
                Contact(value: "+1 272 790 0889", kind: "fax"), Contact(value: "(406) 555-0142"),
            ],
            jobTitle: "Editor in Chief", department: "Editing", company: "Example News",
            employeeNumber: "00417",
            manager: Manager(id: "sample-wide", name: "髙橋花子"),
            bornAt: Timestamp(milliseconds: 700_067_596_688), age: 33,
            registeredAt: Timestamp(milliseconds: 1_183_960_319_390),
            updatedAt: Timestamp(milliseconds: 1_767_312_000_000), nationality: "US",
            address: Address(
                street: "8929 Valwood Pkwy", city: "Billings", state: "Michigan", postcode: "06310",
                country: "United States", latitude: -69.8246, longitude: 134.8719, utcOffset: "+9:30"),
            picture: .sample("jennie")),
        User(id: "sample-bare", name: Name(first: "", last: "Ng")),
        User(
            id: "sample-right-to-left", name: Name(title: "خانم", first: "آدرینا", last: "علیزاده"),
            gender: "female", nationality: "IR", address: Address(city: "کرمان", country: "Iran"),
            picture: .sample("adrina")),
        // The picture addresses of this user lead to no picture.
        User(
            id: "sample-unpictured", name: Name(first: "נועה", last: "בן־דוד"), nationality: "IL",
            address: Address(city: "תל אביב"), picture: .sample("missing/noa")),
        User(
            id: "sample-cyrillic", name: Name(first: "Світогор", last: "Ґжицький"), gender: "male",
            phone: "(067) P51-8406", department: "Відділ кадрів", nationality: "UA"),
        User(
            id: "sample-wide", name: Name(first: "花子", last: "髙橋"), email: "hanako@example.com",
            nationality: "JP", address: Address(city: "東京"), picture: .sample("hanako")),
        User(
            id: "sample-clusters", name: Name(first: "क्षितिज", last: "श्रीवास्तव"), nationality: "IN",
            address: Address(city: "मुंबई")),
        User(
            id: "sample-unspaced", name: Name(first: "กัญญ์", last: "เพ็ชรรัตน์"), nationality: "TH",
            address: Address(city: "เชียงใหม่")),
        User(
            id: "sample-emoji", name: Name(first: "Zoë 👩🏽‍🚀", last: "O’Neill 🏳️‍🌈"),
            nationality: "IE"),
        // Upstream has a display name and nothing else.
        User(
            id: "sample-display-name", name: Name(first: "", last: "Reception (Øster Voldgade)"),
            displayName: "Reception (Øster Voldgade)"),
        User(
            id: "sample-combining", name: Name(first: "Jose\u{301}", last: "A\u{30A}ngstro\u{308}m \u{200B}"),
            nationality: "ES"),
        User(
            id: "sample-escape", name: Name(first: "\u{1B}[31mRed\u{202E}", last: "\"O'Brien\", & <Sons>\n"),
            email: "o'brien@example.com", nationality: "IE"),
        // Control sequences: write to the clipboard, hide a link, set the window title, erase, change direction.
        User(
            id: "sample-hostile\u{1B}[2J", username: "u\u{85}v\u{9B}2J",
            name: Name(
                first: "\u{1B}]52;c;eA==\u{7}", last: "\u{1B}]0;owned\u{1B}\\\r\u{8}Eve\u{2066}\u{202E}"),
            phone: "\u{9B}1m",
            address: Address(street: "\u{1B}]8;;https://mock.invalid\u{1B}\\a\nb\tc\u{200F}\u{E0041}\u{2028}")
        ),
        User(
            id: "sample-long",
            name: Name(
                first: String(repeating: "Wolfeschlegelstein", count: 8),
                last: String(repeating: "hausenbergerdorff", count: 18))),
    ]
}

extension Fact {
    package static let sampleTexts = [
        "Cats come back to full alertness from the sleep state faster than any other creature.",
        "A group of cats is called a “clowder.”",
        "Jose\u{301} has two cats 🐈‍⬛🐈.",
        "A cat\u{A0}sleeps for two thirds of each day, which leaves it eight hours for everything else that a cat has to do "
            + "in the course of a day: hunting, eating, washing, and asking to be let out, and in, and out again.",
        "القطط تنام كثيرًا، والكلاب أقل: חתולים ישנים הרבה, 猫は一日の三分の二を寝て過ごします。",
        "A cat that walks over a keyboard \u{1B}]0;types\u{7}\u{1B}[2J like this,\r\n\tand \u{202E}goes back.",
    ]
}

extension User.Picture {
    /// `.invalid` never resolves (RFC 6761, section 6.4).
    package static let sampleHost = "https://mock.invalid/"

    fileprivate static func sample(_ name: String) -> User.Picture {
        func address(_ size: PictureSize) -> String { "\(sampleHost)\(name).\(size.rawValue).png" }
        return User.Picture(
            large: address(.large), medium: address(.medium), thumbnail: address(.thumbnail))
    }
}
