import Model
import StrictJSON

package struct DirectoryEntry: Sendable, Equatable {
    package struct Attribute: Sendable, Equatable {
        /// In lower case, without options but the database of `lastusn`.
        package let name: String
        package let values: [[UInt8]]

        /// Nil for an attribute in a language or a range: the plain attribute, or the rest of the range, is
        /// another one.
        /// - Parameter description: RFC 4512, section 2.5.
        init?(_ description: String, _ values: [[UInt8]]) {
            let name = description.asciiLowercased
            guard let end = name.utf8.firstIndex(of: UInt8(ascii: ";")) else {
                (self.name, self.values) = (name, values)
                return
            }
            if name.hasPrefix("lastusn;") {
                (self.name, self.values) = (name, values)
                return
            }
            let options = name[end...].split(separator: ";", omittingEmptySubsequences: false).dropFirst()
            guard options.allSatisfy({ $0 == "binary" }) else { return nil }
            (self.name, self.values) = (String(name[..<end]), values)
        }
    }

    package let dn: String
    package let attributes: [Attribute]

    package func values(_ name: String) -> [[UInt8]] {
        attributes.first { $0.name == name }?.values ?? []
    }

    /// The values of an attribute as texts, without those that are not text. Some attributes have their own
    /// rules.
    package func texts(_ name: String) -> [String] {
        let values = values(name)
        if values.isEmpty { return [] }
        if Self.guids.contains(name) { return values.compactMap(Self.guid) }
        let texts = namedFirst(values.compactMap(Self.text), of: name)
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
        // Most attributes have one value.
        guard values.count == 1, !Self.guids.contains(name), !["ou", Self.addresses].contains(name) else {
            return texts(name).first
        }
        return Self.text(values[0])
    }

    /// Values that are part of the entry's name first: servers may send them in any order (RFC 4511, section 4.1.7).
    private func namedFirst(_ texts: [String], of name: String) -> [String] {
        // Few names have the attribute, and reading a name takes time.
        guard texts.count > 1,
            dn.utf8.contains(UInt8(ascii: "+"))
                || String(decoding: dn.utf8.prefix(name.utf8.count + 1), as: UTF8.self).asciiLowercased
                    == name + "="
        else { return texts }
        let own = "+\(DistinguishedName(dn).parts.first ?? "")+"
        let isNamed = texts.map { own.contains("+\(name)=\($0.lowercased().trimmingBlanks())+") }
        guard let index = isNamed.firstIndex(of: true), index > 0 else { return texts }
        return [texts[index]] + texts[..<index] + texts[(index + 1)...]
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
        return order.map { $0 < 0 ? "-" : bytes[$0].hexadecimal }.joined()
    }
}
