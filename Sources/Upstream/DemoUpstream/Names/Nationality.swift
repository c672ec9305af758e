/// A name, and its form in email addresses: a to z only.
struct Name: Sendable {
    var text: String
    let ascii: String

    init(_ text: String) {
        self.text = text
        self.ascii = asciiLetters(of: text)
    }
}

/// randomuser.me's data of one country: names and patterns.
///
/// In patterns, `#` is a digit and `@` a letter from A to Z; other characters are literal.
final class Nationality: Sendable {
    enum Postcode {
        case number(ClosedRange<Int>)
        case text(String)
    }

    let code: String
    let country: String
    let men: [Name]
    let women: [Name]
    let last: [Name]
    let streets: [String]
    let cities: [String]
    let states: [String]
    let titlesOfMen: [String]
    let titlesOfWomen: [String]
    let postcode: Postcode
    let phone: String
    let cell: String
    /// The national identity number; without a pattern its value is null.
    let identity: (name: String, shape: String?)

    /// - Parameter text: the lists, such as `cities: a, b, c`, each on one line or several.
    init(
        _ code: String, _ country: String, postcode: Postcode = .number(10000...99999),
        phone: String, cell: String, identity: (name: String, shape: String?), _ text: String
    ) {
        let lists = lists(in: text)
        self.code = code
        self.country = country
        men = lists["men", default: []].map(Name.init)
        women = lists["women", default: []].map(Name.init)
        last = lists["last", default: []].map(Name.init)
        streets = lists["streets", default: []]
        cities = lists["cities", default: []]
        states = lists["states", default: []]
        titlesOfMen = lists["titles of men", default: ["Mr"]]
        titlesOfWomen = lists["titles of women", default: ["Miss", "Mrs", "Ms"]]
        self.postcode = postcode
        self.phone = phone
        self.cell = cell
        self.identity = identity
    }

    static let all: [Nationality] = [
        australia, brazil, canada, denmark, finland, france, germany, india, iran, ireland, mexico,
        netherlands, newZealand, norway, serbia, spain, switzerland, turkey, ukraine, unitedKingdom,
        unitedStates,
    ]
}

private func lists(in text: String) -> [String: [String]] {
    var lists: [String: [String]] = [:]
    var name = ""
    for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":")
        if parts.count == 2 { name = String(parts[0]) }
        let items = parts[parts.count - 1].split(separator: ",")
        lists[name, default: []] += items.map { String($0.drop(while: \.isWhitespace)) }
    }
    return lists
}
