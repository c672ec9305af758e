import ArgumentParser
import Model
import TerminalViews

/// A column of the table of users, by the name that --columns takes.
package enum UserColumn: String, CaseIterable, Sendable {
    case name, email, phone, cell, username, gender, age, born, registered, nationality
    case street, city, state, postcode, country, id

    package static let usual: [UserColumn] = [.name, .email, .phone, .city, .nationality, .age]

    package static func names(_ columns: [UserColumn]) -> String {
        columns.map(\.rawValue).joined(separator: ",")
    }

    /// Reads `name,email,…`; what it throws names the word that is no column.
    package static func list(_ text: String) throws -> [UserColumn] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let word = part.filter { $0 != " " }
            guard let column = UserColumn(rawValue: word.lowercased()) else {
                throw ValidationError("there is no column “\(word)”; there are \(names(allCases))")
            }
            return column
        }
    }

    var title: String {
        switch self {
        case .nationality: "Nat"
        case .id: "ID"
        default: rawValue.prefix(1).uppercased() + rawValue.dropFirst()
        }
    }

    var alignment: Alignment { self == .age ? .trailing : .leading }

    /// What tells people apart and reaches them is narrowed last.
    var priority: Int {
        switch self {
        case .name, .id: 2
        case .email, .phone, .cell, .username: 1
        default: 0
        }
    }

    func text(_ user: User) -> String {
        switch self {
        case .name: user.name.lastFirst
        case .email: user.email ?? ""
        case .phone: user.phone ?? ""
        case .cell: user.cell ?? ""
        case .username: user.username ?? ""
        case .gender: user.gender ?? ""
        case .age: user.age.map(String.init) ?? ""
        case .born: user.bornAt?.date ?? ""
        case .registered: user.registeredAt?.date ?? ""
        case .nationality: user.nationality ?? ""
        case .street: user.address.street ?? ""
        case .city: user.address.city ?? ""
        case .state: user.address.state ?? ""
        case .postcode: user.address.postcode ?? ""
        case .country: user.address.country ?? ""
        case .id: user.id
        }
    }
}

extension User.Name {
    /// `Last, First`: as lists are sorted.
    var lastFirst: String { [last, first].filter { !$0.isEmpty }.joined(separator: ", ") }
    /// `Title First Last`.
    var titled: String {
        [title ?? "", first, last].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension Timestamp {
    /// `2026-01-02`, in UTC: for days that are the same everywhere, as birthdays are.
    var date: String { String(description.prefix { $0 != "T" }) }
}
