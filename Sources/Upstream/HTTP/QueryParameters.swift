import Model

/// The query of an address as a list of parameters, each in its encoded form.
package struct QueryParameters: Hashable {
    private struct Parameter: Hashable {
        /// Decoded.
        var name: String
        /// `name=value`, encoded.
        var text: String

        /// Decoded as in a form: a `+` is a blank.
        var value: String {
            percentDecoded(text.drop { $0 != "=" }.dropFirst()).replacing("+", with: " ")
        }

        var redacted: Parameter { Parameter(name: name, text: "\(text.prefix { $0 != "=" })=REDACTED") }
    }

    private var parameters: [Parameter]

    /// Reads `a=1&b=2`. Encodes what must be encoded, and keeps escapes.
    package init(_ query: String) {
        parameters = query.split(separator: "&").map { part in
            let name = part.prefix { $0 != "=" }
            return Parameter(name: percentDecoded(name), text: escaped(query: part))
        }
    }

    package var all: [(name: String, value: String)] {
        parameters.map { ($0.name, percentDecoded($0.text.drop { $0 != "=" }.dropFirst())) }
    }

    /// Sorted and encoded, so that equivalent spellings are equal.
    package var canonical: [String] { all.map { Self.encoded($0.name, $0.value) }.sorted() }

    package var encoded: String { parameters.map(\.text).joined(separator: "&") }

    /// Decoded; nil if absent.
    package subscript(_ name: String) -> String? {
        all.first { $0.name == name }?.value
    }

    package mutating func append(_ name: String, _ value: String) {
        parameters.append(Parameter(name: name, text: Self.encoded(name, value)))
    }

    private static func encoded(_ name: String, _ value: String) -> String {
        "\(name.percentEncoded(keeping: isUnreserved))=\(value.percentEncoded(keeping: isUnreserved))"
    }

    /// Removes the values of parameters that `others` has, too, by name and value.
    package func withoutValues(of others: QueryParameters) -> QueryParameters {
        func isSame(_ a: Parameter, _ b: Parameter) -> Bool { a.name == b.name && a.value == b.value }
        return mapped { parameter in
            others.parameters.contains { isSame($0, parameter) } ? parameter.redacted : nil
        }
    }

    /// Puts the removed values back from `others`, by name and in order.
    package func withValues(of others: QueryParameters) -> QueryParameters {
        var rest = others.parameters
        return mapped { parameter in
            guard parameter == parameter.redacted,
                let index = rest.firstIndex(where: { $0.name == parameter.name })
            else { return nil }
            return rest.remove(at: index)
        }
    }

    private func mapped(_ change: (Parameter) -> Parameter?) -> QueryParameters {
        var result = self
        result.parameters = parameters.map { change($0) ?? $0 }
        return result
    }

    /// Appends the parameters of `others` whose names are new.
    package mutating func append(unlessNamed others: QueryParameters) {
        let names = Set(parameters.map(\.name))
        parameters += others.parameters.filter { !names.contains($0.name) }
    }
}

/// RFC 3986, section 2.3.
package func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || "-._~".utf8.contains(byte)
}

/// Encodes what a query can't have (RFC 3986, section 3.4). Escapes stay.
private func escaped(query: Substring) -> String {
    let bytes = Array(query.utf8)
    return bytes.enumerated().map { index, byte in
        let isKept = isUnreserved(byte) || "!$&'()*+,;=:@/?".utf8.contains(byte)
        return isKept || escapedByte(bytes, at: index) != nil
            ? String(Unicode.Scalar(byte)) : "%" + byte.hexadecimal.uppercased()
    }.joined()
}

package func percentDecoded(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
        let escaped = escapedByte(bytes, at: index)
        result.append(escaped ?? bytes[index])
        index += escaped == nil ? 1 : 3
    }
    return String(decoding: result, as: UTF8.self)
}

/// The byte of an escape such as `%41` at the index; nil if there is none.
private func escapedByte(_ bytes: [UInt8], at index: Int) -> UInt8? {
    guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Character(Unicode.Scalar(bytes[index + 1])).hexDigitValue,
        let low = Character(Unicode.Scalar(bytes[index + 2])).hexDigitValue
    else { return nil }
    return UInt8(high << 4 | low)
}
