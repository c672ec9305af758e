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
    /// The authentication scheme of the request; nil if it had no credentials.
    package var scheme: String?

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        let type = (headers["Content-Type"] ?? "").asciiLowercased.filter { !" \"'".contains($0) }
        let namesLatin1 = ["iso-8859-1", "latin1"].contains { type.contains("charset=\($0)") }
        // Some servers name it and send UTF-8.
        let isLatin1 = namesLatin1 && String(validating: body, as: UTF8.self) == nil
        self.body =
            isLatin1 ? Array(String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) })).utf8) : body
    }

    /// Whether the origin of the requested address answered, which alone gets its secrets.
    package func isFromOrigin(of requested: URL) -> Bool {
        url.map { HTTPOrigin($0) == HTTPOrigin(requested) } ?? true
    }

    /// Whether the body has only white space.
    package var isBlank: Bool { body.allSatisfy { $0 == 0x20 || 0x09...0x0D ~= $0 } }
}

extension HTTPHeaders {
    /// The scheme of the credentials; nil if there are none. Empty if they have none: they are a secret alone.
    package var scheme: String? {
        self["Authorization"].map { $0.contains(" ") ? String($0.prefix { $0 != " " }) : "" }
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
