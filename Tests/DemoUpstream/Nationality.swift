/// A name, and its form in email addresses: a to z only.
struct Name: Sendable {
    var text: String
    let ascii: String

    /// From `José`, or `José=jose` where characters beyond ASCII have to be replaced.
    init(_ item: String) {
        let parts = item.split(separator: "=")
        text = String(parts[0])
        ascii = parts[parts.count - 1].lowercased().filter(\.isLetter)
    }
}

/// randomuser.me's data of one country: names and patterns.
///
/// In patterns, `#` is a digit and `@` a letter from A to Z; other characters are literal.
final class Nationality: Sendable {
    let code, country: String
    let men, women, last: [Name]
    let streets, cities, states: [String]
    let titlesOfMen, titlesOfWomen: [String]
    /// A pattern; nil for a number in `postcodes`.
    let postcode: String?
    let postcodes: ClosedRange<Int>
    let phone, cell: String
    /// The name and the pattern of the national identity number; none in some countries.
    let identity: [String]?

    private init(_ section: DataSection) {
        (code, country) = (section.name, section["country"] ?? "")
        men = section.list("men").map(Name.init)
        women = section.list("women").map(Name.init)
        last = section.list("last").map(Name.init)
        (streets, cities, states) = (section.list("streets"), section.list("cities"), section.list("states"))
        titlesOfMen = section.list("titles of men", default: "Mr")
        titlesOfWomen = section.list("titles of women", default: "Miss, Mrs, Ms")
        let bounds = (section["postcode"] ?? "10000-99999").split(separator: "-").compactMap { Int($0) }
        postcodes = bounds.count == 2 ? bounds[0]...bounds[1] : 0...0
        postcode = bounds.count == 2 ? nil : section["postcode"]
        (phone, cell) = (section["phone"] ?? "", section["cell"] ?? "")
        identity = section["identity"]?.split(separator: " ", maxSplits: 1).map(String.init)
    }

    static let all = DataSection.all(in: PackageResources.people_txt).map(Nationality.init)
}

/// Words for logins and jobs, and time zones; the same for all nationalities.
enum Words {
    static let file = DataSection.all(in: PackageResources.words_txt)
    static let adjectives = file[0].list("adjectives")
    static let animals = file[0].list("animals")
    static let passwords = file[0].list("passwords")
    static let titles = file[0].list("titles")
    static let departments = file[0].list("departments")
    static let companies = file[0].list("companies")
    /// Offsets, and what they are called.
    static let timezones = file[1].entries
}
