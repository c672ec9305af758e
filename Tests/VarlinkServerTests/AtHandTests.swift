import Dispatch
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing
import Varlink
import VarlinkServer

/// Calls whose answers are at hand are answered on the event loop.
@Suite(.timeLimit(.hang)) struct AtHandTests {
    private static let interface = """
        interface org.example
        method Here(n: ?int) -> (n: ?int)
        method There() -> ()
        method Refused() -> ()
        """

    private func withServer(
        _ asked: @escaping @Sendable (MethodCall) -> Void = { _ in },
        _ body: (_ path: String) async throws -> Void
    ) async throws {
        let handler = try InterfaceHandler(description: Self.interface) { call in
            asked(call)
            switch call.methodName {
            case "Here": return call.parameters
            case "Refused": throw VarlinkError.permissionDenied
            default: return nil
            }
        } handle: { _ in
            .single(emptyParameters)
        }
        let service = try VarlinkService(
            vendor: "", product: "", version: "", url: "", interfaces: [handler])
        let server = VarlinkServer(
            service: service, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let directory = try TemporaryDirectory()
        try await running(server, at: directory.file("s")) { _ in try await body(directory.file("s")) }
    }

    private func here(_ number: Int) -> String {
        #"{"method":"org.example.Here","parameters":{"n":\#(number)}}"#
    }

    private func reply(_ number: Int) -> String { #"{"parameters":{"n":\#(number)}}"# }

    @Test("Replies keep the order of the calls, whether or not they are at hand")
    func order() async throws {
        try await withServer { path in
            let peer = try RawPeer(path)
            let there = #"{"method":"org.example.There"}"#
            let refused = #"{"method":"org.example.Refused"}"#
            let silent = #"{"method":"org.example.Here","oneway":true}"#
            try peer.send(here(1), there, silent, here(2), refused, there, here(3))
            #expect(
                try await peer.receive(6) == [
                    reply(1), #"{"parameters":{}}"#, reply(2),
                    #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#,
                    #"{"parameters":{}}"#, reply(3),
                ])
        }
    }

    @Test("Each call is looked up once, whether or not its answer is at hand")
    func once() async throws {
        let asked = Mutex<[String]>([])
        try await withServer { call in
            asked.withLock { $0.append(call.methodName) }
        } _: { path in
            let peer = try RawPeer(path)
            try peer.send(#"{"method":"org.example.There"}"#, here(1))
            #expect(try await peer.receive(2) == [#"{"parameters":{}}"#, reply(1)])
        }
        #expect(asked.withLock { $0 } == ["There", "Here"])
    }

    @Test("Replies to calls that came together leave together")
    func together() async throws {
        let peers = Mutex<[RawPeer]>([])
        let sentBefore = Mutex(false)
        try await withServer { _ in
            let hasReplies = peers.withLock { $0.contains(where: \.isReadable) }
            if hasReplies { sentBefore.withLock { $0 = true } }
        } _: { path in
            let peer = try RawPeer(path)
            peers.withLock { $0 = [peer] }
            let calls = Array((1...50).map { Array(here($0).utf8) + [0] }.joined())
            #expect(calls.count < ServerConnection.readAhead)
            try peer.send(bytes: calls)
            #expect(try await peer.receive(50) == (1...50).map(reply))
            #expect(!sentBefore.withLock { $0 })
        }
    }

    @Test("Only a few of one client's endless calls are answered before other clients are read")
    func turns() async throws {
        let log = Mutex<[String]>([])
        let (began, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await withServer { call in
            guard call.methodName == "Here" else { return }
            let isFirst = log.withLock { log in
                log.append(String(decoding: call.parameters, as: UTF8.self))
                return log.count == 1
            }
            guard isFirst else { return }
            began.signal()
            gate.wait()
        } _: { path in
            let (busy, other) = (try RawPeer(path), try RawPeer(path))
            // Accepted, and known to the event loop.
            try other.send(#"{"method":"org.example.There"}"#)
            #expect(try await other.receive(1) == [#"{"parameters":{}}"#])
            try busy.send(here(1))
            try await onThread { began.wait() }
            let call = Array(here(2).utf8) + [0]
            let calls = Array(repeatElement(call, count: 1000).joined())
            let sent = busy.sendWhileRoom(calls[...])
            #expect(sent > 4 * ServerConnection.readAhead)
            try other.send(here(3))
            gate.signal()
            #expect(try await other.receive(1) == [reply(3)])
            let before = log.withLock { $0.firstIndex { $0.contains("3") } ?? .max }
            #expect(before <= 3 * ServerConnection.readAhead / call.count)
        }
    }
}
