import Model
import StrictJSON

extension Pointer {
    /// More than the nesting of any directory.
    private static let maximumSteps = 16

    package init(_ text: String) throws(FormatMistake) {
        guard text.isEmpty || text.hasPrefix("/") else {
            throw FormatMistake("\"\(text)\" is not a pointer: it has to begin with /, as in /\(text)")
        }
        var (steps, rest) = ([Step](), text[...])
        while rest.popFirst() != nil {
            // A slash within [key=value] ends no segment.
            let bracket = rest.hasPrefix("[") ? rest.firstIndex(of: "]") : nil
            let start = bracket.flatMap { rest[..<$0].contains("=") ? $0 : nil } ?? rest.startIndex
            let end = rest[start...].firstIndex(of: "/") ?? rest.endIndex
            steps.append(try Self.step(rest[..<end], in: text))
            rest = rest[end...]
        }
        if steps.contains(.all), text.contains("=@/") {
            throw FormatMistake("\"\(text)\" has both a * and a reference, which is a place in the record")
        }
        guard steps.count <= Self.maximumSteps else {
            throw FormatMistake("\"\(text)\" has more than \(Self.maximumSteps) segments")
        }
        self.init(steps, description: text)
    }

    /// Reads a pointer that finds at most one value.
    init(one text: String) throws(FormatMistake) {
        try self.init(text)
        guard !hasBranches else { throw FormatMistake("\"\(text)\" finds several values because of the *") }
    }

    /// Reads the name of an attribute of LDAP (RFC 4512, section 2.5).
    init(attribute: String) throws(FormatMistake) {
        let isName = attribute.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte.asciiLowercased
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-.".utf8.contains(byte)
        }
        guard isName, 1...200 ~= attribute.utf8.count else {
            throw FormatMistake("\"\(attribute)\" is not an LDAP attribute, such as mail")
        }
        guard !Self.secrets.contains(attribute.asciiLowercased) else {
            throw FormatMistake("\(attribute) holds secrets, so userd does not read it")
        }
        self.init([.named(attribute)], description: attribute)
    }

    private static let secrets: Set<String> = [
        "userpassword", "unicodepwd", "sambantpassword", "sambalmpassword", "krbprincipalkey",
    ]

    private static func step(_ segment: Substring, in text: String) throws(FormatMistake) -> Step {
        if segment == "*" { return .all }
        guard segment.hasPrefix("["), segment.hasSuffix("]") else { return .named(unescaped(segment)) }
        let inside = segment.dropFirst().dropLast()
        guard let sign = inside.firstIndex(of: "="), sign > inside.startIndex else {
            throw FormatMistake("\"\(text)\": a segment in brackets is [key=value], not \(segment)")
        }
        let (key, value) = (names(inside[..<sign]), inside[inside.index(after: sign)...])
        return value.hasPrefix("@/")
            ? .referring(key: key, reference: names(value.dropFirst(2)))
            : .matching(key: key, value: unescaped(value))
    }

    private static func names(_ path: Substring) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).map(unescaped)
    }

    private static func unescaped(_ segment: Substring) -> String {
        String(segment).replacing("~1", with: "/").replacing("~0", with: "~")
    }
}

package struct FormatMistake: Error, Equatable {
    package var reason: String
    /// The line in the format's file.
    package var line: Int?
    /// The key below the section, such as `fields.email`.
    package var key: String?

    package init(_ reason: String, key: String? = nil, line: Int? = nil) {
        (self.reason, self.key, self.line) = (reason, key, line)
    }
}
