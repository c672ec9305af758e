import Foundation

/// Thirty people whose texts, numbers and addresses occur nowhere else.
package struct Canaries: Sendable {
    package typealias Person = [String: String]

    /// Each field's value.
    package let people: [Person]
    /// The forms of all values, and what each shows.
    private let needles: [UInt64: [(bytes: Data, value: String)]]

    private static let texts = [
        "id", "user", "given", "family", "display", "honorific", "job", "department", "company", "street",
        "city",
        "state", "country", "office", "boss", "chief", "custom", "photo", "host",
    ]
    private static let numbers = ["number", "post", "latitude"]

    package init() {
        people = (0..<30).map { person in
            var values: Person = [:]
            for (index, name) in Self.texts.enumerated() {
                let word = Self.word(person * 100 + index)
                let hasAccent = ["given", "family", "display", "street", "city", "job"].contains(name)
                values[name] = hasAccent ? word : word.replacing("ñ", with: "n")
            }
            for (index, name) in Self.numbers.enumerated() {
                values[name] = "\(Self.number(person * 10 + index))"
            }
            for (index, name) in ["phone", "cell"].enumerated() {
                let digits = String(300_000_000 + Self.number(person * 10 + 5 + index) * 3)
                values[name] =
                    "+41 "
                    + [0..<2, 2..<5, 5..<7, 7..<9].map { Self.part($0, of: digits) }.joined(separator: " ")
            }
            values["born"] = "19\(40 + person)-02-13T04:05:06Z"
            values["mail"] = "\(values["user"]!)@\(values["host"]!).example"
            return values
        }
        var needles: [UInt64: [(bytes: Data, value: String)]] = [:]
        for value in people.flatMap(\.values).flatMap(Self.parts) {
            for form in Self.forms(of: value) {
                needles[Self.end(of: form.prefix(Self.window)), default: []].append((form, value))
            }
        }
        self.needles = needles
    }

    /// A value that is shown in part is shown.
    private static func parts(of value: String) -> [String] {
        if value.hasPrefix("+41 ") { return [value, String(value.dropFirst(4))] }
        return value.split(separator: "@").map { String($0).replacing(".example", with: "") }
    }

    /// Text in which `$name` stands for a person's value.
    package func filled(_ template: String, _ person: Int) -> String {
        people[person].reduce(template) { $0.replacing("$\($1.key);", with: $1.value) }
    }

    /// All values of a person.
    package func all(of person: Int) -> [String] { people[person].values.sorted() }

    /// The values that are in a JSON document, in any form.
    package func found(in document: [UInt8]) -> Set<String> {
        let text = String(decoding: document, as: UTF8.self)
        let told = Self.texts(of: try? JSONSerialization.jsonObject(with: Data(document)))
        let plain = (text + told).lowercased()
        // Letter by letter, or a number in groups.
        let joined = plain.filter { $0.isLetter || $0.isNumber }
        var found: Set<String> = []
        for haystack in [Data(document), Data(plain.utf8), Data(joined.utf8)] {
            var end: UInt64 = 0
            for (index, byte) in haystack.enumerated() {
                end = Self.end(end, byte)
                for (bytes, value) in needles[end] ?? [] where index >= Self.window - 1 {
                    if haystack[(index - Self.window + 1)...].starts(with: bytes) { found.insert(value) }
                }
            }
        }
        return found
    }

    /// Each form is at least as long.
    private static let window = 6

    /// The last bytes as a number.
    private static func end(_ before: UInt64, _ byte: UInt8) -> UInt64 {
        (before << 8 | UInt64(byte)) & (1 << (8 * UInt64(window)) - 1)
    }

    private static func end(of bytes: Data) -> UInt64 { bytes.reduce(0) { end($0, $1) } }

    private static func texts(of json: Any?) -> String {
        switch json {
        case let text as String: text + "\n"
        case let list as [Any]: list.map { texts(of: $0) }.joined()
        case let members as [String: Any]: members.map { $0.key + "\n" + texts(of: $0.value) }.joined()
        default: ""
        }
    }

    /// The bytes that show a value: as it is, in base64 at each alignment, and escaped.
    private static func forms(of value: String) -> [Data] {
        let (lower, bytes) = (value.lowercased(), Data(value.utf8))
        let percent = bytes.map { "%" + String($0, radix: 16) }.joined()
        let usual = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let escaped = value.utf16.map { "\\u00" + String($0, radix: 16) }.joined()
        // Also in UTF-16, whose zeros are no letters.
        let joined = lower.filter { $0.isLetter || $0.isNumber }
        return [lower, percent, usual.lowercased(), escaped, joined].map { Data($0.utf8) } + base64(bytes)
            + base64(value.data(using: .utf16LittleEndian) ?? Data())
    }

    /// The part that does not depend on what stands before and after it.
    private static func base64(_ bytes: Data) -> [Data] {
        (0..<3).map { before in
            let text = (Data(count: before) + bytes).base64EncodedData()
            return text.prefix((before + bytes.count) * 8 / 6).dropFirst(before == 0 ? 0 : before + 1)
        }
    }

    /// Each form of a value, as a message may have it.
    package static func messages(of value: String) -> [String] {
        let letters = value.map(String.init)
        let (low, high) = (value.lowercased(), value.uppercased())
        return forms(of: value).map { String(decoding: $0, as: UTF8.self) } + [
            value, "\(value)s", "x\(value)", low, high, letters.joined(separator: " "),
            letters.joined(separator: "/"),
            letters.joined(separator: "\0") + "\0", "\0" + letters.joined(separator: "\0"),
            value.replacing(" ", with: " / "), value.replacing(" ", with: ":"),
            value.replacing(" ", with: " · "),
        ]
    }

    private static func word(_ number: Int) -> String {
        let (consonants, vowels) = (Array("bdfgklmnprstvwzx"), Array("aeiou"))
        func syllable(_ value: Int) -> String { "\(consonants[value % 16])\(vowels[value / 16 % 5])" }
        return ("q" + syllable(number / 80) + "ñ" + syllable(number % 80) + "xq").capitalized
    }

    private static func number(_ index: Int) -> Int { 31_415_927 + index * 7919 }

    private static func part(_ range: Range<Int>, of digits: String) -> Substring {
        digits.dropFirst(range.lowerBound).prefix(range.count)
    }
}
