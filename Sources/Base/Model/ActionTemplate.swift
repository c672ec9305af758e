/// An address with fields of a user in braces, such as `mailto:{email}`.
///
/// A record can change neither the scheme nor the host, which stand literally in the template. Its values go into what
/// follows, each percent-encoded.
package struct ActionTemplate: Hashable, Sendable {
    package enum Scheme: String, CaseIterable, Sendable {
        case https, mailto, tel, sip, msteams, slack, xmpp, matrix
    }

    fileprivate enum Part: Hashable, Sendable {
        case literal(String)
        case field(UserColumn)
    }

    /// The template as it was written.
    package let text: String
    package let scheme: Scheme
    /// From the colon up to the query or the fragment.
    fileprivate let path: [Part]
    /// The query and the fragment, with the sign before them.
    fileprivate let tail: [Part]

    private static let longestTemplate = 1000
    /// Some programs cut longer addresses.
    fileprivate static let longestAddress = 2000

    package static let mail = try? ActionTemplate("mailto:{email}")
    package static let call = try? ActionTemplate("tel:{phone}")

    package init(_ text: String) throws(InvalidAction) {
        guard text.utf8.count <= Self.longestTemplate else {
            throw InvalidAction("is longer than \(Self.longestTemplate) bytes")
        }
        guard text.utf8.allSatisfy({ $0.isAlphanumeric || Self.signs.contains($0) }) else {
            throw InvalidAction("has a character that an address can't have; write it percent-encoded")
        }
        guard let colon = text.firstIndex(of: ":"),
            let scheme = Scheme(rawValue: String(text[..<colon]).asciiLowercased)
        else {
            throw InvalidAction("does not begin with one of the schemes \(Self.schemes)")
        }
        let rest = text[colon...].dropFirst()
        try Self.checkHost(rest, scheme)
        let path = rest.prefix { !"?#".contains($0) }
        (self.text, self.scheme) = (text, scheme)
        self.path = try Self.parts(path)
        tail = try Self.parts(rest[path.endIndex...])
        if scheme == .tel, !Set(self.path).isDisjoint(with: [.field(.email), .field(.name)]) {
            throw InvalidAction("has a column that is no telephone number")
        }
        if scheme == .mailto, self.path == [.field(.phone)] {
            throw InvalidAction("has a column that is no email address")
        }
    }

    /// The characters of RFC 3986, section 2, beside letters and digits; and the braces.
    private static let signs = Array("-._~:/?#[]@!$&'()*+,;=%{}".utf8)
    private static let schemes = Scheme.allCases.map(\.rawValue).joined(separator: ", ")

    /// - Parameter rest: what follows the colon.
    private static func checkHost(_ rest: Substring, _ scheme: Scheme) throws(InvalidAction) {
        guard rest.hasPrefix("//") else {
            if scheme == .https { throw InvalidAction("has no // and host after https:") }
            return
        }
        let host = rest.dropFirst(2).prefix { !"/?#".contains($0) }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0.isAlphanumeric || "-._:[]".utf8.contains($0) }) else {
            throw InvalidAction(
                "has no literal host after //; fields may stand only behind a / after the host")
        }
    }

    private static func parts(_ text: Substring) throws(InvalidAction) -> [Part] {
        var (parts, rest): ([Part], Substring) = ([], text)
        while !rest.isEmpty {
            let literal = rest.prefix { $0 != "{" && $0 != "}" }
            if !literal.isEmpty { parts.append(.literal(String(literal))) }
            rest = rest[literal.endIndex...]
            guard let brace = rest.first else { break }
            guard brace == "{", let end = rest.firstIndex(of: "}") else {
                throw InvalidAction("has a brace without the other one")
            }
            let name = String(rest[..<end].dropFirst())
            guard let column = UserColumn(named: name) else {
                let near = UnknownColumn(name: name).suggestion
                throw InvalidAction(
                    "has {\(name)}, which is not a column" + (near.isEmpty ? "" : " (\(near))"))
            }
            parts.append(.field(column))
            rest = rest[end...].dropFirst()
        }
        return parts
    }
}

/// The reason why an entry of `actions` is refused: the predicate of a sentence about it. It may quote the entry.
package struct InvalidAction: Error, Equatable {
    package let problem: String

    init(_ problem: String) { self.problem = problem }
}

/// The address that an action opens: printable ASCII with a scheme of `ActionTemplate`, which alone makes it.
package struct ActionAddress: Hashable, Sendable {
    package let text: String
    package let scheme: ActionTemplate.Scheme

    fileprivate init(_ scheme: ActionTemplate.Scheme, _ rest: String) {
        (self.scheme, text) = (scheme, "\(scheme.rawValue):\(rest)")
    }
}

extension ActionAddress {
    /// Writes to an email address; nil if it is none.
    package static func mail(to address: String) -> ActionAddress? {
        try? ActionTemplate.mail?.address { _ in address }
    }
}

extension ActionTemplate {
    /// The reason why a user has no address.
    package enum Obstacle: Error, Equatable {
        case missing(UserColumn)
        case unusable(UserColumn, Fault)
        case tooLong

        /// The predicate of a sentence about the value.
        package enum Fault: String, Sendable {
            case address = "is not one email address"
            case number = "is no telephone number: at most 15 digits, without letters, * and #"
            case host = "would give the address a second @"
            case text = "has control characters, or is only . or .."
        }
    }

    /// - Parameter value: returns the user's value of a column.
    package func address(_ value: (UserColumn) -> String?) throws(Obstacle) -> ActionAddress {
        let path = try filled(self.path, keeping: kept(of:), value)
        if let column = path.column {
            switch scheme {
            case .mailto where !path.plain.isEmailAddress: throw .unusable(column, .address)
            case .tel where !path.encoded.isNumber: throw .unusable(column, .number)
            case .sip where path.plain.hasTwoAt, .xmpp where path.plain.hasTwoAt:
                throw .unusable(column, .host)
            default: break
            }
        }
        let tail = try filled(self.tail, keeping: { _ in "" }, value)
        let address = ActionAddress(scheme, path.encoded + tail.encoded)
        guard address.text.utf8.count <= Self.longestAddress else { throw .tooLong }
        return address
    }

    /// The sign of a value that means the same in the path. Another column than the email address would add a host.
    private func kept(of column: UserColumn) -> String {
        switch scheme {
        case .tel: "+"
        case .mailto: "@"
        case .sip, .xmpp: column == .email ? "@" : ""
        case .https, .msteams, .slack, .matrix: ""
        }
    }

    /// The parts with the values, as they are and encoded; and the first column.
    /// - Parameter kept: what is not encoded, beside the unreserved characters of RFC 3986, section 2.3.
    private func filled(
        _ parts: [Part], keeping kept: (UserColumn) -> String, _ value: (UserColumn) -> String?
    ) throws(Obstacle) -> (plain: String, encoded: String, column: UserColumn?) {
        var (plain, encoded) = ("", "")
        var first: UserColumn?
        for part in parts {
            switch part {
            case .literal(let text):
                plain += text
                encoded += text
            case .field(let column):
                first = first ?? column
                let text = value(column)?.trimmingBlanks() ?? ""
                guard !text.isEmpty else { throw .missing(column) }
                let isAddress = column == .email
                let isUsable = isAddress ? text.isEmailAddress : text.isUsable
                guard let usable = scheme == .tel ? text.dialled : isUsable ? text : nil else {
                    throw .unusable(column, scheme == .tel ? .number : isAddress ? .address : .text)
                }
                let signs = "-._~" + kept(column)
                plain += usable
                encoded += usable.percentEncoded { $0.isAlphanumeric || signs.utf8.contains($0) }
            }
        }
        return (plain, encoded, first)
    }
}

extension String {
    fileprivate var hasTwoAt: Bool { utf8.count(where: { $0 == UInt8(ascii: "@") }) > 1 }

    /// Whether it neither leads to another folder nor has a line end or another control.
    fileprivate var isUsable: Bool {
        self != "." && self != ".."
            && !unicodeScalars.contains {
                [.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            }
    }

    /// The digits of a telephone number and its leading +; nil if it has anything but what people write between digits.
    ///
    /// Digits that are left of a code such as *21*…#, or of a number with an extension, would be another number.
    fileprivate var dialled: String? {
        let isInternational = hasPrefix("+")
        // Dialled only within the country.
        let number = isInternational ? String(dropFirst()).replacing("(0)", with: "") : self
        let digits = number.filter { !" \u{A0}\u{202F}-.()/".contains($0) }
        guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return (isInternational ? "+" : "") + digits
    }

    /// Whether it is a telephone number of at most 15 digits (E.164).
    fileprivate var isNumber: Bool {
        let digits = hasPrefix("+") ? dropFirst() : self[...]
        return 1...15 ~= digits.utf8.count && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }
}
