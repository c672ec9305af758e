import Synchronization
import TestSupport
import Testing
import Varlink
import VarlinkServer

@Suite(.timeLimit(.hang)) struct CrowdTests {
    private let echo = #"{"method":"org.example.Echo"}"#
    private let count = #"{"method":"org.example.Count","parameters":{"to":1},"more":true}"#
    private let block = #"{"method":"org.example.Block"}"#
    private let empty = #"{"parameters":{}}"#
    private let denied = #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#

    private func limits(connections: Int, deadline: Duration = .seconds(10)) -> Limits {
        var limits = Limits()
        limits.connections = connections
        limits.requestDeadline = deadline
        return limits
    }

    /// Opens this many connections; each has been answered.
    private func fill(_ path: String, _ count: Int) async throws -> [RawPeer] {
        var peers: [RawPeer] = []
        for _ in 0..<count {
            peers.append(try RawPeer(path))
            try peers.last?.send(echo)
            #expect(try await peers.last?.receive(1) == [empty])
        }
        return peers
    }

    @Test(
        "Beyond the limit, only one call of an allowed method is answered before the connection closes")
    func beyondTheLimit() async throws {
        try await withServer(limits: limits(connections: 2), whenFull: "org.example.Echo") { path, _ in
            let peers = try await fill(path, 2)
            let third = try RawPeer(path)
            try third.send(echo, echo, count)
            #expect(try await third.receiveAll() == [empty])
            let fourth = try RawPeer(path)
            try fourth.send(count, echo)
            #expect(try await fourth.receiveAll() == [denied])
            let oneway = try RawPeer(path)
            try oneway.send(#"{"method":"org.example.Count","oneway":true}"#, echo)
            #expect(try await oneway.receiveAll() == [])

            for peer in peers {
                try peer.send(count)
                #expect(try await peer.receive(1) == [#"{"parameters":{"n":1}}"#])
            }
        }
    }

    @Test("Changed limits apply to new connections")
    func otherLimits() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        let server = try makeServer(Backstage(), limits: limits(connections: 1))
        try await running(server, at: path) { _ in
            let first = try await fill(path, 1)
            server.adopt(limits(connections: 2))
            let second = try await fill(path, 1)
            server.adopt(limits(connections: 1))
            let third = try RawPeer(path)
            try third.send(echo)
            #expect(try await third.receiveAll() == [denied])
            for peer in first + second {
                try peer.send(echo)
                #expect(try await peer.receive(1) == [empty])
            }
        }
    }

    @Test("A connection that closes makes room for another")
    func freePlace() async throws {
        try await withServer(limits: limits(connections: 2)) { path, _ in
            let peers = try await fill(path, 2)
            let third = try RawPeer(path)
            try third.send(echo)
            #expect(try await third.receiveAll() == [denied])
            peers[0].endSending()
            #expect(try await peers[0].receiveAll() == [])
            let fourth = try RawPeer(path)
            try fourth.send(echo, echo)
            #expect(try await fourth.receive(2) == [empty, empty])
        }
    }

    @Test("A disconnected client counts as long as its calls run")
    func gone() async throws {
        try await withServer(limits: limits(connections: 2)) { path, backstage in
            for _ in 0..<2 {
                try RawPeer(path).send(#"{"method":"org.example.Block","oneway":true}"#)
                #expect(await backstage.next() == "blocked")
            }
            let third = try RawPeer(path)
            try third.send(echo)
            #expect(try await third.receiveAll() == [denied])
            backstage.open()
            #expect(await backstage.next() == "opened")
            while true {
                let fourth = try RawPeer(path)
                try fourth.send(echo)
                let replies = try await fourth.receive(1)
                if replies == [empty] { break }
                #expect(replies == [denied])
            }
            backstage.open()
        }
    }

    @Test("Silent clients do not keep others out")
    func silentOnes() async throws {
        try await withServer(limits: limits(connections: 2), whenFull: "org.example.Echo") { path, _ in
            let peers = try await fill(path, 2)
            let silent = try (0..<40).map { _ in try RawPeer(path) }
            for _ in 0..<20 {
                let peer = try RawPeer(path)
                try peer.send(echo)
                #expect(try await peer.receiveAll() == [empty])
            }
            // The first clients had to go; the last ones were still connected until then.
            for peer in silent[..<24] { #expect(try await peer.receiveAll() == []) }
            _ = peers
        }
    }

    @Test("A silent client beyond the limit is closed at a request's deadline")
    func silentForLong() async throws {
        let limits = limits(connections: 1, deadline: .milliseconds(50))
        try await withServer(limits: limits, whenFull: "org.example.Echo") { path, backstage in
            let peers = try await fill(path, 1)
            // It has a call open, and so does not give way.
            try peers[0].send(block)
            #expect(await backstage.next() == "blocked")
            let silent = try RawPeer(path)
            #expect(try await silent.receiveAll() == [])
            // Within the limit, a client may be silent.
            backstage.open()
            #expect(try await peers[0].receive(1) == [empty])
        }
    }

    @Test("Other clients are answered while one sends without end")
    func flood() async throws {
        try await withServer { path, _ in
            let flooder = try RawPeer(path)
            let calls = Volume.pipelinedCalls
            async let sent: Void = onThread {
                try flooder.send(bytes: Array(repeatElement(Array(echo.utf8) + [0], count: calls).joined()))
            }
            // All its calls are in the kernel's buffer, or arrive there while these are answered; none is
            // lost.
            async let replies = flooder.receive(calls)
            let answered = try await onThread {
                let client = try VarlinkClient(path: path)
                return try (0..<100).map { number in
                    let text = Array(#"{"text":"\#(number)"}"#.utf8)
                    return try client.call("org.example.Echo", parameters: text, timeout: .seconds(30))
                        == text
                }
            }
            #expect(answered == Array(repeating: true, count: 100))
            try await sent
            #expect(try await replies == Array(repeating: empty, count: calls))
        }
    }

    @Test("Clients that read endless replies do not keep others from being accepted, read and answered")
    func floods() async throws {
        try await withServer { path, _ in
            let ending = Ending()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        let peer = try RawPeer(path)
                        try peer.send(#"{"method":"org.example.Flood","more":true}"#)
                        return try await onThread {
                            var received = 0
                            while !ending.hasCome.load(ordering: .relaxed) { received += peer.receiveBytes() }
                            return received
                        }
                    }
                }
                for _ in 0..<5 {
                    try await onThread {
                        let client = try VarlinkClient(path: path)
                        _ = try client.call("org.example.Echo", timeout: .seconds(20))
                    }
                }
                ending.hasCome.store(true, ordering: .relaxed)
                for try await received in group { #expect(received > 0) }
            }
        }
    }
}

private final class Ending: Sendable {
    let hasCome = Atomic(false)
}
