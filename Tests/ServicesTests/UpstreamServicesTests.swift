import DemoUpstream
import Foundation
import HTTP
import HTTPClient
import Model
import Testing
import Upstream

@Suite("The services against the demo upstream")
struct UpstreamServicesTests {
    @Test(
        "Users of all nationalities come page by page to the last, with the seed of the first page"
    )
    func users() async throws {
        try await withUpstream(users: 250) { upstream, http in
            let service = try UsersService.live(
                randomuser(settings(upstream, "/api/", pageSize: 100, pages: 9)), transport: http)
            var users: [User] = []
            var next: PageRequest? = .first
            while let request = next {
                let page = try await service.fetchPage(request)
                users += page.records
                next = page.next
            }
            #expect(users.count == 250 && Set(users.map(\.id)).count == 250)
            #expect(Set(users.compactMap(\.nationality)).count >= 11)
            #expect(users.allSatisfy { !$0.name.last.isEmpty })
            // The last page is empty: a short one ends nothing.
            #expect(upstream.requests(for: "/api") == 4)
            let seeds = upstream.recentRequests.map {
                URLComponents(string: $0.uri)?.queryItems?.first { $0.name == "seed" }?.value
            }
            #expect(seeds[0] == nil && seeds[1] != nil && seeds[1] == seeds[2])
        }
    }

    @Test("Facts come page by page to the last, and one by itself")
    func facts() async throws {
        try await withUpstream { upstream, http in
            let service = try FactsService.live(
                catfact(settings(upstream, "/facts?max_length=90", pageSize: 25)), transport: http,
                one: URL(string: upstream.url("/fact")))
            var facts: [NewFact] = []
            var next: PageRequest? = .first
            while let request = next {
                let page = try await service.fetchPage(request)
                #expect(page.total != nil)
                facts += page.records
                next = page.next
            }
            #expect(facts.count > 50 && facts.allSatisfy { $0.length <= 90 && $0.length == $0.text.count })
            // The paginator's own address of the next page lacks both.
            #expect(
                upstream.recentRequests.allSatisfy {
                    $0.uri.contains("limit=25") && $0.uri.contains("max_length=90")
                })
            #expect(try await !service.fetchOne().text.isEmpty)
        }
    }

    @Test("A portrait is the picture that the user's record names")
    func pictures() async throws {
        try await withUpstream { upstream, http in
            let base = try #require(URL(string: upstream.url("/api/")))
            let users = try UsersService.live(
                randomuser(settings(upstream, "/api/", pageSize: 1, pages: 1)), transport: http)
            let user = try #require(try await users.fetchPage(.first).records.first)
            let address = try #require(user.picture?.thumbnail)
            let pictures = PicturesService.live(transport: http, upstream: base)
            try await upstream.setFaults([Fault(.etag)])
            guard case .picture(let picture) = try await pictures.fetch(address, nil) else {
                Issue.record("nothing was known")
                return
            }
            #expect(picture.contentType == "image/png")
            #expect(picture.content.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            #expect(picture.validators?.etag != nil)
            #expect(try await pictures.fetch(address, picture.validators) == .unchanged)
        }
    }

    @Test(
        "Each fault is reported by its kind",
        arguments: [
            (Fault.Kind.status(503, retryAfter: "7"), Failure.Kind.rateLimited), (.status(500), .http),
            (.status(404), .http), (.truncate, .offline), (.reset, .offline), (.rubbish(.html), .decode),
            (.rubbish(.bytes), .http), (.errorBody(.documented), .http),
            (.errorBody(.rateLimit), .rateLimited),
            (.down, .offline), (.stall, .timeout), (.endless, .tooLarge), (.gzipBomb, .tooLarge),
            (.redirect(location: "https://127.0.0.1/"), .redirect),
        ] as [(Fault.Kind, Failure.Kind)])
    func faults(fault: Fault.Kind, kind: Failure.Kind) async throws {
        try await withUpstream(deadline: fault == .stall ? .seconds(1) : .seconds(120)) {
            upstream, http in
            let service = try UsersService.live(
                randomuser(settings(upstream, "/api/", pageSize: 5)), transport: http)
            try await upstream.setFaults([Fault(fault)])
            let error = try await thrown { try await service.fetchPage(.first) }
            #expect(error.failure.kind == kind, "\(error)")
            #expect(
                error.retryAfter
                    == (kind == .rateLimited && fault != .errorBody(.rateLimit) ? .seconds(7) : nil))
            try await upstream.setFaults([])
            #expect(try await service.fetchPage(.first).records.count == 5)
        }
    }

    @Test("A compressed answer is read like any other")
    func gzip() async throws {
        try await withUpstream { upstream, http in
            let service = try UsersService.live(
                randomuser(settings(upstream, "/api/?seed=a", pageSize: 5)), transport: http)
            let plain = try await service.fetchPage(.first)
            try await upstream.setFaults([Fault(.gzip)])
            #expect(try await service.fetchPage(.first) == plain)
        }
    }

    private func settings(
        _ upstream: DemoUpstream, _ path: String, pageSize: Int, pages: Int? = nil
    ) throws -> UpstreamSettings {
        UpstreamSettings(url: try #require(URL(string: upstream.url(path))), pageSize: pageSize, pages: pages)
    }

    private func withUpstream(
        users: Int? = nil, deadline: Duration = .seconds(20),
        _ body: (DemoUpstream, HTTPTransport) async throws -> Void
    ) async throws {
        var configuration = DemoUpstream.Configuration()
        configuration.users = users
        try await withDemoUpstream(configuration) { upstream in
            try await withHTTP(deadline: deadline) { try await body(upstream, $0) }
        }
    }
}
