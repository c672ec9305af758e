import Model
import SQLite
import StrictJSON

/// Removes case and accents, for comparison; says also whether that is no other than the text in lower case.
package typealias Folding = @Sendable (String) -> (text: String, onlyLowercases: Bool)

/// A row of `users`, which is searched and sorted by, and the user's record.
struct UserRow {
    static let columns = [
        "id", "username", "email", "gender", "nationality", "department", "name_key", "age_key",
        "registered_at", "words", "digits",
    ]

    /// In the order of `columns`, and the record.
    let values: [Value]

    /// The values of each row, in the order of the users.
    static func values(of users: [User], folded: Folding) -> [[Value]] {
        var text = TextBuffer()
        return users.map { UserRow($0, folded: folded, &text).values }
    }

    /// Finds a user by the values of its row: its number, and whether that row is cached.
    static let find = """
        SELECT number, \((columns + ["record"]).enumerated().map { "\($1) IS ?\($0 + 1) COLLATE BINARY" }
            .joined(separator: " AND "))
        FROM users JOIN user_records USING (number) WHERE id = ?1
        """

    /// - Parameter text: to put texts together in.
    private init(_ user: borrowing User, folded: Folding, _ text: inout TextBuffer) {
        // U+0001 sorts before all letters, so that Li comes before Lima.
        text.removeAll()
        text.append(user.name.last)
        text.append(0x01)
        text.append(user.name.first)
        let name = alphabetical(folded(text.text).text)
        text.removeAll()
        user.writeWords(to: &text)
        let words = Self.searchable(text, folded)
        text.removeAll()
        user.writeRecord(to: &text)
        values = [
            user.id.value, user.username.value, user.email.value, user.gender.value, user.nationality.value,
            user.department.value, .text(name), user.ageKey.value,
            user.registeredAt?.description.value ?? .null, words, user.digits.value,
            .utf8(Array(text.written)),
        ]
    }

    /// Without the folded words where the search finds the same without them, as in all of ASCII.
    private static func searchable(_ words: borrowing TextBuffer, _ folded: Folding) -> Value {
        if words.isASCII { return .utf8(Array(words.written)) }
        let text = words.text
        let folding = folded(text)
        return .text(folding.onlyLowercases ? text : "\(text) \(folding.text)")
    }
}

extension User {
    /// What is searched.
    fileprivate func writeWords(to words: inout TextBuffer) {
        words.append(name.first)
        words.append(UInt8(ascii: " "))
        words.append(name.last)
        // Also where nothing follows.
        words.append(UInt8(ascii: " "))
        var isFirst = true
        func add(_ word: String?) {
            guard let word else { return }
            if !isFirst { words.append(UInt8(ascii: " ")) }
            isFirst = false
            words.append(word)
        }
        add(username)
        add(email)
        add(address.street)
        add(address.city)
        add(address.state)
        add(address.postcode)
        add(address.country)
        add(department)
        add(jobTitle)
        if let displayName, displayName != name.last, displayName != "\(name.first) \(name.last)" {
            add(displayName)
        }
        for contact in emails ?? [] where contact.value != email { add(contact.value) }
    }

    /// Days from birth to 1970, so that who is younger has the lower key. Without a birthday: born that many years before
    /// 2026. Migration 6 computes the same.
    fileprivate var ageKey: Int? {
        if let bornAt {
            let (days, rest) = bornAt.milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
            return Int(rest < 0 ? 1 - days : -days)
        }
        // 400 years have 146,097 days, and 2026 begins 20,454 after 1970.
        return age.map { min(max($0, -1_000_000_000), 1_000_000_000) * 146_097 / 400 - 20_454 }
    }

    /// The digits of each telephone, with a blank between two.
    fileprivate var digits: String? {
        var all: String?
        var seen: [String] = []
        func add(_ telephone: String?) {
            guard let digits = telephone?.decimalDigits, !digits.isEmpty, !seen.contains(digits) else {
                return
            }
            seen.append(digits)
            all = all.map { "\($0) \(digits)" } ?? digits
        }
        add(phone)
        add(cell)
        for contact in phones ?? [] { add(contact.value) }
        return all
    }
}

extension StringProtocol {
    /// Those of any script, as ASCII.
    var decimalDigits: String {
        // A digit takes no more bytes as ASCII.
        String(unsafeUninitializedCapacity: utf8.count) { digits in
            var count = 0
            // Most telephones are ASCII, which need not be decoded.
            for byte in utf8 {
                guard byte < 0x80 else { return copyDecimalDigits(to: digits) }
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { continue }
                digits[count] = byte
                count += 1
            }
            return count
        }
    }

    private func copyDecimalDigits(to digits: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var count = 0
        for scalar in unicodeScalars {
            guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue
            else { continue }
            digits[count] = UInt8(ascii: "0") + UInt8(value)
            count += 1
        }
        return count
    }
}
