import FoundationEssentials

/// A section of a data file: `[name]`, then lines of `key: value`. A line that begins with a space continues the value.
struct DataSection: Sendable {
    let name: String
    private(set) var entries: [(key: String, value: String)] = []

    subscript(key: String) -> String? { entries.first { $0.key == key }?.value }

    static func all(in bytes: [UInt8]) -> [DataSection] {
        var sections: [DataSection] = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let current = sections.count - 1
            if line.hasPrefix("[") {
                sections.append(DataSection(name: String(line.dropFirst().dropLast())))
            } else if line.hasPrefix(" ") {
                let last = sections[current].entries.count - 1
                sections[current].entries[last].value += line.drop { $0 == " " }
            } else if let colon = line.firstRange(of: ": ") {
                sections[current].entries.append(
                    (String(line[..<colon.lowerBound]), String(line[colon.upperBound...])))
            }
        }
        return sections
    }
}

/// A record of lists.txt, such as `{"id":"$uuid"}`, with fields of a person.
struct RecordTemplate: Sendable {
    /// Each text, with the field that follows it.
    private var parts: [(text: String, field: People.Field?)] = []

    /// - Precondition: the fields are known.
    init(_ text: String) {
        var rest = text[...]
        while let mark = rest.firstIndex(of: "$") {
            let name = rest[rest.index(after: mark)...].prefix { $0.isLetter || $0.isNumber }
            guard let field = People.fields[String(name)] else { preconditionFailure("$\(name) in \(text)") }
            parts.append((String(rest[..<mark]), field))
            rest = rest[name.endIndex...]
        }
        parts.append((String(rest), nil))
    }

    func write(_ person: inout Person, of people: People, to out: inout String) {
        for part in parts {
            out += part.text
            if let field = part.field { out += field(&person, people) }
        }
    }
}

extension String {
    /// The text as a JSON string.
    var jsonQuoted: String {
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
