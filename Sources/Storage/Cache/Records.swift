import Model
import SQLite
import StrictJSON

// The members of records are sorted, as those that `json(_:)` writes are: a record whose bytes are the same is not written
// again, in any version.

extension User {
    /// As it is stored and answered.
    var record: [UInt8] {
        JSONObjectWriter { json in
            json.object("address", address.write)
            json.member("age", age)
            json.member("born_at", bornAt?.description)
            json.member("cell", cell)
            json.member("company", company)
            json.member("department", department)
            json.member("display_name", displayName)
            json.member("email", email)
            json.objects("emails", emails) { $1.write(to: &$0) }
            json.member("employee_number", employeeNumber)
            json.member("gender", gender)
            json.member("id", id)
            json.member("job_title", jobTitle)
            if let manager { json.object("manager", manager.write) }
            json.object("name", name.write)
            json.member("nationality", nationality)
            json.member("phone", phone)
            json.objects("phones", phones) { $1.write(to: &$0) }
            if let picture { json.object("picture", picture.write) }
            json.member("registered_at", registeredAt?.description)
            json.member("updated_at", updatedAt?.description)
            json.member("username", username)
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

/// Decodes what the cache has written. A failure means that the file is damaged.
func decoded<T: Decodable>(_ type: T.Type, from json: String) throws -> T {
    do {
        return try JSONValue(validating: Array(json.utf8), maximumDepth: 8).decode(type)
    } catch {
        let member = (error as? DecodingError)?.member.map { ": \($0)" } ?? ""
        throw SQLiteError.damage("a \(type) can't be read\(member)")
    }
}

extension DecodingError {
    /// Where the value is that can't be decoded; nil if it is the whole.
    fileprivate var member: String? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.isEmpty ? nil : context.codingPath.map(\.stringValue).joined(separator: ".")
        @unknown default: nil
        }
    }
}
