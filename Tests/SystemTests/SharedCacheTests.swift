import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

/// Tests what lets an HTTP cache serve many daemons.
@Suite("Many daemons behind an HTTP cache", .timeLimit(.hang))
struct SharedCacheTests {
    @Test("All daemons send the same queries and headers: at first, again, and after a restart")
    func sameRequests() async throws {
        let body = #"{"results": [{"name": {"first": "Ann", "last": "Lee"}, "login": {"uuid": "ann"}}]}"#
        let answer =
            "HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
            + body
        let upstream = try RawServer(answer: answer)
        try await daemon(syncing: upstream, environment: ["TZ": "UTC", "USER": "ann", "HOSTNAME": "a"])
        let first = upstream.requests
        try await daemon(
            syncing: upstream,
            environment: ["TZ": "Asia/Tokyo", "USER": "bob", "HOSTNAME": "b", "LANG": "fr_FR.UTF-8"])
        #expect(first.count == 3)
        #expect(first.map { $0.contains("\r\nIf-None-Match: \"one\"\r\n") } == [false, true, true])
        #expect(Array(upstream.requests.dropFirst(3)) == first)
    }

    /// Runs a daemon on a machine of its own.
    private func daemon(syncing upstream: RawServer, environment: [String: String]) async throws {
        try await onMachine { machine in
            let arguments = machine.arguments(["users.url": upstream.url().absoluteString, "paused": "true"])
            var userd = try machine.start(Program.userd.path, arguments, environment: environment)
            try await userd.line(containing: "Listening")
            for _ in 0..<2 { #expect(try await machine.sync(.users).count == 1) }
            userd.send(SIGTERM)
            try await userd.ended()
            userd = try machine.start(Program.userd.path, arguments, environment: environment)
            try await userd.line(containing: "Listening")
            #expect(try await machine.sync(.users).count == 1)
        }
    }
}
