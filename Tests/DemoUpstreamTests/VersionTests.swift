import DemoUpstream
import Foundation
import Testing

@Suite struct VersionTests {
    @Test(arguments: ["/api/?seed=s", "/facts?page=2", "/portraits/men/1.png"])
    func anETagHoldsUntilAnEdit(uri: String) async throws {
        try await withTenPeople(.etag) { upstream in
            let first = try await upstream.get(uri)
            let tag = try #require(first.header("etag"))
            let second = try await upstream.get(uri, headers: ["If-None-Match": "\"x\", \(tag)"])
            #expect(second.status == 304)
            #expect(second.header("etag") == tag)
            #expect(second.body.isEmpty)
            #expect(try await upstream.get(uri, headers: ["If-None-Match": "\"x\""]).status == 200)
            #expect(upstream.unchangedCount == 1)
            try upstream.edit(Edit(changed: .first(1)))
            let third = try await upstream.get(uri, headers: ["If-None-Match": tag])
            #expect(third.status == (uri.hasPrefix("/api") ? 200 : 304))
        }
    }

    @Test(arguments: ["/api/?seed=s", "/facts?page=2", "/portraits/men/1.png"])
    func aLastModifiedHoldsUntilAnEdit(uri: String) async throws {
        try await withTenPeople(.lastModified) { upstream in
            let first = try await upstream.get(uri)
            let date = try #require(first.header("last-modified"))
            #expect(date.wholeMatch(of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 200\d \d\d:\d\d:\d\d GMT/) != nil)
            #expect(try #require(first.header("date")).hasSuffix(" GMT"))
            let since = ["If-Modified-Since": date]
            let second = try await upstream.get(uri, headers: since)
            #expect(second.status == 304 && second.body.isEmpty)
            // A tag takes precedence over a date.
            let tagged = since.merging(["If-None-Match": "\"x\""]) { first, _ in first }
            #expect(try await upstream.get(uri, headers: tagged).status == 200)
            try upstream.edit(Edit(changed: .first(1)))
            let third = try await upstream.get(uri, headers: since)
            #expect(third.status == (uri.hasPrefix("/api") ? 200 : 304))
            #expect((third.header("last-modified") == date) == (third.status == 304))
        }
    }

    @Test(arguments: [
        (Edit(changed: .records([4])), [true, false, true]),
        (Edit(removed: .records([4])), [true, false, false]),
        (Edit(added: 1), [true, true, false]),
        (Edit(changed: .records([0]), removed: .records([9])), [false, true, false]),
        (Edit(removed: .records([])), [true, true, true]),
    ])
    func anEditIsAnotherVersionOfThePagesThatItChanged(edit: Edit, isSame: [Bool]) async throws {
        try await withTenPeople(.etag) { upstream in
            let pages = (1...3).map { "/api/?seed=s&results=4&page=\($0)" }
            // Edits before the first requests do not count.
            try upstream.edit(Edit(added: 1, changed: .records([5, 5]), removed: .records([8])))
            var tags: [String] = []
            for page in pages { tags.append(try #require(try await upstream.get(page).header("etag"))) }
            try upstream.edit(edit)
            var same: [Bool] = []
            for page in pages {
                same.append(tags.contains(try await upstream.get(page).header("etag") ?? ""))
            }
            #expect(same == isSame)
        }
    }

}

private func withTenPeople(
    _ faults: Fault.Kind..., body: (DemoUpstream) async throws -> Void
) async throws {
    var configuration = DemoUpstream.Configuration()
    configuration.users = 10
    configuration.faults = faults.map { Fault($0) }
    try await withDemoUpstream(configuration, body)
}
