import Foundation
import HTTP
import Model
import Testing
import Upstream

/// Recorded answers of the real services, in a folder next to the repository if it exists.
@Suite("Recorded answers of randomuser.me and catfact.ninja")
struct PayloadTests {
    /// The files' paths; empty, with a notice, if there are none.
    static func files(_ folder: String, _ prefixes: String...) -> [String] {
        let path =
            #filePath.prefix(#filePath.count - "Tests/ServicesTests/PayloadTests.swift".count)
            + "../shared/payloads/" + folder
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: String(path)) else {
            print(
                "No recorded answers at ../shared/payloads/\(folder): what they teach is in the other tests.")
            return []
        }
        return names.filter { name in prefixes.contains { name.hasPrefix($0) } }.sorted().map {
            "\(path)/\($0)"
        }
    }

    private func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// The records as Foundation reads them from the same answer.
    private func records(_ text: String, _ list: String) throws -> [[String: Any]] {
        let top = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        return try #require(top[list] as? [[String: Any]])
    }

    @Test("Users in recorded randomuser answers have all fields that are there")
    func randomuser() async throws {
        for path in Self.files("randomuser", "v1.0", "v1.1", "v1.2-street", "v1.3", "v1.4", "outage") {
            let text = try read(path)
            let users = try await users(text)
            let expected = try records(text, "results")
            #expect(users.count == expected.count, "\(path)")
            for (user, record) in zip(users, expected) {
                let field = { (path: String) in value(record, path) }
                let text = { (path: String) in field(path).map { "\($0)" } }
                #expect(
                    user.name
                        == .init(
                            title: text("name.title"), first: text("name.first")!, last: text("name.last")!))
                #expect(user.username == text("login.username"))
                #expect(user.email == text("email"))
                #expect(user.gender == text("gender"))
                #expect([user.phone, user.cell] == [text("phone"), text("cell")])
                #expect(user.nationality == text("nat"))
                #expect(user.address.city == text("location.city"))
                #expect(user.address.state == text("location.state"))
                #expect(user.address.country == text("location.country"))
                #expect(user.address.postcode == text("location.postcode"))
                #expect(user.address.street?.isEmpty == false)
                #expect((user.address.latitude == nil) == (text("location.coordinates.latitude") == nil))
                #expect(user.address.utcOffset == text("location.timezone.offset"))
                #expect((user.bornAt == nil) == (record["dob"] == nil))
                if let date = text("dob.date") { #expect(user.bornAt == Timestamp(rfc3339: date)) }
                #expect((user.registeredAt == nil) == (record["registered"] == nil))
                #expect(user.picture?.large == text("picture.large"))
                #expect(user.id == text("login.uuid") ?? user.id)
                #expect(!user.id.isEmpty)
            }
            #expect(Set(users.map(\.id)).count == users.count, "\(path)")
        }
    }

    @Test("Recorded randomuser answers without a list of users fail, and the message says where")
    func invalid() async throws {
        for path in Self.files("randomuser", "invalid", "error", "v1.2-single") {
            let error = try await thrown { try await users(read(path)) }
            print(error.failure.message)
            let kind: Failure.Kind =
                path.contains("rate-limit") ? .rateLimited : path.contains("error") ? .http : .decode
            #expect(error.failure.kind == kind, "\(path)")
        }
    }

    @Test("Recorded catfact answers are read")
    func catfact() async throws {
        for path in Self.files("catfact", "facts") {
            let text = try read(path)
            let page = try await FactsService.stubbed(Stub(text)).fetchPage(.first)
            #expect(page.records.map(\.text) == (try records(text, "data").map { $0["fact"] as? String }))
            #expect(page.next?.number == 2)
            #expect(page.total == 332)
        }
        for path in Self.files("catfact", "fact-2024.json") {
            #expect(try await FactsService.stubbed(Stub(read(path))).fetchOne().length == 85)
        }
        for path in Self.files("catfact", "error") {
            let stub = Stub(try read(path), status: 404)
            #expect(
                try await thrown { try await FactsService.stubbed(stub).fetchOne() }.failure.kind == .http)
        }
    }

    @Test("What a recording keeps of recorded answers is read as the same users and facts")
    func recorded() async throws {
        let bodies = try Self.files("randomuser", "v1.0", "v1.1", "v1.2-street", "v1.3", "v1.4", "outage")
            .map(read)
        for body in bodies + [Self.ofEachVersion] {
            let kept = try await kept(body)
            #expect(try await users(kept) == users(body))
            #expect(!kept.contains(#/"(password|salt|md5|sha1|sha256|version)"/#))
        }
        for body in try Self.files("catfact", "facts").map(read) + [Self.facts] {
            let pages = try await [body, kept(body, isOfUsers: false)].asyncMap {
                try await FactsService.stubbed(Stub($0)).fetchPage(.first)
            }
            #expect(pages[0].unversioned == pages[1].unversioned)
            #expect(!pages[0].records.isEmpty)
        }
    }

    /// The part of a page's body that a recording keeps.
    private func kept(_ body: String, isOfUsers: Bool = true) async throws -> String {
        let recording = try await record(Stub(body)) {
            if isOfUsers {
                _ = try await $0.users.fetchPage(.first)
            } else {
                _ = try await $0.facts.fetchPage(.first)
            }
        }
        guard case .answer(let answer)? = recording.exchanges.first?.outcome else {
            throw CocoaError(.coderInvalidValue)
        }
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// A user in the form of each version.
    private static let ofEachVersion = #"""
        {"results": [
        {"gender": "male", "name": {"title": "mr", "first": "a", "last": "b"}, "email": "a@b.example",
         "location": {"street": "1 c", "city": "d", "state": "e", "postcode": 1234}, "dob": 322, "registered": 1,
         "phone": "1", "cell": "2", "id": {"name": "SSN", "value": "123-45-6789"}, "nat": "US",
         "login": {"username": "u", "password": "p", "salt": "s", "md5": "m", "sha1": "s", "sha256": "t"}},
        {"name": {"last": "b"}, "dob": "1970-01-02 03:04:05", "id": 1234, "location": {"postcode": "0278 ZY"}},
        {"name": {"last": "b"}, "dob": {"date": "1970-01-02T03:04:05Z", "age": 30}, "id": "123", "login": null},
        {"name": {"last": "b"}, "dob": {"date": "1970-01-02T03:04:05.678Z", "age": 30}, "id": {"value": null},
         "location": {"street": {"number": 1, "name": "c"}, "country": "f",
         "coordinates": {"latitude": "1.5", "longitude": "-2.5"}, "timezone": {"offset": "+1:00"}},
         "picture": {"large": "https://a.example/1.jpg", "medium": "m", "thumbnail": "t"},
         "login": {"uuid": "7a0eed16-9430-4d68-901f-c0d4c1c3bf00", "username": "v", "password" : "q"}}
        ], "info": {"seed": "abc", "results": 4, "page": 1, "version": "1.4"}}
        """#

    private static let facts = #"""
        {"current_page": 1, "data": [{"fact": "A key is no token: 7.", "length": 21}], "last_page": 2, "total": 2,
         "first_page_url": "https:\/\/a.example\/facts?page=1", "next_page_url": "https:\/\/a.example\/facts?page=2",
         "links": [{"url": null, "label": "Previous", "active": false}], "per_page": "1"}
        """#
}

/// The value at `a.b.c`; nil if it is absent or null.
private func value(_ record: [String: Any], _ path: String) -> Any? {
    var found: Any? = record
    for name in path.split(separator: ".") { found = (found as? [String: Any])?[String(name)] }
    return found is NSNull ? nil : found
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows
        -> [Result]
    {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
