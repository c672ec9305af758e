import Model
import SQLite
import StrictJSON

// The members of records are sorted, as `json(_:)` sorts them, so that no version of userd writes an
// unchanged record again.

extension User {
    private typealias Member = (name: String, write: @Sendable (User, inout JSONObjectWriter) -> Void)

    private static let own: [Member] = [
        ("address", { $1.object("address", $0.address.write) }),
        ("age", { $1.member("age", $0.age) }),
        ("born_at", { $1.member("born_at", $0.bornAt?.description) }),
        ("cell", { $1.member("cell", $0.cell) }),
        ("display_name", { $1.member("display_name", $0.displayName) }),
        ("email", { $1.member("email", $0.email) }),
        ("emails", { $1.objects("emails", $0.emails) { $1.write(to: &$0) } }),
        ("gender", { $1.member("gender", $0.gender) }),
        ("id", { $1.member("id", $0.id) }),
        ("manager", { if let manager = $0.manager { $1.object("manager", manager.write) } }),
        ("name", { $1.object("name", $0.name.write) }),
        ("nationality", { $1.member("nationality", $0.nationality) }),
        ("phone", { $1.member("phone", $0.phone) }),
        ("phones", { $1.objects("phones", $0.phones) { $1.write(to: &$0) } }),
        ("picture", { if let picture = $0.picture { $1.object("picture", picture.write) } }),
        ("registered_at", { $1.member("registered_at", $0.registeredAt?.description) }),
        ("updated_at", { $1.member("updated_at", $0.updatedAt?.description) }),
        ("username", { $1.member("username", $0.username) }),
    ]

    private static let sortedMembers = (own + WorkField.all.map(member)).sorted { $0.name < $1.name }

    private static func member(_ work: WorkField) -> Member {
        (work.name, { $1.member(named: work.name, $0[keyPath: work.path]) })
    }

    /// The user's JSON, as stored and as sent to clients.
    var record: [UInt8] {
        JSONObjectWriter { json in
            for member in Self.sortedMembers { member.write(self, &json) }
        }.json
    }
}

extension User.Address {
    fileprivate func write(to json: inout JSONObjectWriter) {
        json.member("city", city)
        json.member("country", country)
        json.member("latitude", latitude)
        json.member("longitude", longitude)
        json.member("postcode", postcode)
        json.member("state", state)
        json.member("street", street)
        json.member("utc_offset", utcOffset)
    }
}

extension User.Contact {
    fileprivate func write(to json: inout JSONObjectWriter) {
        json.member("kind", kind)
        json.member("value", value)
    }
}

extension User.Manager {
    fileprivate func write(to json: inout JSONObjectWriter) {
        json.member("id", id)
        json.member("name", name)
    }
}

extension User.Name {
    fileprivate func write(to json: inout JSONObjectWriter) {
        json.member("first", first)
        json.member("last", last)
        json.member("title", title)
    }
}

extension User.Picture {
    fileprivate func write(to json: inout JSONObjectWriter) {
        json.member("large", large)
        json.member("medium", medium)
        json.member("thumbnail", thumbnail)
    }
}

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
