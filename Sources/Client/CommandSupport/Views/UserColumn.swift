import ArgumentParser
import Model
import NearMatch
import TerminalViews

/// A column of the users' table, by its name in --columns.
package enum UserColumn: String, CaseIterable, Sendable {
    case name, email, phone, cell, username, gender, age, born, registered, nationality
    case street, city, state, postcode, country, id

    package static let usual: [UserColumn] = [.name, .email, .phone, .city, .nationality, .age]

    package static func names(_ columns: [UserColumn]) -> String {
        columns.map(\.rawValue).joined(separator: ",")
    }

    /// Parses `name,email,…`; the error names the unknown column.
    package static func list(_ text: String) throws -> [UserColumn] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let word = part.filter { $0 != " " }
            guard let column = UserColumn(rawValue: word.lowercased()) else {
                let meant = didYouMean(String(word), among: allCases.map(\.rawValue))
                throw ValidationError(
                    "unknown column “\(word)”" + (meant.isEmpty ? "; columns are \(names(allCases))" : meant))
            }
            return column
        }
    }

    package var title: String {
        switch self {
        case .nationality: "Nat"
        case .id: "ID"
        default: String(rawValue.prefix(1)).uppercased() + String(rawValue.dropFirst())
        }
    }

    package var alignment: Alignment { self == .age ? .trailing : .leading }

    /// Names and contact data shrink last.
    package var priority: Int {
        switch self {
        case .name, .id: 2
        case .email, .phone, .cell, .username: 1
        default: 0
        }
    }

    /// - Parameter fields: the values of its `csv` columns.
    package func text(_ fields: ArraySlice<String?>) -> String {
        switch self {
        // `Last, First`, the sort order.
        case .name:
            fields.reversed().prefix(2).reduce("") { name, field in
                guard let field, !field.isEmpty else { return name }
                return name.isEmpty ? field : name + ", " + field
            }
        case .born, .registered: fields.first??.prefix { $0 != "T" }.description ?? ""
        default: fields.first?.flatMap(\.self) ?? ""
        }
    }

    /// The CSV columns that it combines.
    package var csv: [String] {
        switch self {
        case .name: ["name_title", "name_first", "name_last"]
        case .email, .phone, .cell, .username, .gender, .age, .nationality, .id: [rawValue]
        case .born: ["born_at"]
        case .registered: ["registered_at"]
        case .street, .city, .state, .postcode, .country: ["address_" + rawValue]
        }
    }
}

extension User.Name {
    /// `Title First Last`.
    package var titled: String {
        [title ?? "", first, last].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension Timestamp {
    /// `2026-01-02`, in UTC: for dates that don't depend on the time zone, such as birthdays.
    package var date: String { String(description.prefix { $0 != "T" }) }
}
