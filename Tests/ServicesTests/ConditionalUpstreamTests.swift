import DemoUpstream
import DirectoryFormats
import Foundation
import Model
import Services
import Testing

@Suite("Pages that are asked for again, over HTTP")
struct ConditionalUpstreamTests {
    @Test(
        "are sent once, and again only where they have changed",
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

    @Test("are unchanged with a 304 that sends us elsewhere, where nobody goes")
    func location() async throws {
        try await withUsers { upstream, users in
            try await upstream.setFaults([Fault(.etag)])
            let known = try await users.fetchPage(.first).known
            try await upstream.setFaults([Fault(.redirect(location: upstream.url("/facts"), status: 304))])
            #expect(try await users.fetchPage(.first, known).isUnchanged)
            #expect(upstream.requests(for: "/facts") == 0)
        }
    }

    @Test("are asked for once more after a 304 that nobody asked for, and only once")
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

    @Test("are told apart by what is in them where upstream tells no versions")
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

    /// Six people, two to a page.
    private func withUsers(_ body: (DemoUpstream, UsersService) async throws -> Void) async throws {
        var configuration = DemoUpstream.Configuration()
        configuration.users = 6
        try await withDemoUpstream(configuration) { upstream in
            let url = try #require(URL(string: upstream.url("/api/?seed=s")))
            try await withHTTP { http in
                try await body(
                    upstream,
                    .live(randomuser, transport: http, settings: UpstreamSettings(url: url, pageSize: 2)))
            }
        }
    }
}
