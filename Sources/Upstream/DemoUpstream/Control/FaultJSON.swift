extension FaultFields: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(values: try [String: Scalar](from: decoder).mapValues(\.text))
    }

    package func encode(to encoder: any Encoder) throws {
        let fields = values.map { key, text in
            (key, Scalar(text: text, isNumber: Self.numbers.contains(key)))
        }
        try Dictionary(uniqueKeysWithValues: fields).encode(to: encoder)
    }

    private static let numbers: Set = ["milliseconds", "status", "bytes_per_second", "times", "after"]
}

/// A string or an integer, as text.
private struct Scalar {
    let text: String
    let isNumber: Bool
}

extension Scalar: Codable {
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
