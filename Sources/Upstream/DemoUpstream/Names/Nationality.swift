/// A name, and its form in email addresses: a to z only.
struct Name: Sendable {
    let text: String
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

    init(
        _ code: String, _ country: String,
        men: String, women: String, last: String, streets: String, cities: String, states: String,
        titles: (men: String, women: String) = ("Mr", "Miss, Mrs, Ms"),
        postcode: Postcode, phone: String, cell: String, identity: (name: String, shape: String?)
    ) {
        self.code = code
        self.country = country
        self.men = items(men).map(Name.init)
        self.women = items(women).map(Name.init)
        self.last = items(last).map(Name.init)
        self.streets = items(streets)
        self.cities = items(cities)
        self.states = items(states)
        self.titlesOfMen = items(titles.men)
        self.titlesOfWomen = items(titles.women)
        self.postcode = postcode
        self.phone = phone
        self.cell = cell
        self.identity = identity
    }

    static let all: [Nationality] = [
        australia, brazil, canada, denmark, finland, france, germany, india, iran, ireland, mexico,
        netherlands,
        newZealand, norway, serbia, spain, switzerland, turkey, ukraine, unitedKingdom, unitedStates,
    ]
}

/// Splits a list such as `a, b, c`, on one line or several.
private func items(_ text: String) -> [String] {
    text.split(separator: ",").map { String($0.drop(while: \.isWhitespace)) }
}
