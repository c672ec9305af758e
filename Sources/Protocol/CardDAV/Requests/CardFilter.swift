/// The filter of an addressbook-query (RFC 6352, section 10.5). Conditions on parameters are not supported.
struct CardFilter: Hashable, Sendable {
    struct Property: Hashable, Sendable {
        /// In upper case.
        var name: String
        var needsAll = false
        var isAbsent = false
        var texts: [Text] = []
    }

    struct Text: Hashable, Sendable {
        enum Match: String, Sendable {
            case equals, contains, startsWith = "starts-with", endsWith = "ends-with"
        }

        var match = Match.contains
        var isNegated = false
        /// In lower case.
        var text = ""
    }

    var needsAll = false
    var properties: [Property] = []

    /// - Parameter name: in upper case.
    func has(_ name: String) -> Bool { properties.contains { $0.name == name } }

    /// - Parameter card: a vCard's bytes.
    func matches(_ card: [UInt8]) -> Bool {
        guard !properties.isEmpty else { return true }
        let values = Self.values(of: card, Set(properties.map(\.name)))
        let results = properties.lazy.map { $0.matches(values[$0.name] ?? []) }
        return needsAll ? results.allSatisfy(\.self) : results.contains(true)
    }

    /// The values of these properties in lower case, without escapes.
    private static func values(of card: [UInt8], _ names: Set<String>) -> [String: [String]] {
        var values: [String: [String]] = [:]
        var line: [UInt8] = []
        func end() {
            let name = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ":") }
            let key = String(decoding: name, as: UTF8.self).uppercased()
            if names.contains(key), let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                values[key, default: []].append(unescaped(line[(colon + 1)...]).lowercased())
            }
            line.removeAll(keepingCapacity: true)
        }
        for part in card.split(separator: UInt8(ascii: "\n")) {
            let content = part.last == UInt8(ascii: "\r") ? part.dropLast() : part
            // A line that begins with a blank continues the last one.
            if content.first == UInt8(ascii: " ") {
                line += content.dropFirst()
            } else {
                end()
                line += content
            }
        }
        end()
        return values
    }

    private static func unescaped(_ value: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        var isEscaped = false
        for byte in value {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                text.append(isEscaped && (byte | 0x20) == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
                isEscaped = false
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension CardFilter.Property {
    fileprivate func matches(_ values: [String]) -> Bool {
        if isAbsent { return values.isEmpty }
        if texts.isEmpty { return !values.isEmpty }
        let results = texts.lazy.map { $0.matches(values) }
        return needsAll ? results.allSatisfy(\.self) : results.contains(true)
    }
}

extension CardFilter.Text {
    fileprivate func matches(_ values: [String]) -> Bool {
        values.contains { value in
            switch match {
            case .equals: value == text
            case .contains: text.isEmpty || value.contains(text)
            case .startsWith: value.hasPrefix(text)
            case .endsWith: value.hasSuffix(text)
            }
        } != isNegated
    }
}
