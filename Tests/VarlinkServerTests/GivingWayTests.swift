import TestSupport
import Testing
import Varlink
import VarlinkServer

/// Clients that lose their connection to others.
@Suite(.timeLimit(.hang)) struct GivingWayTests {
    private let echo = #"{"method":"org.example.Echo"}"#
    private let block = #"{"method":"org.example.Block"}"#
    private let empty = #"{"parameters":{}}"#
    private let denied = #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#

    private func limits(connections: Int) -> Limits {
        var limits = Limits()
        limits.connections = connections
        // A client beyond the limit has this long to send something, also on a busy machine.
        limits.requestDeadline = .seconds(1)
        return limits
    }

    private func blocked(_ path: String, _ backstage: Backstage) async throws -> RawPeer {
        let peer = try RawPeer(path)
        try peer.send(block)
        while await backstage.next() != "blocked" {}
        return peer
    }

    private func answered(_ path: String) async throws -> RawPeer {
        let peer = try RawPeer(path)
        try peer.send(echo, echo)
        #expect(try await peer.receive(2) == [empty, empty])
        return peer
    }

    /// Returns when a request's deadline has passed since the call, and since each earlier event.
    private func deadline(_ path: String) async throws {
        let slow = try RawPeer(path)
        try slow.send(bytes: Array(echo.utf8))
        #expect(try await slow.receiveAll() == [])
    }

    @Test("The idle client that was silent for longest gives way to a new one")
    func idle() async throws {
        try await withServer(limits: limits(connections: 4)) { path, backstage in
            let waiting = try await blocked(path, backstage)
            let first = try await answered(path)
            let second = try await answered(path)
            try await deadline(path)
            let third = try await answered(path)
            let new = try await answered(path)
            #expect(try await first.receiveAll() == [])
            for peer in [second, third, new] {
                try peer.send(echo)
                #expect(try await peer.receive(1) == [empty])
            }
            backstage.open()
            #expect(try await waiting.receive(1) == [empty])
        }
    }

    @Test("A client that does not read its replies gives way, even with an open call")
    func unread() async throws {
        try await withServer(limits: limits(connections: 3)) { path, backstage in
            let waiting = try await blocked(path, backstage)
            let unread = try RawPeer(path)
            try unread.send(#"{"method":"org.example.Flood","more":true}"#)
            try await untilStalled(backstage, path)
            try await deadline(path)
            let alsoWaiting = try await blocked(path, backstage)
            let new = try await answered(path)
            // The bytes that the kernel had taken, and the end.
            #expect(try await onThread { try unread.receive(bytes: .max).count } < 600_000)
            for _ in 0..<2 { backstage.open() }
            for peer in [waiting, alsoWaiting] { #expect(try await peer.receive(1) == [empty]) }
            withExtendedLifetime(new) {}
        }
    }

    @Test("A client that waits for the service, and has read everything, does not give way")
    func waiting() async throws {
        try await withServer(limits: limits(connections: 1)) { path, backstage in
            let waiting = try await blocked(path, backstage)
            // Beyond the limit it is closed at the deadline.
            let silent = try RawPeer(path)
            #expect(try await silent.receiveAll() == [])
            let refused = try RawPeer(path)
            try refused.send(echo)
            #expect(try await refused.receiveAll() == [denied])
            backstage.open()
            #expect(try await waiting.receive(1) == [empty])
        }
    }

    @Test("If unread replies take too much memory, the clients that were silent for longest give way")
    func budget() async throws {
        var limits = Limits()
        limits.heldBytes = 1_000_000
        try await withServer(limits: limits) { path, backstage in
            let small = try await answered(path)
            // 100 kB each: two fit into the kernel's buffer, and one or two stay in the server's.
            let peers = try (0..<20).map { _ in try RawPeer(path) }
            for peer in peers {
                for _ in 0..<10 { try peer.send(#"{"method":"org.example.Large"}"#) }
                _ = try await answered(path)
            }
            #expect(try await peers[0].receiveAll().count < 10)
            #expect(try await peers[19].receive(10).count == 10)
            try small.send(echo)
            #expect(try await small.receive(1) == [empty])
        }
    }

    /// Returns when no more replies of a flood are requested.
    private func untilStalled(_ backstage: Backstage, _ path: String) async throws {
        try await onThread {
            let client = try VarlinkClient(path: path)
            var before = -1
            while before != backstage.pullCount || before == 0 {
                before = backstage.pullCount
                for _ in 0..<20 { _ = try client.call("org.example.Echo", timeout: .seconds(10)) }
            }
        }
    }
}
