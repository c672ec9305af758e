/// A user is a person, or another entry of the address list. JSON: `UserKind` of io.userd.
package enum UserKind: String, Hashable, Sendable, Codable, CaseIterable {
    case person
    /// A list of addresses, such as a team's.
    case group
    case room
    /// A mailbox that several people share.
    case mailbox
    /// A person outside the organisation.
    case contact
}

extension UserKind {
    /// All kinds but persons.
    package static let others = allCases.filter { $0 != .person }

    /// The kinds that texts such as `group, room` name; `all` names each.
    package static func list(_ texts: String...) throws(UnknownKind) -> [UserKind] { try list(texts) }

    package static func list(_ texts: [String]) throws(UnknownKind) -> [UserKind] {
        let words = texts.flatMap { $0.split { $0 == "," || $0.isWhitespace } }
        if words.isEmpty { throw UnknownKind(name: "") }
        var kinds: Set<UserKind> = []
        for word in words {
            let name = word.lowercased()
            if name == "all" {
                kinds.formUnion(allCases)
            } else {
                guard let kind = UserKind(rawValue: name) else { throw UnknownKind(name: String(word)) }
                kinds.insert(kind)
            }
        }
        return allCases.filter(kinds.contains)
    }

    /// The names in `list`.
    package static let names = allCases.map(\.rawValue) + ["all"]

    /// `1 group`, `3 mailboxes`
    package func counted(_ number: String) -> String {
        let several = self == .mailbox ? "mailboxes" : rawValue + "s"
        return "\(number) \(number == "1" ? rawValue : several)"
    }
}

package struct UnknownKind: Error, Equatable {
    package let name: String

    /// `“grop”; did you mean group? The names are …`
    package var explanation: String {
        let hint = didYouMean(name, among: UserKind.names)
        return "“\(name)”\(hint.isEmpty ? "." : hint) The names are " + UserKind.names.joined(separator: ", ")
    }
}

extension User {
    /// The kind, unless it is a person.
    package var otherKind: UserKind? { kind == .person ? nil : kind }

    package var isOther: Bool { otherKind != nil }
}
