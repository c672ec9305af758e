import Model

extension User.Name {
    /// `First Last`; of Han, kana or Hangul alone, `Last First`.
    package var untitled: String { isFamilyFirst ? joined([last, first]) : joined([first, last]) }

    package var titled: String { joined([title ?? "", untitled]) }

    /// `Last, First`, the sort order; of Han, kana or Hangul alone, without the comma.
    package var sorted: String { joined([last, first], by: isFamilyFirst ? " " : ", ") }

    private var isFamilyFirst: Bool {
        // Most names are of other scripts, and tables have many names.
        guard last.utf8.first ?? 0 >= 0xE1 else { return false }
        return (last + first).unicodeScalars.allSatisfy { $0.isEastAsian || $0.properties.isWhitespace }
    }

    private func joined(_ parts: [String], by separator: String = " ") -> String {
        parts.filter { !$0.isEmpty }.joined(separator: separator)
    }
}

extension User {
    /// The display name, else the name with its title.
    package var shownName: String { displayName.flatMap { $0.isEmpty ? nil : $0 } ?? name.titled }

    /// `email` first. Equal to the byte, but for the case of ASCII letters.
    package var allEmails: [Contact] {
        Self.all([email], emails) { $0.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 } }
    }

    /// `phone` and `cell` first.
    package var allPhones: [Contact] { Self.all([phone, cell], phones) { Array($0.utf8) } }

    /// Each value once, with all its kinds.
    private static func all(_ first: [String?], _ all: [Contact]?, key: (String) -> [UInt8]) -> [Contact] {
        (first.compactMap(\.self) + (all ?? []).map(\.value)).distinct(key).map { value in
            let kinds = (all ?? []).compactMap { key($0.value) == key(value) ? $0.kind : nil }.distinct { $0 }
            return Contact(value: value, kind: kinds.isEmpty ? nil : kinds.joined(separator: ", "))
        }
    }
}

extension [String] {
    fileprivate func distinct<Key: Hashable>(_ key: (String) -> Key) -> [String] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}
