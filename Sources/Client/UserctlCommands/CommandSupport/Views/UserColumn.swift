import ArgumentParser
import Model
import TerminalViews
import UserdAPI

extension UserColumn {
    var alignment: Alignment {
        fields.allSatisfy(\.isNumber) ? .trailing : .leading
    }

    /// Names and contact data stay on a narrow terminal. What is copied is never cut.
    var rank: Rank {
        if self == .name { return .name }
        return switch fields[0] {
        case .displayName: .name
        case .id, .email, .emails, .phone, .cell, .phones, .username: .whole
        default: .extra
        }
    }

    /// Makes the text in a table from the values of the fields: of a time, only the date.
    var text: UserCells.Text {
        switch self {
        case .name: { User.Name($0).sorted }
        case _ where fields[0].isDate:
            { $0.first?.flatMap { String($0.unicodeScalars.prefix { $0 != "T" }) } ?? "" }
        case .manager, UserColumn(.street): value
        // A table escapes line ends itself.
        default: { $0.first?.flatMap(\.self) ?? "" }
        }
    }

    /// Makes the text for scripts from the values of the fields: on one line, as in CSV, and of a name the display name first.
    var value: UserCells.Text {
        switch self {
        case .name: { $0.suffix(1).filled.first?.inOneLine ?? User.Name($0).untitled }
        case .manager: { $0.reversed().filled.first ?? "" }
        default: { $0.first?.flatMap(\.self)?.inOneLine ?? "" }
        }
    }

    /// All columns by their names, for help and messages: `id, …, born_at (or born), …`.
    static let explained = all.map { column in
        column.key + (column.aliases.isEmpty ? "" : " (or \(column.aliases.joined(separator: ", ")))")
    }.joined(separator: ", ")

    /// A reader of `name,email,…` for the argument parser.
    /// - Parameter noun: what the error calls an unknown name.
    static func reader(_ noun: String) -> @Sendable (String) throws -> [UserColumn] {
        { text in
            do throws(UnknownColumn) {
                return try list(text)
            } catch {
                throw ValidationError("unknown \(noun) " + error.explanation)
            }
        }
    }
}

extension UnknownColumn {
    /// The name, the nearest one, and all names.
    var explanation: String {
        "“\(name)”" + (suggestion.isEmpty ? "." : "; \(suggestion)")
            + " The names are \(UserColumn.all.map(\.key).joined(separator: ", "))"
    }
}

extension User.Name {
    /// - Parameter values: of the title and the two names.
    fileprivate init(_ values: ArraySlice<String?>) {
        let names = values.dropFirst().map { $0 ?? "" }
        self.init(first: names[0], last: names[1])
    }
}

extension Sequence<String?> {
    /// Those that are neither missing nor empty.
    fileprivate var filled: [String] { compactMap(\.self).filter { !$0.isEmpty } }
}

extension String {
    /// The lines joined by commas: Active Directory's streets have several.
    var inOneLine: String {
        split(whereSeparator: \.isNewline).joined(separator: ", ")
    }
}
