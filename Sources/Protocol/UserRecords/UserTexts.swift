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

    /// `email` first.
    package var allEmails: [Contact] { Self.all([email], emails) }

    /// `phone` and `cell` first.
    package var allPhones: [Contact] { Self.all([phone, cell], phones) }

    /// Each value once, with all its kinds.
    private static func all(_ first: [String?], _ all: [Contact]?) -> [Contact] {
        (first.compactMap(\.self) + (all ?? []).map(\.value)).distinct.map { value in
            let kinds = (all ?? []).compactMap { $0.value == value ? $0.kind : nil }.distinct
            return Contact(value: value, kind: kinds.isEmpty ? nil : kinds.joined(separator: ", "))
        }
    }
}

extension [String] {
    fileprivate var distinct: [String] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
