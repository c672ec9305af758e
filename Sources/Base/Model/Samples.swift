extension User {
    /// Difficult cases for display, sorting and storage.
    package static let samples: [User] = [
        sample("full", "Jennie", "Nichols", "US", picture: "jennie") {
            $0.name.title = "Ms"
            $0.username = "bigswan571"
            $0.displayName = "Jennie Nichols (Editing)"
            $0.gender = "female"
            $0.email = "jennie.nichols@example.com"
            $0.emails = [
                Contact(value: "jennie.nichols@example.com", kind: "work"),
                Contact(value: "bigswan571@example.org", kind: "home"),
            ]
            $0.phone = "(272) 790-0888"
            $0.cell = "(489) 330-2385"
            $0.phones = [
                Contact(value: "(272) 790-0888", kind: "work"),
                Contact(value: "(489) 330-2385", kind: "mobile"),
                Contact(value: "+1 272 790 0889", kind: "fax"), Contact(value: "(406) 555-0142"),
            ]
            $0.jobTitle = "Editor in Chief"
            $0.department = "Editing"
            $0.company = "Example News"
            $0.employeeNumber = "00417"
            $0.office = "Room 4.12"
            $0.manager = Manager(id: "sample-wide", name: "髙橋花子")
            $0.bornAt = Timestamp(milliseconds: 700_067_596_688)
            $0.age = 33
            $0.registeredAt = Timestamp(milliseconds: 1_183_960_319_390)
            $0.updatedAt = Timestamp(milliseconds: 1_767_312_000_000)
            $0.address = Address {
                ($0.street, $0.city) = ("8929 Valwood Pkwy", "Billings")
                ($0.state, $0.postcode, $0.country) = ("Michigan", "06310", "United States")
                ($0.latitude, $0.longitude, $0.utcOffset) = (-69.8246, 134.8719, "+9:30")
            }
        },
        sample("bare", "", "Ng"),
        sample("right-to-left", "آدرینا", "علیزاده", "IR", city: "کرمان", picture: "adrina") {
            $0.name.title = "خانم"
            $0.gender = "female"
            $0.address.country = "Iran"
        },
        // The picture addresses of this user lead to no picture.
        sample("unpictured", "נועה", "בן־דוד", "IL", city: "תל אביב", picture: "missing/noa"),
        sample("cyrillic", "Світогор", "Ґжицький", "UA") {
            $0.gender = "male"
            $0.phone = "(067) P51-8406"
            $0.department = "Відділ кадрів"
        },
        sample("wide", "花子", "髙橋", "JP", city: "東京", picture: "hanako") { $0.email = "hanako@example.com" },
        sample("clusters", "क्षितिज", "श्रीवास्तव", "IN", city: "मुंबई"),
        sample("unspaced", "กัญญ์", "เพ็ชรรัตน์", "TH", city: "เชียงใหม่"),
        sample("emoji", "Zoë 👩🏽‍🚀", "O’Neill 🏳️‍🌈", "IE"),
        // Upstream has a display name and nothing else.
        sample("display-name", "", "Reception (Øster Voldgade)") { $0.displayName = $0.name.last },
        sample("combining", "Jose\u{301}", "A\u{30A}ngstro\u{308}m \u{200B}", "ES"),
        sample("escape", "\u{1B}[31mRed\u{202E}", "\"O'Brien\", & <Sons>\n", "IE") {
            $0.email = "o'brien@example.com"
        },
        // Control sequences: write to the clipboard, hide a link, set the window title, erase, change direction.
        sample(
            "hostile\u{1B}[2J", "\u{1B}]52;c;eA==\u{7}", "\u{1B}]0;owned\u{1B}\\\r\u{8}Eve\u{2066}\u{202E}"
        ) {
            $0.username = "u\u{85}v\u{9B}2J"
            $0.phone = "\u{9B}1m"
            $0.address.street = "\u{1B}]8;;https://mock.invalid\u{1B}\\a\nb\tc\u{200F}\u{E0041}\u{2028}"
        },
        sample(
            "long", String(repeating: "Wolfeschlegelstein", count: 8),
            String(repeating: "hausenbergerdorff", count: 18)),
    ]

    private static func sample(
        _ id: String, _ first: String, _ last: String, _ nationality: String? = nil, city: String? = nil,
        picture: String? = nil, _ fill: (inout User) -> Void = { _ in }
    ) -> User {
        User(id: "sample-\(id)", name: Name(first: first, last: last)) {
            ($0.nationality, $0.address.city, $0.picture) = (nationality, city, picture.map(Picture.sample))
            fill(&$0)
        }
    }
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

/// The behaviour of a mock upstream.
package enum MockBehavior: String, Sendable, CaseIterable {
    case data
    /// Has no records.
    case empty
    /// Fails each time, as `offline`.
    case error
    /// Never answers; a cancelled task gets its `CancellationError`.
    case hang
}
