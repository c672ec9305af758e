import Model
import SQLite
import StrictJSON

/// Writes users' records. Their members are sorted, as `json(_:)` sorts them, so that no version of userd writes an
/// unchanged record again.
struct UserRecordWriter: Sendable {
    private typealias Write = @Sendable (inout User, inout JSONObjectWriter) -> Void

    private let members: [Write]

    init(_ fields: [UserField]) {
        members = Dictionary(grouping: fields) { $0.object ?? $0.name }.sorted { $0.key < $1.key }.map {
            $1[0].object == nil ? Self.member($1[0], named: $0) : Self.object($0, of: $1)
        }
    }

    private static func object(_ name: String, of fields: [UserField]) -> Write {
        let parts = fields.sorted { $0.path < $1.path }.map {
            member($0, named: String($0.path.dropFirst(name.count + 1)))
        }
        let exists: @Sendable (User) -> Bool =
            switch name {
            case "manager": { $0.manager != nil }
            case "picture": { $0.picture != nil }
            default: { _ in true }
            }
        let name = JSONName(name)
        return { user, json in
            if exists(user) { json.object(name) { json in for part in parts { part(&user, &json) } } }
        }
    }

    private static func member(_ field: UserField, named name: String) -> Write {
        let name = JSONName(name)
        return switch field.kind {
        case .required(let path): { $1.member(name, $0.value(at: path)) }
        case .text(let path): { $1.member(name, $0.value(at: path)) }
        case .date(let path): { $1.member(name, $0.value(at: path)?.description) }
        case .count(let path): { $1.member(name, $0.value(at: path)) }
        case .number(let path): { $1.member(name, $0.value(at: path)) }
        case .contacts(let path):
            {
                $1.objects(name, $0.value(at: path)) { json, contact in
                    json.member(contactKind, contact.kind)
                    json.member(contactValue, contact.value)
                }
            }
        }
    }

    /// The user's JSON, as stored and as sent to clients.
    func json(_ user: User) -> [UInt8] {
        var user = user
        return JSONObjectWriter { json in
            for member in members { member(&user, &json) }
        }.json
    }
}

private let (contactKind, contactValue) = (JSONName("kind"), JSONName("value"))

/// JSON with sorted keys: equal values have equal texts.
func json(_ value: some Encodable) throws -> String {
    String(decoding: try StrictJSON.encode(value), as: UTF8.self)
}

/// Decodes JSON that the cache has written. Throws `CacheError.storage`: one record that can't be read is not the
/// damage of all.
func decoded<T: Decodable>(_ type: T.Type, from json: String) throws -> T {
    do {
        return try JSONValue(validating: Array(json.utf8), maximumDepth: 8).decode(type)
    } catch {
        let member = (error as? DecodingError)?.member.map { ": \($0)" } ?? ""
        throw CacheError.storage("a \(type) can't be read\(member)")
    }
}

extension DecodingError {
    /// The path of the value that can't be decoded; nil for the whole document.
    fileprivate var member: String? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.isEmpty ? nil : context.codingPath.map(\.stringValue).joined(separator: ".")
        @unknown default: nil
        }
    }
}
