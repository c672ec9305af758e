/// Words for logins and jobs, and time zones; the same for all nationalities.
enum Vocabulary {
    static let adjectives = [
        "angry", "beautiful", "big", "black", "blue", "brown", "crazy", "golden", "gray", "green", "happy",
        "heavy", "lazy", "orange", "organic", "purple", "red", "sad", "silver", "small", "tiny", "white",
        "yellow",
    ]

    static let animals = [
        "bear", "bird", "butterfly", "cat", "dog", "duck", "elephant", "fish", "frog", "goose", "gorilla",
        "koala", "ladybug", "leopard", "lion", "meercat", "mouse", "ostrich", "panda", "peacock", "rabbit",
        "snake", "swan", "tiger", "wolf", "zebra",
    ]

    static let passwords = [
        "anchor", "blossom", "candle", "dragonfly", "evening", "firewood", "gravel", "harbour", "island",
        "jigsaw", "kettle", "lantern", "meadow", "needle", "orchard", "pebble", "quartz", "ribbon", "saddle",
        "thunder",
    ]

    static let titles = [
        "Accountant", "Analyst", "Designer", "Driver", "Editor", "Engineer", "Nurse", "Office Manager",
        "Researcher",
        "Team Lead", "Technician", "Translator",
    ]

    static let departments = [
        "Finance", "Human Resources", "Legal", "Logistics", "Marketing", "Production", "Research", "Sales",
        "Support",
    ]

    static let timezones = [
        ("-11:00", "Midway Island, Samoa"), ("-9:00", "Alaska"), ("-8:00", "Pacific Time (US & Canada)"),
        ("-5:00", "Eastern Time (US & Canada), Bogota, Lima"), ("-3:30", "Newfoundland"),
        ("0:00", "Western Europe Time, London, Lisbon, Casablanca"),
        ("+1:00", "Brussels, Copenhagen, Madrid, Paris"), ("+2:00", "Kaliningrad, South Africa"),
        ("+3:00", "Baghdad, Riyadh, Moscow, St. Petersburg"), ("+3:30", "Tehran"),
        ("+5:30", "Bombay, Calcutta, Madras, New Delhi"), ("+5:45", "Kathmandu"),
        ("+9:00", "Tokyo, Seoul, Osaka, Sapporo, Yakutsk"), ("+9:30", "Adelaide, Darwin"),
        ("+12:00", "Auckland, Wellington, Fiji, Kamchatka"),
    ].map { (offset: $0.0, description: $0.1) }
}
