import Foundation
import HTTP
import Model
import Synchronization
import Testing

@testable import Upstream

@Suite("Users' ages")
struct AgeTests {
    @Test(
        "Only an answer with birthdays is read again on another day, and then requested whole",
        arguments: [true, false], [true, false])
    func anotherDay(tellsBirthdays: Bool, hasTag: Bool) async throws {
        let format = try DirectoryFormat(
            name: "people",
            yaml: Array("fields: {id: /id, family: /name\(tellsBirthdays ? ", born_at: /born" : "")}".utf8),
            fields: UserField.all.map(\.name))
        let today = Mutex(Timestamp(milliseconds: 1_770_000_000_000))
        let users = UsersService.live(
            .users(
                format, UpstreamSettings(url: URL(string: "https://people.example/")!, pageSize: 2),
                now: { today.withLock { $0 } }),
            transport: HTTPTransport { request in
                if request.headers["If-None-Match"] != nil { return HTTPResponse(status: 304) }
                return HTTPResponse(
                    status: 200, headers: hasTag ? ["ETag": #""e""#] : [:],
                    body: Array(#"[{"id": "1", "name": "N", "born": "2000-02-03"}]"#.utf8))
            },
            now: { today.withLock { $0 } })
        let known = try #require(try await users.fetchPage(.first, nil).known)
        today.withLock { $0 = $0 + .seconds(60) }
        #expect(try await users.fetchPage(.first, known) == .unchanged(known))
        today.withLock { $0 = $0 + .seconds(86_400) }
        let answer = try await users.fetchPage(.first, known)
        #expect((answer == .unchanged(known)) == !tellsBirthdays)
    }
}
