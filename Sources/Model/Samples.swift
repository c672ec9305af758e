extension User {
    /// A handful of people who are hard on whoever draws, sorts or stores them.
    package static let samples = [
        User(
            id: "sample-full", username: "bigswan571",
            name: Name(title: "Ms", first: "Jennie", last: "Nichols"),
            gender: "female", email: "jennie.nichols@example.com", phone: "(272) 790-0888",
            cell: "(489) 330-2385", bornAt: Timestamp(milliseconds: 700_067_596_688), age: 33,
            registeredAt: Timestamp(milliseconds: 1_183_960_319_390), nationality: "US",
            address: Address(
                street: "8929 Valwood Pkwy", city: "Billings", state: "Michigan", postcode: "06310",
                country: "United States", latitude: -69.8246, longitude: 134.8719, utcOffset: "+9:30"),
            picture: Picture(
                large: "https://pictures.example/75.jpg", medium: "https://pictures.example/med/75.jpg",
                thumbnail: "https://pictures.example/thumb/75.jpg")),
        User(id: "sample-bare", name: Name(first: "", last: "Ng")),
        User(
            id: "sample-right-to-left", name: Name(title: "خانم", first: "آدرینا", last: "علیزاده"),
            gender: "female", nationality: "IR", address: Address(city: "کرمان", country: "Iran")),
        User(
            id: "sample-cyrillic", name: Name(first: "Світогор", last: "Ґжицький"), gender: "male",
            phone: "(067) P51-8406", nationality: "UA"),
        User(
            id: "sample-wide", name: Name(first: "花子", last: "髙橋"), email: "hanako@example.com",
            nationality: "JP", address: Address(city: "東京")),
        User(
            id: "sample-combining", name: Name(first: "Jose\u{301}", last: "A\u{30A}ngstro\u{308}m \u{200B}"),
            nationality: "ES"),
        User(
            id: "sample-escape", name: Name(first: "\u{1B}[31mRed\u{202E}", last: "\"O'Brien\", & <Sons>\n"),
            email: "o'brien@example.com", nationality: "IE"),
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
    ]
}
