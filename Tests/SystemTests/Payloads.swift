import Foundation
import Model
import Testing

/// An answer of an upstream, recorded or written for the test.
struct Payload: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String

    var testDescription: String { name }

    /// Recorded answers of the real services whose names begin with one of the prefixes. They are next to the
    /// repository; where they are missing, this says so and returns none.
    static func recorded(_ folder: String, _ prefixes: String...) -> [Payload] {
        let root = #filePath.prefix(#filePath.count - "Tests/SystemTests/Payloads.swift".count)
        let path = "\(root)../shared/payloads/\(folder)"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            print(
                "No recorded answers at ../shared/payloads/\(folder); the tests have short versions of them."
            )
            return []
        }
        return names.filter { name in prefixes.contains { name.hasPrefix($0) } }.sorted().compactMap { name in
            (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)).map {
                Payload(name: name, text: $0)
            }
        }
    }

    /// The records of a list, as Foundation reads them.
    func records(_ list: String) throws -> [[String: Any]] {
        let top = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require((top as? [String: Any])?[list] as? [[String: Any]] ?? top as? [[String: Any]])
    }
}

/// A user's fields by their paths in io.userd, each as text.
typealias Fields = [String: String]

extension User {
    var fields: Fields {
        get throws {
            var fields: Fields = [:]
            func add(_ value: Any, _ path: String) {
                if let object = value as? [String: Any] {
                    for (name, value) in object { add(value, path.isEmpty ? name : "\(path).\(name)") }
                } else {
                    fields[path] = "\(value)"
                }
            }
            add(try JSONSerialization.jsonObject(with: try JSONEncoder().encode(self)), "")
            return fields
        }
    }
}

/// The fields that io.userd should have for a record of randomuser.me.
func expectedFields(_ record: [String: Any]) throws -> Fields {
    func value(_ path: String) -> Any? {
        var found: Any? = record
        for name in path.split(separator: ".") { found = (found as? [String: Any])?[String(name)] }
        return found is NSNull ? nil : found
    }
    func text(_ path: String) -> String? { value(path).map { "\($0)" } }
    var fields: Fields = [:]
    for (field, path) in [
        ("id", "login.uuid"), ("username", "login.username"), ("name.title", "name.title"),
        ("name.first", "name.first"), ("name.last", "name.last"), ("gender", "gender"), ("email", "email"),
        ("phone", "phone"), ("cell", "cell"), ("age", "dob.age"), ("address.city", "location.city"),
        ("address.state", "location.state"), ("address.postcode", "location.postcode"),
        ("address.country", "location.country"), ("address.utc_offset", "location.timezone.offset"),
        ("picture.large", "picture.large"), ("picture.medium", "picture.medium"),
        ("picture.thumbnail", "picture.thumbnail"),
    ] {
        fields[field] = text(path)
    }
    fields["nationality"] = text("nat")?.uppercased()
    for degrees in ["latitude", "longitude"] {
        fields["address.\(degrees)"] = text("location.coordinates.\(degrees)").flatMap(Double.init).map {
            "\($0)"
        }
    }
    if let name = text("location.street.name"), let number = text("location.street.number") {
        fields["address.street"] = "\(number) \(name)"
    } else {
        fields["address.street"] = text("location.street")
    }
    for (field, path) in [("born_at", "dob"), ("registered_at", "registered")] {
        guard let value = value("\(path).date") ?? value(path), !(value is [String: Any]) else { continue }
        if let seconds = value as? Int {
            fields[field] = Timestamp(milliseconds: Int64(seconds) * 1000).description
        } else {
            let written = "\(value)".replacingOccurrences(of: " ", with: "T")
            let time = Timestamp(rfc3339: written.hasSuffix("Z") ? written : written + "Z")
            fields[field] = try #require(time, "\(value)").description
        }
    }
    return fields
}
