import Foundation
import HTTP
import Model
import StrictJSON
import Synchronization
import Testing

@testable import Upstream

@Suite("Answers with the same bytes")
struct SameAnswerTests {
    private static let body = #"{"results": [{"name": {"last": "N"}}, {"name": {"last": "M"}}]}"#

    @Test("An answer with the same bytes is not read again, but gives its new validators")
    func validators() async throws {
        let tag = Mutex(#""a""#)
        let stub = Stub { _ in
            HTTPResponse(
                status: 200, headers: ["ETag": tag.withLock { $0 }], body: Array(Self.body.utf8))
        }
        let users = UsersService.stubbed(stub)
        var known = try #require(try await users.fetchPage(.first).known)
        tag.withLock { $0 = #""b""# }
        let answer = try await users.fetchPage(.first, known)
        known.validators.etag = #""b""#
        #expect(answer == .unchanged(known))
    }

    @Test(
        "The same answer is read again if anything that its reading depends on has changed",
        arguments: [PageRequest(number: 1, offset: 1), PageRequest(number: 1, firstPageRecords: 3)])
    func place(of page: PageRequest) async throws {
        let users = UsersService.stubbed(Stub(Self.body))
        let known = try await users.fetchPage(.first).known
        #expect(try await users.fetchPage(.first, known).isUnchanged)
        #expect(try await !users.fetchPage(page, known).isUnchanged)
    }

    @Test("The same answer is read again if its header names another next page")
    func link() async throws {
        let next = Mutex("<https://users.example/api/?page=2>; rel=next")
        let stub = Stub { _ in
            HTTPResponse(status: 200, headers: ["Link": next.withLock { $0 }], body: Array(Self.body.utf8))
        }
        let users = UsersService.stubbed(stub)
        let known = try await users.fetchPage(.first).known
        #expect(try await users.fetchPage(.first, known).isUnchanged)
        next.withLock { $0 = "<https://users.example/api/?page=3>; rel=next" }
        #expect(try await !users.fetchPage(.first, known).isUnchanged)
    }

    @Test("The same answer with other settings is read again")
    func settings() async throws {
        let known = try await UsersService.stubbed(Stub(Self.body)).fetchPage(.first).known
        #expect(
            try await !UsersService.stubbed(Stub(Self.body), query: "seed=1").fetchPage(.first, known)
                .isUnchanged)
    }

    @Test("A page that was cached before users had a new field is read again")
    func members() {
        let settings = UpstreamSettings(url: api, pageSize: 2)
        func key(_ members: [String]) -> String {
            Digest.pageKey(HTTPRequest(url: api), format: "scim", settings, on: nil, members: members)
        }
        #expect(key(User.members) == key(User.members))
        #expect(key(User.members) != key(User.members.filter { $0 != "office" }))
    }

    @Test("The records of an answer with the same bytes are not read")
    func notRead() async throws {
        let records = CountedRecords()
        let pages = PageReader(
            try .builtIn("randomuser"), UpstreamSettings(url: api, pageSize: 2, pages: 1), records)
        let upstream = Upstream(transport: Stub(Self.body).transport, now: { now })
        let known = try await upstream.fetchPage(.first, with: pages, known: nil).known
        for _ in 0..<3 {
            #expect(try await upstream.fetchPage(.first, with: pages, known: known).isUnchanged)
        }
        #expect(records.count.load(ordering: .relaxed) == 2)
    }
}

private final class CountedRecords: RecordsReader {
    let reader = RecordReader()
    let pointers: [Pointer] = []
    let count = Atomic(0)

    func read(_: JSONRecord, from _: URL, into _: inout Page<User>) {
        count.add(1, ordering: .relaxed)
    }
}
