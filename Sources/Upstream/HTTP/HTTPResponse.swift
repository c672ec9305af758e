import FoundationEssentials
import Model

/// A server's complete answer.
package struct HTTPResponse: Hashable, Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    /// Decompressed, and in UTF-8 if the answer names Latin-1.
    package var body: [UInt8]
    /// The address that answered, if redirects led to it.
    package var url: URL?

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = headers.nameLatin1 && String(validating: body, as: UTF8.self) == nil ? utf8(body) : body
    }

    /// Whether the origin of the requested address answered, which alone gets its secrets.
    package func isFromOrigin(of requested: URL) -> Bool {
        url.map { HTTPOrigin($0) == HTTPOrigin(requested) } ?? true
    }

    /// Whether the body has only white space.
    package var isBlank: Bool { body.allSatisfy { $0 == 0x20 || 0x09...0x0D ~= $0 } }
}

/// Characters 0x80 to 0x9F of windows-1252, which is also what programs mean by Latin-1 (WHATWG Encoding, section 4.2).
private let windowsCharacters = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

private func utf8(_ latin1: [UInt8]) -> [UInt8] {
    var text = String.UnicodeScalarView()
    for byte in latin1 {
        text.append(0x80...0x9F ~= byte ? windowsCharacters[Int(byte - 0x80)] : Unicode.Scalar(byte))
    }
    return Array(String(text).utf8)
}

extension HTTPHeaders {
    fileprivate var nameLatin1: Bool {
        let type = (self["Content-Type"] ?? "").asciiLowercased.filter { !" \"'".contains($0) }
        return ["iso-8859-1", "latin1", "windows-1252"].contains { type.contains("charset=\($0)") }
    }
}

/// Header fields in the order of the message; names are compared without regard to case.
package struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Field names are ASCII (RFC 9110, section 5.1).
        package func isNamed(_ other: String) -> Bool {
            name.utf8.lazy.map(\.asciiLowercased).elementsEqual(other.utf8.lazy.map(\.asciiLowercased))
        }
    }

    package private(set) var fields: [Field]

    package init(fields: [Field]) {
        self.fields = fields
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map(Field.init)
    }

    /// The first field of that name. Setting replaces all of that name; setting nil removes them.
    package subscript(_ name: String) -> String? {
        get { fields.first { $0.isNamed(name) }?.value }
        set {
            fields.removeAll { $0.isNamed(name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }
}
