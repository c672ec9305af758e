import FoundationEssentials
import Model
import SQLite

/// A user as the cache keeps it: the finished record, and beside it what is searched and sorted on.
struct UserRow {
    static let columns = [
        "id", "username", "email", "gender", "nationality", "name_key", "age", "registered_at", "words",
        "record",
    ]

    let values: [Value]

    /// - Parameter folded: text as it is compared where case and accents do not count.
    init(_ user: User, folded: (String) -> String) throws {
        let words = [
            user.name.first, user.name.last, user.username, user.email, user.address.city,
            user.address.country,
        ].compactMap { $0 }.joined(separator: " ")
        let foldedWords = folded(words)
        values = [
            user.id.value, user.username.value, user.email.value, user.gender.value, user.nationality.value,
            // U+0001 sorts before every letter: Li comes before Lima.
            .text(alphabetical("\(folded(user.name.last))\u{1}\(folded(user.name.first))")),
            user.age.value, user.registeredAt?.description.value ?? .null,
            .text(words.lowercased() == foldedWords ? words : "\(words) \(foldedWords)"),
            .text(try json(user)),
        ]
    }
}

/// Keys are sorted, so that equal values have equal texts.
func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// What the cache wrote itself: where that can't be read, the file is damaged.
func decoded<T: Decodable>(_ type: T.Type, from json: String) throws -> T {
    do {
        return try JSONDecoder().decode(type, from: Data(json.utf8))
    } catch {
        throw CacheError.storage("the cache is damaged: it holds a \(type) that can't be read")
    }
}
