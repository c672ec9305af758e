import ArgumentParser
import Model
import StrictJSON
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
        case .id, .email, .emails, .phone, .cell, .phones, .username, .kind: .whole
        default: .extra
        }
    }

    /// Makes the text in a table from the values of the fields: of a time, only the date.
    var text: UserCells.Text {
        switch self {
        case .name: { User.Name($0).sorted }
        case _ where fields[0].isDate:
            { $0.first?.flatMap { String($0.unicodeScalars.prefix { $0 != "T" }) } ?? "" }
        case .manager, .mailbox, UserColumn(.street): value
        // A table escapes line ends itself.
        default: { $0.first?.flatMap(\.self) ?? "" }
        }
    }

    /// Makes the text for scripts from the values of the fields: on one line, as in CSV, and of a name the display name first.
    var value: UserCells.Text {
        switch self {
        case .name: { $0.suffix(1).filled.first?.inOneLine ?? User.Name($0).untitled }
        case .manager: { $0.reversed().filled.first ?? "" }
        case .mailbox:
            { values in
                let names = values.dropFirst()
                let name = names.prefix(1).filled.first ?? User.Name(names).untitled
                return Mailbox.text(name: name, address: values.prefix(1).filled.first ?? "")
            }
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
    var explanation: String {
        "“\(name)”" + (suggestion.isEmpty ? "." : "; \(suggestion)")
            + " The names are \(UserColumn.all.map(\.key).joined(separator: ", "))"
    }
}

extension User.Name {
    /// - Parameter values: of the title or the display name, and of the two names.
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

extension [TableHeading] {
    /// Those of a table of users, whose cells are from `UserCells` with the same columns.
    /// - Parameters:
    ///   - columns: nil for the usual ones, except those that are empty for all users.
    ///   - links: whether an email address is a link.
    static func users(
        _ columns: [UserColumn]? = nil, usual: [UserColumn] = UserColumn.usual, links: Bool = false
    ) -> [TableHeading] {
        let mail: @Sendable (String) -> ActionAddress? = { ActionAddress.mail(to: $0) }
        return (columns ?? usual).map { column in
            TableHeading(
                column.title, alignment: column.alignment, rank: column.rank,
                isOptional: columns == nil && column != .name, isAsked: columns != nil,
                link: links && column == .email ? mail : nil)
        }
    }
}

struct UserCells: Sendable {
    /// Makes a text from the values of a column's fields.
    typealias Text = @Sendable (ArraySlice<String?>) -> String

    private struct Cell {
        let text: Text
        let value: Text
        let count: Int
    }

    private let columns: [Cell]
    let reader: FieldReader

    init(_ columns: [UserColumn]) {
        self.columns = columns.map { Cell(text: $0.text, value: $0.value, count: $0.sources.count) }
        reader = FieldReader(columns.flatMap(\.sources).map(\.path))
    }

    /// - Parameter user: the protocol's JSON.
    func cells(of user: JSONValue) -> [String] { cells(of: reader.read(user)) }

    /// - Parameter user: from `reader`.
    func cells(of user: FieldRecord) -> [String] { texts(of: user, \.text) }

    /// The values for scripts, each on one line.
    /// - Parameter user: the protocol's JSON.
    func values(of user: JSONValue) -> [String] { texts(of: reader.read(user), \.value) }

    private func texts(of user: FieldRecord, _ text: (Cell) -> Text) -> [String] {
        var fields = user.fields.map { user[$0]?.text }[...]
        return columns.map { column in
            defer { fields = fields.dropFirst(column.count) }
            return text(column)(fields.prefix(column.count))
        }
    }

    /// - Parameter user: encodes to the protocol's JSON.
    func cells(of user: some Encodable) -> [String] {
        cells(of: JSONValue(trusting: (try? StrictJSON.encode(user)) ?? []))
    }
}
