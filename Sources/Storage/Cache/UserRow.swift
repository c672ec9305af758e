import FoundationEssentials
import Model
import SQLite

/// A row of `users`: the stored record, and columns to search and sort by.
struct UserRow {
    static let columns = [
        "id", "username", "email", "gender", "nationality", "department", "name_key", "age_key",
        "registered_at", "words", "digits", "record",
    ]

    let values: [Value]

    /// - Parameter folded: removes case and accents, for comparison; takes most of the time, so that it gets each text once.
    init(_ user: User, folded: (String) -> String) throws {
        let (first, last) = (user.name.first, user.name.last)
        let (foldedFirst, foldedLast) = (folded(first), folded(last))
        let more = user.furtherWords
        let foldedMore = folded(more)
        let words = "\(first) \(last) \(more)"
        let foldedWords = "\(foldedFirst) \(foldedLast) \(foldedMore)"
        values = [
            user.id.value, user.username.value, user.email.value, user.gender.value, user.nationality.value,
            user.department.value,
            // U+0001 sorts before all letters, so that Li comes before Lima.
            .text(alphabetical("\(foldedLast)\u{1}\(foldedFirst)")),
            user.ageKey.value, user.registeredAt?.description.value ?? .null,
            .text(words.lowercased() == foldedWords ? words : "\(words) \(foldedWords)"),
            user.digits.value, .text(try json(user)),
        ]
    }
}

extension User {
    /// What is searched beside the name.
    fileprivate var furtherWords: String {
        var words = [
            username, email, address.street, address.city, address.state, address.postcode, address.country,
            department, jobTitle,
        ].compactMap { $0 }
        if let displayName, displayName != name.last, displayName != "\(name.first) \(name.last)" {
            words.append(displayName)
        }
        for contact in emails ?? [] where contact.value != email { words.append(contact.value) }
        return words.joined(separator: " ")
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
    /// Those of any script, as ASCII.
    var decimalDigits: String {
        var digits = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if "0"..."9" ~= scalar {
                digits.append(scalar)
            } else if !scalar.isASCII, scalar.properties.numericType == .decimal,
                let value = scalar.properties.numericValue, let digit = Unicode.Scalar(48 + Int(value))
            {
                digits.append(digit)
            }
        }
        return String(digits)
    }
}

/// JSON with sorted keys: equal values have equal texts.
func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// Decodes what the cache has written. A failure means that the file is damaged.
func decoded<T: Decodable>(_ type: T.Type, from json: String) throws -> T {
    do {
        return try JSONDecoder().decode(type, from: Data(json.utf8))
    } catch {
        throw CacheError.storage("the cache is damaged: it holds a \(type) that can't be read")
    }
}
