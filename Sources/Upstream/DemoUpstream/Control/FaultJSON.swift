extension FaultFields: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.init(values: try container.decode([String: Scalar].self).mapValues(\.text))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(
            Dictionary(
                uniqueKeysWithValues: values.map { key, text in
                    (key, Scalar(text: text, isNumber: Self.numbers.contains(key)))
                }))
    }

    private static let numbers: Set = ["milliseconds", "status", "bytes_per_second", "times"]
}

/// A string or an integer, as text.
private struct Scalar: Codable {
    let text: String
    let isNumber: Bool

    init(text: String, isNumber: Bool) {
        self.text = text
        self.isNumber = isNumber
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self.init(text: String(number), isNumber: true)
        } else {
            self.init(text: try container.decode(String.self), isNumber: false)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if isNumber, let number = Int(text) {
            try container.encode(number)
        } else {
            try container.encode(text)
        }
    }
}

/// A list, or a single element without brackets.
struct OneOrMore<Element: Decodable>: Decodable {
    let elements: [Element]

    init(from decoder: any Decoder) throws {
        if var list = try? decoder.unkeyedContainer() {
            var elements: [Element] = []
            while !list.isAtEnd { elements.append(try list.decode(Element.self)) }
            self.elements = elements
        } else {
            elements = [try Element(from: decoder)]
        }
    }
}
