import FoundationEssentials
import Logging

/// A text that is no value of its setting.
struct InvalidValue: Error {
    /// What the value does or is, to follow it in a sentence: `is not a duration`.
    let problem: String
    /// A value that may hold a secret is not shown.
    var isShown = true
}

/// How the values of some settings are written: read from a text, written as one, and told to people.
struct SettingKind<Value: Sendable>: Sendable {
    /// The value's name in `--help`.
    let placeholder: String
    /// What would be right, to follow "expected".
    let expected: String
    /// Whether a value is written in quotes in YAML.
    let isQuoted: Bool
    let isPath: Bool
    let read: @Sendable (String) throws(InvalidValue) -> Value
    /// Nil where there is no value.
    let write: @Sendable (Value) -> String?

    init(
        _ placeholder: String, expected: String, isQuoted: Bool = false, isPath: Bool = false,
        read: @escaping @Sendable (String) throws(InvalidValue) -> Value,
        write: @escaping @Sendable (Value) -> String?
    ) {
        self.placeholder = placeholder
        self.expected = expected
        self.isQuoted = isQuoted
        self.isPath = isPath
        self.read = read
        self.write = write
    }

    /// A kind whose values lie in a range.
    init(
        _ placeholder: String, expected: String, range: ClosedRange<Value>, name: String,
        parse: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) where Value: Comparable {
        self.init(
            placeholder,
            expected: "\(expected), from \(write(range.lowerBound)) to \(write(range.upperBound))",
            read: { text throws(InvalidValue) in
                guard let value = parse(text) else { throw InvalidValue(problem: "is not \(name)") }
                guard range.contains(value) else { throw InvalidValue(problem: "is out of range") }
                return value
            },
            write: write)
    }
}

extension SettingKind<Bool> {
    static let boolean = SettingKind(
        "true|false", expected: "true or false",
        read: { text throws(InvalidValue) in
            switch text.lowercased() {
            case "true", "yes", "on", "1": true
            case "false", "no", "off", "0": false
            default: throw InvalidValue(problem: "is neither true nor false")
            }
        },
        write: { "\($0)" })
}

extension SettingKind<Int> {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        SettingKind(
            "number", expected: "a whole number", range: range, name: "a whole number",
            parse: { Quantity($0).flatMap { $0.unit.isEmpty ? $0.number : nil } },
            write: { "\($0)" })
    }

    static func bytes(_ range: ClosedRange<Int>) -> Self {
        SettingKind(
            "size", expected: "a number of bytes, or of KiB, MiB or GiB (64MiB)", range: range,
            name: "a size",
            parse: { Quantity($0)?.value(in: Quantity.sizes) },
            write: { Quantity.text($0, in: Quantity.sizes) })
    }
}

extension SettingKind<Int?> {
    /// - Parameter none: what an empty text stands for.
    static func optionalInteger(_ range: ClosedRange<Int>, none: String) -> Self {
        let kind = SettingKind<Int>.integer(range)
        return SettingKind(
            kind.placeholder, expected: "\(kind.expected), or nothing for \(none)",
            read: { text throws(InvalidValue) in text.isEmpty ? nil : try kind.read(text) },
            write: { $0.flatMap(kind.write) ?? "" })
    }
}

extension SettingKind<Double> {
    static let fraction = number("fraction", expected: "a fraction such as 0.5", 0...1)
    static let speed = number("factor", expected: "a number such as 1 or 0.5", 0...1000)

    private static func number(
        _ placeholder: String, expected: String, _ range: ClosedRange<Double>
    ) -> Self {
        SettingKind(
            placeholder, expected: expected, range: range, name: "a number",
            parse: { text in
                // Double alone would also take "inf", "nan" and hexadecimal.
                guard let first = text.utf8.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= first,
                    text.utf8.allSatisfy("0123456789.e-".utf8.contains)
                else { return nil }
                return Double(text)
            },
            write: { "\($0)" })
    }
}

extension SettingKind<Duration> {
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        SettingKind(
            "duration", expected: "a number with ms, s, min, h or d (90s, 15min, 6h)", range: range,
            name: "a duration", parse: Duration.init(setting:), write: \.settingText)
    }
}

extension SettingKind<Logger.Level> {
    static let logLevel = SettingKind(
        "level", expected: "one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))",
        read: { text throws(InvalidValue) in try readCase(text, problem: "is not a log level") },
        write: { $0.rawValue })
}

extension SettingKind<Settings.Pictures> {
    static let pictures = SettingKind(
        Settings.Pictures.allCases.map(\.rawValue).joined(separator: "|"),
        expected: "none, thumbnail or all",
        read: { text throws(InvalidValue) in try readCase(text) },
        write: { $0.rawValue })
}

extension SettingKind<Settings.Mock?> {
    /// An empty text is for none.
    static let mock = SettingKind(
        Settings.Mock.allCases.map(\.rawValue).joined(separator: "|"),
        expected: "data, empty, error or hang, or nothing for none", isQuoted: true,
        read: { text throws(InvalidValue) in text.isEmpty ? nil : try readCase(text) as Settings.Mock },
        write: { $0?.rawValue ?? "" })
}

func readCase<Value: RawRepresentable<String>>(
    _ text: String, problem: String = "is none of them"
) throws(InvalidValue) -> Value {
    guard let value = Value(rawValue: text) else { throw InvalidValue(problem: problem) }
    return value
}

extension SettingKind<String> {
    static let path = SettingKind(
        "path", expected: "a file's path", isQuoted: true, isPath: true,
        read: { text throws(InvalidValue) in try readPath(text, atMost: 4095) },
        write: { $0 })

    static let url = SettingKind(
        "url", expected: "a URL such as https://example.org/path", isQuoted: true,
        read: { text throws(InvalidValue) in try readURL(text) },
        write: { $0 })

    /// Which names there are is not known here.
    static let format = SettingKind(
        "format", expected: "the name of a format",
        read: { text throws(InvalidValue) in
            guard !text.isEmpty,
                text.utf8.allSatisfy({ "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) })
            else { throw InvalidValue(problem: "is not the name of a format") }
            return text
        },
        write: { $0 })

    /// The query of a URL, percent-encoded (RFC 3986, section 3.4); may be empty.
    static let query = SettingKind(
        "query", expected: "a URL's query, percent-encoded and without its ?, such as nat=us&seed=999",
        isQuoted: true,
        read: { text throws(InvalidValue) in
            guard !text.hasPrefix("?"),
                let url = URLComponents(string: "http://host/?" + text, encodingInvalidCharacters: false),
                url.percentEncodedQuery == text, text.utf8.count <= 2048
            else { throw InvalidValue(problem: "is not a query", isShown: !text.contains("=")) }
            return text
        },
        write: { $0 })
}

extension SettingKind<String?> {
    /// A Unix socket's path, which `sockaddr_un` limits to 108 bytes with the NUL at the end (unix(7)).
    static let socketPath = SettingKind(
        "path", expected: "a path of at most 107 bytes", isQuoted: true, isPath: true,
        read: { text throws(InvalidValue) in try readPath(text, atMost: 107) },
        write: { $0 })

    /// A path, or an empty text for none.
    static let optionalPath = SettingKind(
        "path", expected: "a file's path, or nothing for none", isQuoted: true, isPath: true,
        read: { text throws(InvalidValue) in text.isEmpty ? nil : try readPath(text, atMost: 4095) },
        write: { $0 ?? "" })
}

private func readPath(_ text: String, atMost limit: Int) throws(InvalidValue) -> String {
    if text.isEmpty { throw InvalidValue(problem: "is empty") }
    if text == "-" {
        throw InvalidValue(
            problem: "is neither standard input nor output here: write ./- for a file of that name")
    }
    if text.utf8.count > limit { throw InvalidValue(problem: "is longer than \(limit) bytes") }
    if text.hasPrefix("~") {
        throw InvalidValue(
            problem: "begins with ~, which stands for your home directory alone, and before a /")
    }
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
        throw InvalidValue(problem: "holds a control character")
    }
    return text
}

func readURL(_ text: String) throws(InvalidValue) -> String {
    // What may hold a password or a key is not shown.
    func invalid(_ problem: String) -> InvalidValue {
        InvalidValue(problem: problem, isShown: !text.contains { "@=?".contains($0) })
    }

    guard let url = URLComponents(string: text, encodingInvalidCharacters: false) else {
        throw invalid("is not a URL")
    }
    if url.user != nil || url.password != nil {
        throw invalid(
            "holds a user name or a password, which have no place in a URL: "
                + "put a bearer token into a file, and name the file in users.token_file")
    }
    guard let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http" else {
        throw invalid("is not an http or https URL")
    }
    guard let host = url.host, !host.isEmpty else { throw invalid("has no host") }
    if let port = url.port, !(1...65_535).contains(port) { throw invalid("has no valid port") }
    if url.fragment != nil { throw invalid("has a fragment (#), which is never sent") }
    guard text.utf8.count <= 2048 else { throw invalid("is longer than 2048 bytes") }
    return text
}
