import TestSupport
import Testing
import Varlink
import VarlinkServer

@Suite(.timeLimit(.hang)) struct ShutdownTests {
    @Test("A shutdown waits for the running call, drops later ones and closes idle connections")
    func singleCalls() async throws {
        let directory = try TemporaryDirectory()
        let backstage = Backstage()
        try await running(try makeServer(backstage), at: directory.file("s")) { shutDown in
            let idle = try RawPeer(directory.file("s"))
            let peer = try RawPeer(directory.file("s"))
            try peer.send(#"{"method":"org.example.Block"}"#, #"{"method":"org.example.Echo"}"#)
            #expect(await backstage.next() == "blocked")
            async let ended: Void = shutDown()
            #expect(try await idle.receiveAll() == [])
            backstage.open()
            #expect(try await peer.receiveAll() == [#"{"parameters":{}}"#])
            try await ended
        }
    }

    @Test("A shutdown cuts off streams, even if their client does not read")
    func streams() async throws {
        let directory = try TemporaryDirectory()
        let backstage = Backstage()
        var limits = Limits()
        limits.shutdownGrace = .milliseconds(50)
        try await running(try makeServer(backstage, limits: limits), at: directory.file("s")) { shutDown in
            let peer = try RawPeer(directory.file("s"))
            try peer.send(#"{"method":"org.example.Flood","more":true}"#)
            #expect(try await peer.receive(1).count == 1)
            try await shutDown()
            #expect(await backstage.next() == "stream cancelled")
        }
    }

    @Test("A shutdown waits at most its grace period for a call that does not end")
    func grace() async throws {
        let directory = try TemporaryDirectory()
        let backstage = Backstage()
        var limits = Limits()
        limits.shutdownGrace = .milliseconds(50)
        try await running(try makeServer(backstage, limits: limits), at: directory.file("s")) { shutDown in
            let peer = try RawPeer(directory.file("s"))
            try peer.send(#"{"method":"org.example.Block"}"#)
            #expect(await backstage.next() == "blocked")
            try await shutDown()
            #expect(try await peer.receiveAll() == [])
            #expect(await backstage.next() == "cancelled")
        }
    }
}
