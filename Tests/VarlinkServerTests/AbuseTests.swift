import Glibc
import TestSupport
import Testing
import Varlink
import VarlinkServer

@Suite(.timeLimit(.hang)) struct AbuseTests {
    private func limits(_ change: (inout Limits) -> Void) -> Limits {
        var limits = Limits()
        change(&limits)
        return limits
    }

    private let echo = #"{"method":"org.example.Echo"}"#
    /// Sends as long as the server reads; returns the number of bytes. One event loop serves all connections,
    /// so after round trips of others it has also read this one.
    private func fill(_ peer: RawPeer, with bytes: [UInt8], at path: String) async throws -> Int {
        var all: [UInt8] = []
        while all.count < 8_000_000 { all += bytes }
        var sum = 0
        while true {
            let sent = peer.sendWhileRoom(all[sum...])
            sum += sent
            if sent == 0 { return sum }
            try await roundTrips(5, at: path)
        }
    }

    private func roundTrips(_ count: Int, at path: String) async throws {
        try await onThread {
            let client = try VarlinkClient(path: path)
            for _ in 0..<count { _ = try client.call("org.example.Echo", timeout: .seconds(10)) }
        }
    }

    private let empty = #"{"parameters":{}}"#

    @Test("A client that closes its sending half still gets its pending replies before the end")
    func halfClose() async throws {
        try await withServer { path, backstage in
            let peer = try RawPeer(path)
            try peer.send(#"{"method":"org.example.Block"}"#, echo)
            peer.endSending()
            #expect(await backstage.next() == "blocked")
            backstage.open()
            let replies = try await peer.receiveAll()
            #expect(replies == [empty, empty])
        }
    }

    @Test("A oneway call runs and gets no reply, whether it succeeds, fails or is unknown")
    func oneway() async throws {
        try await withServer { path, backstage in
            let peer = try RawPeer(path)
            try peer.send(
                #"{"method":"org.example.Note","parameters":{"text":"a"},"oneway":true}"#,
                #"{"method":"org.example.Note","oneway":true}"#,
                #"{"method":"org.example.Fail","oneway":true}"#,
                #"{"method":"org.example.Flood","oneway":true}"#, #"{"method":"a.b.C","oneway":true}"#, echo)
            let replies = try await peer.receive(1)
            #expect(replies == [empty])
            #expect(await backstage.next() == #"{"text":"a"}"#)
        }
    }

    @Test("Oneway calls run even if their sender leaves at once")
    func onewayAndGone() async throws {
        try await withServer { path, backstage in
            try RawPeer(path).send(
                #"{"method":"org.example.Note","parameters":{"text":"a"},"oneway":true}"#,
                #"{"method":"org.example.Note","parameters":{"text":"b"},"oneway":true}"#)
            #expect(await backstage.next() == #"{"text":"a"}"#)
            #expect(await backstage.next() == #"{"text":"b"}"#)
        }
    }

    @Test("A request that is not finished in time closes only its own connection")
    func slowRequest() async throws {
        try await withServer(limits: limits { $0.requestDeadline = .milliseconds(50) }) { path, _ in
            let other = try RawPeer(path)
            let peer = try RawPeer(path)
            try peer.send(echo)
            try peer.send(bytes: Array(#"{"method":"#.utf8))
            #expect(try await peer.receiveAll() == [empty])
            try other.send(echo)
            #expect(try await other.receive(1) == [empty])
        }
    }

    @Test("A request that was finished in time leaves no deadline behind")
    func finishedRequest() async throws {
        try await withServer(limits: limits { $0.requestDeadline = .seconds(3) }) { path, _ in
            let peer = try RawPeer(path)
            for byte in repeatElement(Array(echo.utf8) + [0], count: 20).joined() {
                try peer.send(bytes: [byte])
            }
            #expect(try await peer.receive(20) == Array(repeating: empty, count: 20))
            // The deadline of another client, which comes after the first client's would have.
            let slow = try RawPeer(path)
            try slow.send(bytes: Array(echo.utf8))
            #expect(try await slow.receiveAll() == [])
            try peer.send(echo)
            #expect(try await peer.receive(1) == [empty])
        }
    }

    @Test("A request past its limit closes the connection")
    func longRequest() async throws {
        try await withServer(limits: limits { $0.requestLength = 1000 }) { path, _ in
            let peer = try RawPeer(path)
            try peer.send(bytes: [UInt8](repeating: 0x20, count: 1001))
            #expect(try await peer.receiveAll() == [])
        }
    }

    @Test("A flood of NULs closes only its own connection")
    func emptyRequests() async throws {
        try await withServer { path, _ in
            let peer = try RawPeer(path)
            _ = peer.sendWhileRoom([UInt8](repeating: 0, count: 1_000_000)[...])
            #expect(try await peer.receiveAll() == [])
            try await roundTrips(1, at: path)
        }
    }

    @Test("A client that never reads makes nothing grow and does not delay others")
    func neverReads() async throws {
        try await withServer { path, backstage in
            let peer = try RawPeer(path)
            try peer.send(#"{"method":"org.example.Flood","more":true}"#)
            // A client's round trips let the flood go as far as it can.
            var before = -1
            while before != backstage.pullCount || before == 0 {
                before = backstage.pullCount
                try await roundTrips(20, at: path)
            }
            // 10 kB each; the kernel's buffer holds 208 KiB, and the server's 64 KiB.
            #expect(backstage.pullCount < 60)
            _ = peer
        }
    }

    @Test("The server stops reading from a client that sends and never reads")
    func neverReadsReplies() async throws {
        try await withServer { path, _ in
            let peer = try RawPeer(path)
            // 600 kB of replies are more than the buffers hold.
            for _ in 0..<60 { try peer.send(#"{"method":"org.example.Flood"}"#) }
            try await roundTrips(60, at: path)
            let sent = try await fill(peer, with: [UInt8](repeating: 0x20, count: 10_000), at: path)
            #expect(sent < 1_000_000)
        }
    }

    @Test("The server reads only a bounded amount behind a running call")
    func readAhead() async throws {
        try await withServer { path, backstage in
            let peer = try RawPeer(path)
            try peer.send(#"{"method":"org.example.Block"}"#)
            #expect(await backstage.next() == "blocked")
            let sent = try await fill(peer, with: [UInt8](repeating: 0x20, count: 10_000), at: path)
            #expect(sent < 1_000_000)
        }
    }

    @Test("A client that disconnects cancels its call, even if it sent more than is read ahead")
    func goesAway() async throws {
        try await withServer { path, backstage in
            do {
                let peer = try RawPeer(path)
                try peer.send(#"{"method":"org.example.Block"}"#)
                #expect(await backstage.next() == "blocked")
                _ = try await fill(peer, with: [UInt8](repeating: 0x20, count: 10_000), at: path)
            }
            #expect(await backstage.next() == "cancelled")
        }
    }

    @Test("A client that closes its sending half and then disconnects cancels its call, too")
    func halfCloseAndGone() async throws {
        try await withServer { path, backstage in
            do {
                let peer = try RawPeer(path)
                try peer.send(echo, #"{"method":"org.example.Block"}"#)
                #expect(try await peer.receive(1) == [empty])
                peer.endSending()
                #expect(await backstage.next() == "blocked")
            }
            #expect(await backstage.next() == "cancelled")
        }
    }

    @Test("Another user's connection is closed before anything is read from it")
    func otherUser() async throws {
        try await withServer(owner: geteuid() + 1) { path, _ in
            let peer = try RawPeer(path)
            // It may be closed already.
            try? peer.send(echo)
            #expect(try await peer.receiveAll() == [])
        }
    }
}
