import Model

extension String {
    fileprivate var isBlank: Bool {
        // Looking at a character takes longer than reading the value.
        if let first = utf8.first, 0x21...0x7E ~= first { return false }
        return allSatisfy(\.isWhitespace)
    }
}

/// An entry of a directory, with the requested attributes.
package struct DirectoryEntry: Sendable, Equatable {
    package struct Attribute: Sendable, Equatable {
        /// In lower case, without options.
        package let name: String
        package let values: [[UInt8]]

        /// Nil for an attribute in a language or a range: the plain attribute, or the rest of the range, is
        /// another one.
        /// - Parameter description: RFC 4512, section 2.5.
        package init?(_ description: String, _ values: [[UInt8]]) {
            guard let name = Self.name(in: description) else { return nil }
            self.init(name: name, values)
        }

        /// - Parameter name: as `name(in:)` returns it.
        package init(name: String, _ values: [[UInt8]]) {
            (self.name, self.values) = (name, values)
        }

        package static func name(in description: String) -> String? {
            let name = description.asciiLowercased
            guard name.utf8.contains(UInt8(ascii: ";")) else { return name }
            let parts = name.split(separator: ";", omittingEmptySubsequences: false)
            guard let first = parts.first, parts.dropFirst().allSatisfy({ $0 == "binary" }) else {
                return nil
            }
            return String(first)
        }
    }

    package let dn: String
    package let attributes: [Attribute]

    package init(dn: String, attributes: [Attribute]) {
        (self.dn, self.attributes) = (dn, attributes)
    }

    package func values(_ name: String) -> [[UInt8]] {
        attributes.first { $0.name == name }?.values ?? []
    }

    /// The values of an attribute as texts, without those that are not text. Some attributes have their own
    /// rules.
    package func texts(_ name: String) -> [String] {
        let values = values(name)
        if values.isEmpty { return [] }
        if Self.guids.contains(name) { return values.compactMap(Self.guid) }
        let texts = values.compactMap(Self.text)
        if name == Self.addresses { return Self.mails(in: texts) }
        guard name == "ou" else { return texts }
        // 389 Directory Server's examples have both the branch of the tree (People) and the department in
        // `ou`.
        let branches = Set(DistinguishedName(dn).parts.filter { $0.hasPrefix("ou=") })
        return texts.filter { !branches.contains("ou=\($0.lowercased())") }
    }

    /// The first of these texts.
    package func text(_ name: String) -> String? {
        let values = values(name)
        // For most attributes, the first value is enough.
        guard let first = values.first, !Self.guids.contains(name), !["ou", Self.addresses].contains(name)
        else {
            return texts(name).first
        }
        return Self.text(first) ?? values.dropFirst().lazy.compactMap(Self.text).first
    }

    private static func text(_ value: [UInt8]) -> String? {
        String(validating: value, as: UTF8.self).flatMap { $0.isBlank ? nil : $0 }
    }

    private static let addresses = "proxyaddresses"

    /// The email addresses among addresses of all kinds; the main one, whose prefix is in capitals, is first.
    private static func mails(in addresses: [String]) -> [String] {
        let main = "SMTP:"
        let mails = addresses.filter { $0.asciiLowercased.hasPrefix(main.asciiLowercased) }
        let sorted = mails.filter { $0.hasPrefix(main) } + mails.filter { !$0.hasPrefix(main) }
        return sorted.map { String($0.dropFirst(main.count)) }
    }

    private static let guids = ["objectguid", "ms-ds-consistencyguid"]

    /// Reads a GUID as Active Directory stores it: its first three parts are little-endian.
    private static func guid(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 16 else { return nil }
        let order = [3, 2, 1, 0, -1, 5, 4, -1, 7, 6, -1, 8, 9, -1, 10, 11, 12, 13, 14, 15]
        return order.map { index in
            guard index >= 0 else { return "-" }
            let digits = String(bytes[index], radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
