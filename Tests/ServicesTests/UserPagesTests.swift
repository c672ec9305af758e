import Foundation
import HTTP
import Model
import Testing
import Upstream

@Suite("Pages of randomuser.me's users")
struct UserPagesTests {
    private func page(of count: Int, seed: String? = #""s d&""#) -> String {
        let users = (0..<count).map { #"{"name": {"last": "N\#($0)"}}"# }.joined(separator: ",")
        return
            #"{"results": [\#(users)], "info": \#(seed.map { #"{"seed": \#($0), "results": 99}"# } ?? "[]")}"#
    }

    @Test(
        "The parameters results and page replace those of the query, which replace those of the address",
        arguments: [
            ("https://u.example/api/", "", "results=2&page=3"),
            ("https://u.example", "results=20&nat=us&seed=999", "results=2&page=3&nat=us&seed=999"),
            ("https://u.example/?page=9&inc=name&nat=de#top", "nat=us", "results=2&page=3&nat=us&inc=name"),
            (
                "https://u.example/?a=1&a=2", "b=x y&c=%C3%A9&d=100%&e=ü&f",
                "results=2&page=3&b=x%20y&c=%C3%A9&d=100%25&e=%C3%BC&f&a=1&a=2"
            ),
            ("https://u.example/", "&&resul%74s=9&x=a#b", "results=2&page=3&x=a%23b"),
        ])
    func addresses(url: String, query: String, expected: String) async throws {
        let stub = Stub(page(of: 0))
        let users = UsersService.stubbed(stub, url: URL(string: url)!, query: query, pages: 9)
        _ = try await users.fetchPage(PageRequest(number: 3))
        #expect(stub.asked.map { $0.url.query(percentEncoded: true) } == [expected])
        #expect(stub.asked.allSatisfy { $0.url.fragment() == nil })
    }

    @Test("Pages use the first page's seed if the settings have none")
    func seed() async throws {
        let stub = Stub(page(of: 2))
        let users = UsersService.stubbed(stub, pages: 3)
        let first = try await users.fetchPage(.first)
        #expect(first.next == PageRequest(number: 2, offset: 2, firstPageRecords: 2, token: "s d&"))
        let second = try await users.fetchPage(try #require(first.next))
        #expect(second.next == PageRequest(number: 3, offset: 4, firstPageRecords: 2, token: "s d&"))
        #expect(stub.addresses.last == "https://users.example/api/?results=2&page=2&seed=s%20d%26")
    }

    @Test(
        "Pages use the settings' own seed, or none",
        arguments: [("seed=999", #""x""#), ("", "null"), ("", nil)])
    func noSeed(query: String, seed: String?) async throws {
        let users = UsersService.stubbed(Stub(page(of: 2, seed: seed)), query: query, pages: 3)
        #expect(
            try await users.fetchPage(.first).next
                == PageRequest(number: 2, offset: 2, firstPageRecords: 2))
    }

    @Test(
        "The list ends with the last allowed page, an empty one, or one that is longer than requested",
        arguments: [
            (1, 3, 2, true, 6), (3, 3, 2, false, 6), (2, 3, 1, true, 6), (2, 3, 0, false, 2),
            (1, 3, 5, false, 5),
            (1, nil, 2, true, nil), (1, Int.max, 2, true, nil), (1, 1, 0, false, 0),
        ] as [(Int, Int?, Int, Bool, Int?)])
    func last(number: Int, pages: Int?, count: Int, goesOn: Bool, total: Int?) async throws {
        let page = try await UsersService.stubbed(Stub(page(of: count)), pages: pages)
            .fetchPage(PageRequest(number: number, offset: (number - 1) * 2))
        #expect((page.next != nil) == goesOn)
        #expect(page.total == total)
        #expect(page.records.count == count)
    }

    @Test("Pages are requested as JSON, with the token if there is one")
    func headers() async throws {
        let stub = Stub(page(of: 0))
        _ = try await UsersService.stubbed(stub, authorization: .token { "s3cret" }).fetchPage(.first)
        _ = try await UsersService.stubbed(stub).fetchPage(.first)
        #expect(stub.asked.map { $0.headers["accept"] } == ["application/json", "application/json"])
        #expect(stub.asked.map { $0.headers["Authorization"] } == ["Bearer s3cret", nil])
    }

    @Test("No page is requested if the token can't be read")
    func tokenUnreadable() async throws {
        struct Unreadable: Error {}
        let stub = Stub(page(of: 0))
        let error = try await thrown {
            try await UsersService.stubbed(stub, authorization: .token { throw Unreadable() })
                .fetchPage(.first)
        }
        #expect(error.failure.message == "there is no token for users.url: Unreadable()")
        #expect(error.failure.kind == .credentials && !error.failure.retryable)
        #expect(stub.asked.isEmpty)
    }
}
