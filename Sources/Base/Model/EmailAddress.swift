extension String {
    /// Whether it is one email address, which no program takes for several or for a name with an address: `addr-spec` with a
    /// `dot-atom` at each side (RFC 5322, section 3.4.1), of the length that mail servers take (RFC 5321, section 4.5.3).
    package var isEmailAddress: Bool {
        let sides = unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        return sides.count == 2 && utf8.count <= 254
            && sides.allSatisfy { side in
                side.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
                    !atom.isEmpty && atom.allSatisfy(\.isAtomText)
                }
            }
    }
}

extension Unicode.Scalar {
    /// `atext` (RFC 5322, section 3.2.3), with the letters of all scripts (RFC 6532, section 3.2).
    package var isAtomText: Bool {
        switch value {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0..<0x80: "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(self)
        default: !isUnsafe && !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
        }
    }
}
