import Foundation
import HTTP
import Model
import Synchronization
import Testing
import Upstream

@testable import Cache
@testable import Sync

@Suite("Lists in the formats of upstreams")
struct ListingTests {
    private let schedule = Schedule(interval: .seconds(60))
    private let settings: UpstreamSettings

    init() throws {
        settings = UpstreamSettings(
            url: try #require(URL(string: "https://upstream.example/")), pageSize: 10, pages: 3)
    }

    private func cache(maximumFacts: Int = 10_000) async throws -> Cache {
        try await Cache.live(
            path: ":memory:", newEpoch: "e", now: { began }, random: { $0.lowerBound }
        ) {
            $0.maximumFacts = maximumFacts
        }
    }

    /// An upstream that answers each page's number with a body.
    private func transport(_ body: @escaping @Sendable (Int) -> String) -> HTTPTransport {
        HTTPTransport { request in
            let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
            let page = items.first { $0.name == "page" }?.value.flatMap { Int($0) } ?? 0
            return HTTPResponse(status: 200, body: Array(body(page).utf8))
        }
    }

    private func users(_ range: Range<Int>, info: String = "") -> String {
        let users = range.map { #"{"login": {"uuid": "u\#($0)"}, "name": {"last": "N"}}"# }
        return #"{"results": [\#(users.joined(separator: ","))]\#(info)}"#
    }

    private func facts(_ range: Range<Int>, next: Int?) -> String {
        let facts = range.map { #"{"fact": "Fact \#($0)"}"# }.joined(separator: ",")
        return #"{"data": [\#(facts)], "next_page_url": \#(next.map { #""/?page=\#($0)""# } ?? "null")}"#
    }

    private func sync(_ plan: SyncPlan, into cache: Cache, _ number: Int) async throws -> RowChanges? {
        try await cache.writer.beginStaging(plan.resource, number)
        _ = try await plan.stage(number, SyncStart(readAt: began, now: began), nil) { _ in }
        return try await cache.commit(plan.resource, number)
    }

    @Test(
        "Users are read page by page, whatever upstream says about its pages",
        arguments: [
            "", #", "info": null"#, #", "info": {"results": 1, "page": 99, "version": 7}"#,
            #", "info": "none""#,
            #", "info": {"seed": 17}"#,
        ])
    func info(info: String) async throws {
        let cache = try await cache()
        let service = UsersService.live(
            try .users(.builtIn("randomuser"), settings, now: { began }),
            transport: transport { users($0 * 10..<$0 * 10 + 10, info: info) })
        let plan = SyncPlan.users(
            service, into: cache.writer, schedule: schedule, removals: RemovalGuard(limit: 0.5))
        #expect(try await sync(plan, into: cache, 1) == RowChanges(added: 30, before: 0, after: 30))
    }

    @Test(
        "A shorter page of users does not end the list; an empty one does, and the guard checks removals"
    )
    func shorter() async throws {
        let short = Mutex<[Int: Int]>([:])
        let cache = try await cache()
        let service = UsersService.live(
            try .users(.builtIn("randomuser"), settings, now: { began }),
            transport: transport { page in
                users(page * 10..<page * 10 + (short.withLock { $0[page] } ?? 10))
            })
        let plan = SyncPlan.users(
            service, into: cache.writer, schedule: schedule, removals: RemovalGuard(limit: 0.5))
        _ = try await sync(plan, into: cache, 1)
        short.withLock { $0 = [2: 9] }
        #expect(try await sync(plan, into: cache, 2) == RowChanges(removed: 1, before: 30, after: 29))
        short.withLock { $0 = [:] }
        _ = try await sync(plan, into: cache, 3)
        short.withLock { $0 = [2: 0] }
        let refused = try #require(try await sync(plan, into: cache, 4))
        #expect(refused == RowChanges(removed: 20, before: 30, after: 10))
        #expect(plan.refusal(refused, nil)?.failure.kind == .removalGuard)
    }

    @Test(
        "A list of facts with a short page in its middle is read to its end"
    )
    func grows() async throws {
        let cache = try await cache()
        let service = FactsService.live(
            try .facts(.builtIn("catfact"), UpstreamSettings(url: settings.url, pageSize: 10)),
            transport: transport { page in
                facts(page * 10..<page * 10 + (page == 2 ? 3 : 10), next: page < 5 ? page + 1 : nil)
            }, one: settings.url)
        let plan = SyncPlan.facts(
            service, into: cache.writer, schedule: schedule, maximum: 1000, now: { began })
        #expect(try await sync(plan, into: cache, 1) == RowChanges(added: 43, before: 0, after: 43))
    }

    @Test("If upstream has more facts than are kept, a second sync changes none")
    func moreThanAreKept() async throws {
        let cache = try await cache(maximumFacts: 25)
        let service = FactsService.live(
            try .facts(.builtIn("catfact"), UpstreamSettings(url: settings.url, pageSize: 10)),
            transport: transport { facts($0 * 10..<$0 * 10 + 10, next: $0 + 1) }, one: settings.url)
        let plan = SyncPlan.facts(
            service, into: cache.writer, schedule: schedule, maximum: 25, now: { began })
        #expect(try await sync(plan, into: cache, 1) == RowChanges(added: 25, before: 0, after: 25))
        #expect(try await sync(plan, into: cache, 2) == RowChanges(before: 25, after: 25))
    }
}
