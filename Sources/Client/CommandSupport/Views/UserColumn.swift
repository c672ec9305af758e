import ArgumentParser
import MessageText
import Model
import Platform
import TerminalViews

/// A column of the users' table, by its name in --columns.
package struct UserColumn: RawRepresentable, Hashable, CaseIterable, Sendable {
    package let rawValue: String

    /// Nil if no column has this name.
    package init?(rawValue: String) {
        guard let column = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = column
    }

    private init(_ name: String) { rawValue = name }

    package static let (name, email, emails) = (UserColumn("name"), UserColumn("email"), UserColumn("emails"))
    package static let (phone, cell, phones) = (UserColumn("phone"), UserColumn("cell"), UserColumn("phones"))
    package static let (username, displayName) = (UserColumn("username"), UserColumn("display_name"))
    package static let (gender, age, born) = (UserColumn("gender"), UserColumn("age"), UserColumn("born"))
    package static let (registered, updated) = (UserColumn("registered"), UserColumn("updated_at"))
    package static let (nationality, manager) = (UserColumn("nationality"), UserColumn("manager"))
    package static let (street, city, id) = (UserColumn("street"), UserColumn("city"), UserColumn("id"))
    package static let (state, postcode) = (UserColumn("state"), UserColumn("postcode"))
    package static let country = UserColumn("country")

    package static let allCases: [UserColumn] =
        [
            .name, .email, .phone, .cell, .username, .gender, .age, .born, .registered, .nationality, .street,
            .city, .state, .postcode, .country, .id, .displayName, .emails, .phones,
        ] + WorkField.all.map { UserColumn($0.name) } + [.manager, .updated]

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
        case .updated: "Updated"
        default:
            WorkField.all.first { $0.name == rawValue }?.title
                ?? (rawValue.prefix(1).uppercased() + rawValue.dropFirst()).replacing("_", with: " ")
        }
    }

    package var alignment: Alignment { self == .age ? .trailing : .leading }

    /// Names and contact data shrink last.
    package var priority: Int {
        switch self {
        case .name, .displayName, .id: 2
        case .email, .emails, .phone, .cell, .phones, .username: 1
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
        case .manager: fields.reversed().compactMap(\.self).first ?? ""
        case .born, .registered, .updated:
            fields.first?.flatMap { String($0.unicodeScalars.prefix { $0 != "T" }) } ?? ""
        case .street: fields.first?.flatMap(\.self)?.inOneLine ?? ""
        default: fields.first?.flatMap(\.self) ?? ""
        }
    }

    /// The CSV columns that it combines.
    package var csv: [String] {
        switch self {
        case .name: ["name_title", "name_first", "name_last"]
        case .manager: ["manager_id", "manager_name"]
        case .born, .registered: [rawValue + "_at"]
        case .street, .city, .state, .postcode, .country: ["address_" + rawValue]
        default: [rawValue]
        }
    }
}

extension String {
    /// The lines joined by commas: Active Directory's streets have several.
    var inOneLine: String {
        split(whereSeparator: \.isNewline).joined(separator: ", ")
    }
}

extension User.Name {
    /// `Title First Last`.
    package var titled: String { joined([title ?? "", first, last]) }

    /// The name with and without the title.
    var texts: [String] { [titled, joined([first, last])] }

    private func joined(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: " ") }
}

extension User {
    /// `email` first.
    package var allEmails: [Contact] { Self.all([email], emails) }

    /// `phone` and `cell` first.
    package var allPhones: [Contact] { Self.all([phone, cell], phones) }

    package static func all(_ first: [String?], _ all: [Contact]?) -> [Contact] {
        var contacts: [Contact] = []
        for value in first.compactMap(\.self) {
            contacts.append(all?.first { $0.value == value } ?? Contact(value: value))
        }
        for contact in all ?? [] where !first.contains(contact.value) { contacts.append(contact) }
        return contacts
    }
}

extension Timestamp {
    /// `2026-01-02`, in UTC: for dates that don't depend on the time zone, such as birthdays.
    package var date: String { String(Substring(description.utf8.prefix { $0 != UInt8(ascii: "T") })) }
}
