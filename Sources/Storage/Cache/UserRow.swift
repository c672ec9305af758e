import FoundationEssentials
import Model
import SQLite

/// A row of `users`: the stored record, and columns to search and sort by.
struct UserRow {
    static let columns = [
        "id", "username", "email", "gender", "nationality", "name_key", "age", "registered_at", "words",
        "record",
    ]

    let values: [Value]

    /// - Parameter folded: removes case and accents, for comparison.
    init(_ user: User, folded: (String) -> String) throws {
        let words = [
            user.name.first, user.name.last, user.username, user.email, user.address.city,
            user.address.country,
        ].compactMap { $0 }.joined(separator: " ")
        let foldedWords = folded(words)
        values = [
            user.id.value, user.username.value, user.email.value, user.gender.value, user.nationality.value,
            // U+0001 sorts before all letters, so that Li comes before Lima.
            .text(alphabetical("\(folded(user.name.last))\u{1}\(folded(user.name.first))")),
            user.age.value, user.registeredAt?.description.value ?? .null,
            .text(words.lowercased() == foldedWords ? words : "\(words) \(foldedWords)"),
            .text(try json(user)),
        ]
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
