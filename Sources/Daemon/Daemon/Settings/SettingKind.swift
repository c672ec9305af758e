import Logging
import Model
import YAML

struct InvalidValue: Error {
    /// The predicate of a sentence about the value: `is not a duration`.
    let problem: String
    /// False for a value that may hold a secret.
    var isShown = true
    /// Follows the expected values.
    var hint = ""
    /// The key inside a structured value, and its line.
    var key: String?
    var line: Int?
    /// The further mistakes in the same list or mapping.
    var others: [InvalidValue] = []
}

/// A kind of value: how it is read from a source, written as a text and described to people.
struct SettingKind<Value: Sendable>: Sendable {
    /// The value's name in `--help`.
    let placeholder: String
    /// The valid values, to follow "expected".
    let expected: String
    /// True if YAML has the value in quotes.
    var isQuoted = false
    var isPath = false
    /// True if a value is more than a text, so that only the configuration file can have it.
    var isStructured = false
    /// True if the configuration file may also have a list.
    var isList = false
    let read: @Sendable (GivenValue) throws(InvalidValue) -> Value
    let write: @Sendable (Value) -> String?
    /// Writes a value without secrets; nil if values hold no secrets.
    var shown: (@Sendable (Value) -> String?)?
}

extension SettingKind {
    init(
        _ placeholder: String, expected: String, range: ClosedRange<Value>, name: String,
        parse: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) where Value: Comparable {
        self.init(
            placeholder: placeholder,
            expected: "\(expected), from \(write(range.lowerBound)) to \(write(range.upperBound))",
            read: { given throws(InvalidValue) in
                guard let value = parse(given.text) else { throw InvalidValue(problem: "is not \(name)") }
                guard range.contains(value) else { throw InvalidValue(problem: "is out of range") }
                return value
            },
            write: write)
    }

    /// An empty text stands for no value.
    func orNothing(_ words: String = "or empty for none") -> SettingKind<Value?> {
        SettingKind<Value?>(
            placeholder: placeholder, expected: "\(expected), \(words)", isQuoted: isQuoted, isPath: isPath,
            read: { given throws(InvalidValue) in given.text.isEmpty ? nil : try read(given) },
            write: { $0.flatMap(write) ?? "" })
    }
}

extension SettingKind<Bool> {
    static let boolean = SettingKind(
        placeholder: "true|false", expected: "true or false",
        read: { given throws(InvalidValue) in
            switch given.text.lowercased() {
            case "true", "yes", "on", "1": true
            case "false", "no", "off", "0": false
            default: throw InvalidValue(problem: "is neither true nor false")
            }
        },
        write: { "\($0)" })

    /// A setting that userctl reads from the files alone.
    static let booleanOfUserctl = {
        let boolean = SettingKind<Bool>.boolean
        return SettingKind(
            placeholder: boolean.placeholder, expected: boolean.expected, isStructured: true,
            read: { given throws(InvalidValue) in
                guard case .scalar(let text, _)? = given.structure?.content else {
                    return try boolean.read(given)
                }
                return try boolean.read(GivenValue(text: text, origin: given.origin))
            },
            write: boolean.write)
    }()
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
    /// A number of syncs in a row, or `none` for no limit.
    static let burst = SettingKind(
        placeholder: "number|none", expected: "a whole number from 1 to 1000, or none for no limit",
        read: { given throws(InvalidValue) in
            given.text == "none" ? nil : try SettingKind<Int>.integer(1...1000).read(given)
        },
        write: { $0.map { "\($0)" } ?? "none" })

    /// A TCP port that needs no privileges.
    static let port = SettingKind<Int>(
        "port", expected: "a port", range: 1024...65_535, name: "a port", parse: { Int($0) },
        write: { "\($0)" }
    ).orNothing("or empty for none")

    /// - Parameter none: the meaning of an empty text.
    static func optionalInteger(_ range: ClosedRange<Int>, none: String) -> Self {
        SettingKind<Int>.integer(range).orNothing("or empty for \(none)")
    }
}

extension SettingKind<Duration?> {
    /// Nil for the usual one.
    static let usersInterval = {
        let interval = SettingKind<Duration>.interval
        return SettingKind(
            placeholder: interval.placeholder, expected: interval.expected,
            read: { given throws(InvalidValue) in try interval.read(given) },
            write: { interval.write($0 ?? Settings.Users.usualInterval) })
    }()
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
    static let interval = duration(.milliseconds(100) ... .seconds(365 * 86_400))
    static let longestTime = duration(.zero ... .seconds(365 * 86_400))
    static let timeout = duration(.milliseconds(1) ... .seconds(86_400))

    private static func duration(_ range: ClosedRange<Duration>) -> Self {
        SettingKind(
            "duration", expected: "a number with ms, s, min, h or d (90s, 15min, 6h)", range: range,
            name: "a duration", parse: Duration.init(setting:), write: \.settingText)
    }
}

extension SettingKind where Value: RawRepresentable<String> & CaseIterable {
    static func word(
        _ placeholder: String? = nil, expected: String? = nil, problem: String = "is invalid"
    ) -> Self {
        let words = Value.allCases.map(\.rawValue)
        let list = "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
        return SettingKind(
            placeholder: placeholder ?? words.joined(separator: "|"), expected: expected ?? list,
            read: { given throws(InvalidValue) in
                guard let value = Value(rawValue: given.text) else { throw InvalidValue(problem: problem) }
                return value
            },
            write: { $0.rawValue })
    }
}

extension SettingKind<Logger.Level> {
    static let logLevel = word(
        "level", expected: "one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))",
        problem: "is not a log level")
}

extension SettingKind<MockBehavior?> {
    static let mock = {
        var kind = SettingKind<MockBehavior>.word().orNothing()
        kind.isQuoted = true
        return kind
    }()
}

extension SettingKind<YAMLNode?> {
    static let records = structure("an RFC 6901 pointer such as /Resources, or \"\" for the whole answer")
    static let paging = structure(
        "a style and what it needs, such as {style: offset, param: start, size: count, total: /total}")

    static let body = structure(
        "JSON, also in YAML, or a form such as a=b&c=d, or another text", isSecret: true)

    static func fields(example: String) -> Self {
        structure("the name of a field and its pointer, or a list of them, such as \(example)")
    }

    /// A structured value, with the lines of its parts. Its content is checked elsewhere.
    static func structure(_ expected: String, isSecret: Bool = false) -> Self {
        let redacted: @Sendable (YAMLNode?) -> String? = { $0?.textWithoutValues }
        return SettingKind(
            placeholder: "yaml", expected: expected, isStructured: true,
            read: { given throws(InvalidValue) in
                if let structure = given.structure { return structure }
                do throws(YAMLError) { return try YAMLNode.document(Array(given.text.utf8)) } catch {
                    throw InvalidValue(problem: error.reason.visible, isShown: !isSecret)
                }
            },
            write: { $0?.flowText() }, shown: isSecret ? redacted : nil)
    }

    /// Reads a mapping of at most 16 members; nil for nothing.
    func members<Element>(
        of given: GivenValue, _ noun: String, _ element: (YAMLMember) throws(InvalidValue) -> Element
    ) throws(InvalidValue) -> [Element]? {
        guard let node = try read(given) else { return nil }
        guard case .mapping(let members) = node.content, members.count <= 16 else {
            throw InvalidValue(problem: "is not a mapping of at most 16 \(noun)", isShown: false)
        }
        var (elements, mistakes): ([Element], [InvalidValue]) = ([], [])
        for member in members {
            do throws(InvalidValue) { elements.append(try element(member)) } catch {
                mistakes.append(
                    InvalidValue(
                        problem: error.problem, isShown: false, key: member.name, line: member.line))
            }
        }
        guard var mistake = mistakes.first else { return elements }
        mistake.others = Array(mistakes.dropFirst())
        throw mistake
    }
}
