import Model
import SQLite

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

    init(_ user: User, folded: Folding) {
        // U+0001 sorts before all letters, so that Li comes before Lima.
        let name = folded("\(user.name.last)\u{1}\(user.name.first)").text
        values = [
            user.id.value, user.username.value, user.email.value, user.gender.value, user.nationality.value,
            user.department.value, .text(alphabetical(name)), user.ageKey.value,
            user.registeredAt?.description.value ?? .null, .text(Self.searchable(user.words, folded)),
            user.digits.value, .text(user.record),
        ]
    }

    /// Without the folded words where the search finds the same without them, as in all of ASCII.
    private static func searchable(_ words: String, _ folded: Folding) -> String {
        if words.utf8.allSatisfy({ $0 < 0x80 }) { return words }
        let folding = folded(words)
        return folding.onlyLowercases ? words : "\(words) \(folding.text)"
    }
}

extension User {
    /// What is searched.
    fileprivate var words: String {
        var words = name.first
        words.reserveCapacity(256)
        words += " "
        words += name.last
        // Also where nothing follows.
        words += " "
        var isFirst = true
        func add(_ word: String?) {
            guard let word else { return }
            if !isFirst { words += " " }
            isFirst = false
            words += word
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
        return words
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
        var numbers: [String] = []
        func add(_ telephone: String?) {
            guard let digits = telephone?.decimalDigits, !digits.isEmpty, !numbers.contains(digits) else {
                return
            }
            numbers.append(digits)
        }
        add(phone)
        add(cell)
        for contact in phones ?? [] { add(contact.value) }
        return numbers.isEmpty ? nil : numbers.joined(separator: " ")
    }
}

extension StringProtocol {
    /// Those of any script, as ASCII.
    var decimalDigits: String {
        let zero = UInt8(ascii: "0")
        // A digit takes no more bytes as ASCII.
        return String(unsafeUninitializedCapacity: utf8.count) { digits in
            var count = 0
            for scalar in unicodeScalars {
                if scalar.isASCII {
                    guard "0"..."9" ~= scalar else { continue }
                    digits[count] = UInt8(scalar.value)
                } else {
                    guard scalar.properties.numericType == .decimal,
                        let value = scalar.properties.numericValue
                    else { continue }
                    digits[count] = zero + UInt8(value)
                }
                count += 1
            }
            return count
        }
    }
}
