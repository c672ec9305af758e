import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("Clients that do not read", .timeLimit(.hang))
struct UnreadTests {
    @Test("As many clients as allowed, with requests as long as allowed, leave little in memory")
    func memory() async throws {
        try raiseDescriptorLimit(to: 1000)
        try await onMachine { machine in
            let userd = try await machine.startUserd(["paused": "true"])
            let socket = machine.socket
            let before = try residentMemory(of: userd.id)
            let key = String(repeating: "x", count: 1_000_000)
            let call = #"{"method":"io.userd.GetUser","parameters":{"key":"\#(key)"}}"#
            let peers = try await onThread {
                try (0..<256).map { _ in
                    let peer = try RawPeer(socket)
                    try peer.send(call)
                    // The reply has begun, so the request was read.
                    _ = try peer.receive(bytes: 1)
                    return peer
                }
            }
            // In kilobytes. Replies and requests that stay would be half a million.
            #expect(try residentMemory(of: userd.id) - before < 100_000)
            withExtendedLifetime(peers) {}
        }
    }
}
