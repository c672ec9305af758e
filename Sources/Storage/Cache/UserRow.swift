import Model
import SQLite

/// Removes case and accents, for comparison.
package typealias Folding = @Sendable (String) -> String

/// A row of `users`, for searching and sorting, and the user's record.
enum UserRow {
    static let columns = [
        "id", "username", "email", "gender", "nationality", "department", "name_key", "age_key",
        "registered_at", "words", "digits",
    ]

    /// Finds a user's number by the values of its row, and whether the cached row is the same.
    static let find = """
        SELECT number, \((columns + ["record"]).enumerated().map { "\($1) IS ?\($0 + 1) COLLATE BINARY" }
            .joined(separator: " AND "))
        FROM users JOIN user_records USING (number) WHERE id = ?1
        """

    /// The values in the order of `columns`, then the record.
    static func values(_ user: User, folded: Folding) -> [Value] {
        // U+0001 sorts before all letters, so that Li comes before Lima.
        let name = alphabetical(folded("\(user.name.last)\u{1}\(user.name.first)"))
        // Adds the folded words only if the search would find less without them, so never for ASCII.
        let words = user.words
        let foldedWords = words.utf8.allSatisfy { $0 < 0x80 } ? nil : folded(words)
        let searched = foldedWords.map { $0 == words.lowercased() ? words : "\(words) \($0)" } ?? words
        return [
            user.id.value, user.username.value, user.email.value, user.gender.value, user.nationality.value,
            user.department.value, name.value, user.ageKey.value,
            (user.registeredAt?.description).value, searched.value, user.digits.value, .utf8(user.record),
        ]
    }

    /// Sorts rows by name, the order in which the commit reads them. Keeps the order if an id repeats,
    /// because the first of its rows counts.
    static func sorted(_ rows: [[Value]]) -> [[Value]] {
        guard Set(rows.map { $0[0] }).count == rows.count else { return rows }
        func name(_ row: [Value]) -> String {
            if case .text(let name) = row[nameColumn] { name } else { "" }
        }
        return rows.sorted { name($0) < name($1) }
    }

    private static let nameColumn = columns.firstIndex(of: "name_key")!
}

extension User {
    /// The text that is searched.
    fileprivate var words: String {
        var words = [
            username, email, address.street, address.city, address.state, address.postcode, address.country,
        ].compactMap { $0 }
        // Backwards, as in earlier versions: another order would write all words again.
        for work in WorkField.all.reversed() where work.isSearched {
            if let text = self[keyPath: work.path] { words.append(text) }
        }
        if let displayName, displayName != name.last, displayName != "\(name.first) \(name.last)" {
            words.append(displayName)
        }
        for contact in emails ?? [] where contact.value != email { words.append(contact.value) }
        return "\(name.first) \(name.last) \(words.joined(separator: " "))"
    }

    /// Days from birth to 1970, so that younger users have lower keys. Without a birthday, the age counts
    /// back from 2026. Migration 6 computes the same.
    fileprivate var ageKey: Int? {
        if let bornAt {
            let (days, rest) = bornAt.milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
            return Int(rest < 0 ? 1 - days : -days)
        }
        // 400 years have 146,097 days, and 2026 begins 20,454 after 1970.
        return age.map { min(max($0, -1_000_000_000), 1_000_000_000) * 146_097 / 400 - 20_454 }
    }

    /// The digits of each telephone number, separated by blanks.
    fileprivate var digits: String? {
        var numbers: [String] = []
        for telephone in [phone, cell] + (phones ?? []).map(\.value) {
            guard let digits = telephone?.decimalDigits, !digits.isEmpty, !numbers.contains(digits) else {
                continue
            }
            numbers.append(digits)
        }
        return numbers.isEmpty ? nil : numbers.joined(separator: " ")
    }
}

extension StringProtocol {
    /// The decimal digits of any script, as ASCII.
    var decimalDigits: String {
        var digits = ""
        for scalar in unicodeScalars {
            if "0"..."9" ~= scalar {
                digits.unicodeScalars.append(scalar)
            } else if !scalar.isASCII, scalar.properties.numericType == .decimal,
                let value = scalar.properties.numericValue
            {
                digits += String(Int(value))
            }
        }
        return digits
    }
}
