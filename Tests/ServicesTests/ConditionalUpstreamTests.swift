import DemoUpstream
import Foundation
import Model
import Testing
import Upstream

@Suite("Conditional requests over HTTP")
struct ConditionalUpstreamTests {
    @Test(
        "Pages are sent once, and again only after a change",
        arguments: [[Fault.Kind.etag], [.lastModified], [.etag, .lastModified], [.etag, .gzip]])
    func unchanged(faults: [Fault.Kind]) async throws {
        try await withUsers { upstream, users in
            try await upstream.setFaults(faults.map { Fault($0) })
            let first = try await users.fetchPage(.first)
            let second = try await users.fetchPage(PageRequest(number: 2))
            #expect((first.known?.validators.etag != nil) == faults.contains(.etag))
            #expect((first.known?.validators.lastModified != nil) == faults.contains(.lastModified))
            try upstream.edit(Edit(changed: .records([3])))
            #expect(try await users.fetchPage(.first, first.known).isUnchanged)
            let changed = try await users.fetchPage(PageRequest(number: 2), second.known).whole
            #expect(changed.records != second.records && changed.known != second.known)
        }
    }

    @Test("A page is unchanged after a 304 with a Location, which is not followed")
    func location() async throws {
        try await withUsers { upstream, users in
            try await upstream.setFaults([Fault(.etag)])
            let known = try await users.fetchPage(.first).known
            try await upstream.setFaults([Fault(.redirect(location: upstream.url("/facts"), status: 304))])
            #expect(try await users.fetchPage(.first, known).isUnchanged)
            #expect(upstream.requests(for: "/facts") == 0)
        }
    }

    @Test("After an unexpected 304 a page is requested once more, and only once")
    func unasked() async throws {
        try await withUsers { upstream, users in
            try await upstream.setFaults([Fault(.status(304), times: 1)])
            #expect(try await users.fetchPage(.first).records.count == 2)
            upstream.forgetRequests()
            try await upstream.setFaults([Fault(.status(304))])
            let error = try await thrown { try await users.fetchPage(.first) }
            #expect(error.failure.kind == .http && error.failure.httpStatus == 304)
            #expect(upstream.requests() == 2)
        }
    }

    @Test("Without validators, changed pages are recognised by their content")
    func withoutValidators() async throws {
        try await withUsers { upstream, users in
            let page = try await users.fetchPage(.first)
            #expect(page.known?.validators == Validators())
            #expect(try await users.fetchPage(.first, page.known).isUnchanged)
            try upstream.edit(Edit(changed: .records([1])))
            let changed = try await users.fetchPage(.first, page.known).whole
            #expect(changed.records != page.records && changed.known != page.known)
        }
    }

    /// Six people, two on each page.
    private func withUsers(_ body: (DemoUpstream, UsersService) async throws -> Void) async throws {
        var configuration = DemoUpstream.Configuration()
        configuration.users = 6
        try await withDemoUpstream(configuration) { upstream in
            let url = try #require(URL(string: upstream.url("/api/?seed=s")))
            try await withHTTP { http in
                try await body(
                    upstream,
                    .live(randomuser(UpstreamSettings(url: url, pageSize: 2)), transport: http))
            }
        }
    }
}
