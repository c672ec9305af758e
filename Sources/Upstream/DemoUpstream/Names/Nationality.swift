/// A name as people write it, and as it stands in an e-mail address: letters a to z only.
struct Name: Sendable {
    let text: String
    let ascii: String

    init(_ text: String) {
        self.text = text
        self.ascii = asciiLetters(of: text)
    }
}

/// What randomuser.me knows of one country: the names there, and the shapes of its numbers.
///
/// In the shapes `#` stands for a digit and `@` for a letter from A to Z; all else stands for itself.
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
    /// The number that the state gives a person; some have none, and then its value is null.
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

/// The items of a list written as text: `a, b, c`, on several lines or one.
private func items(_ text: String) -> [String] {
    text.split(separator: ",").map { String($0.drop(while: \.isWhitespace)) }
}
