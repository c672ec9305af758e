import Model

/// A mailbox (RFC 5322, section 3.4) with letters of all scripts (RFC 6532): `"Keller, Anna" <anna@example.org>`. It stands for
/// one recipient, whatever the directory sends.
enum Mailbox {
    fileprivate static let maximumLetters = 200

    /// - Returns: the address alone without a name; empty if the address is not `local@domain` with atoms and dots.
    static func text(name: String, address: String) -> String {
        guard address.isEmailAddress else { return "" }
        let name = name.phrase
        return name.isEmpty ? address : "\(name) <\(address)>"
    }
}

extension String {
    /// A `phrase` on one line: quoted unless it is atoms and spaces.
    fileprivate var phrase: String {
        let words = unicodeScalars.split { $0.properties.isWhitespace || $0.isControl }
            .map { String(String.UnicodeScalarView($0.filter(\.isNameText))) }.filter { !$0.isEmpty }
        let letters = words.joined(separator: " ").unicodeScalars.prefix(Mailbox.maximumLetters)
        let name = String(String.UnicodeScalarView(letters)).sanitised
        // An atom such as =?utf-8?q?…?= would be decoded (RFC 2047, section 5).
        if name.unicodeScalars.allSatisfy({ $0 == " " || $0.isAtomText && $0 != "=" }) { return name }
        // By scalars: a quote with a combining mark is another Character.
        var quoted = "\"".unicodeScalars
        for scalar in name.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }

    /// Visible, or a joiner within a word, which Persian and Indic scripts need.
    fileprivate var isNameText: Bool {
        value == 0x200C || value == 0x200D || !isUnsafe && !properties.isDefaultIgnorableCodePoint
    }
}
