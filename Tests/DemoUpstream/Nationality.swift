/// A name, and its form in email addresses: a to z only.
struct Name: Sendable {
    let text: String
    let ascii: String

    /// Reads `José`, or `José=jose` if characters beyond ASCII have to be replaced.
    init(_ item: String) {
        let parts = item.split(separator: "=")
        text = String(parts[0])
        ascii = parts[parts.count - 1].lowercased().filter(\.isLetter)
    }
}

/// The lists of a section, read once.
final class WordLists: Sendable {
    private let lists: [String: [String]]

    init(_ section: DataSection) {
        let lists = section.entries.map { key, value in
            (key, value.split(separator: ",").map { String($0.drop(while: \.isWhitespace)) })
        }
        self.lists = Dictionary(uniqueKeysWithValues: lists)
    }

    subscript(key: String) -> [String] { lists[key] ?? [] }

    static let file = DataSection.all(in: PackageResources.words_txt)
    /// Words for logins and jobs.
    static let general = WordLists(file[0])
    /// Offsets and their descriptions.
    static let timezones = file[1].entries
}

/// randomuser.me's data of one country: names and patterns.
///
/// In patterns, `#` is a digit and `@` a letter from A to Z; other characters are literal.
final class Nationality: Sendable {
    let code, country, phone, cell: String
    let men, women, last: [Name]
    /// Streets, cities, states and titles.
    let words: WordLists
    /// A pattern; nil for a number in `postcodes`.
    let postcode: String?
    let postcodes: ClosedRange<Int>
    /// The name and the pattern of the national identity number; none in some countries.
    let identity: [String]?

    private init(_ section: DataSection) {
        (code, country) = (section.name, section["country"] ?? "")
        (phone, cell) = (section["phone"] ?? "", section["cell"] ?? "")
        words = WordLists(section)
        (men, women) = (words["men"].map(Name.init), words["women"].map(Name.init))
        last = words["last"].map(Name.init)
        let bounds = (section["postcode"] ?? "").split(separator: "-").compactMap { Int($0) }
        postcodes = bounds.count == 2 ? bounds[0]...bounds[1] : 0...0
        postcode = bounds.count == 2 ? nil : section["postcode"]
        identity = section["identity"]?.split(separator: " ", maxSplits: 1).map(String.init)
    }

    static let all = DataSection.all(in: PackageResources.people_txt).map(Nationality.init)
}
