/// Who a record of a seed is. Other fields are drawn when the record is written.
struct Person {
    let record: Int
    /// Derived from seed and record. Each field draws from its own part, so that leaving out a field does not change
    /// the others.
    let key: UInt64
    /// Number of changes since the start.
    let changes: Int
    var isActive = true
    /// What is odd about it; see ``Hardship``.
    let hardship: Hardship?
    let nationality: Nationality
    let gender: Gender
    let title: String
    private(set) var first: Name
    private(set) var last: Name

    /// As with randomuser.me, the UUID depends only on seed and record, not on the nationalities.
    init(
        seed: UInt64, record: Int, changes: Int, nationalities: [Nationality], gender wanted: Gender?,
        hard: Bool
    ) {
        self.record = record
        self.changes = changes
        hardship = hard ? Hardship(record: record) : nil
        key = SplitMix64.key(seed, record)
        var random = SplitMix64(key: SplitMix64.key(key, -1))
        nationality = random.one(of: nationalities)
        let drawn: Gender = random.below(2) == 0 ? .female : .male
        gender = wanted ?? drawn
        title = random.one(of: gender == .female ? nationality.titlesOfWomen : nationality.titlesOfMen)
        first = random.one(of: gender == .female ? nationality.women : nationality.men)
        last = random.one(of: nationality.last)
        if hardship == .zeroWidthName {
            first.text = "\(first.text.prefix(2))\u{200B}\(first.text.dropFirst(2))"
        }
        if hardship == .longName { last.text = Self.stretched(last.text) }
    }

    /// A last name of 300 characters, with hyphens.
    private static func stretched(_ name: String) -> String {
        String(String(repeating: name + "-", count: 300 / name.count + 1).prefix(300))
    }

    func random(for field: UserField, part: Int = 0) -> SplitMix64 {
        SplitMix64(key: SplitMix64.key(key, field.rawValue + 100 * part))
    }
}

/// Odd records: a few in a thousand, always the same ones.
enum Hardship: Int {
    case zeroWidthName = 113
    case trailingBlanks = 241
    case noID = 389
    case nullPhone = 503
    case noCell = 677
    case undefinedInID = 739
    case noPicture = 859
    case bidiCity = 907
    case longName = 977

    init?(record: Int) {
        self.init(rawValue: record % 1000)
    }
}
