import Foundation
import Glibc
import Logging
import TestSupport
import Testing
import Varlink
import VarlinkFixtures
import VarlinkServer

/// The table of dialogues over a socket, and other things that clients do to a connection.
@Suite(.timeLimit(.hang)) struct DialogueTests {
    private func withDialogueServer(_ body: @escaping @Sendable (_ path: String) throws -> Void) async throws
    {
        let directory = try TemporaryDirectory()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = VarlinkServer(service: try DialogueService.make(), logger: logger)
        try await running(server, at: directory.file("s")) { _ in
            try await onThread { try body(directory.file("s")) }
        }
    }

    private static let marker = Array(
        "{\"method\":\"org.example.table.Echo\",\"parameters\":{\"int\":77}}\0".utf8)
    private static let markerReply = Array("{\"parameters\":{\"int\":77}}\0".utf8)

    /// A connection that the server has closed refuses the rest of the input.
    private func send(_ bytes: [UInt8], to peer: RawPeer, closing: Bool) throws {
        do {
            try peer.send(bytes: bytes)
        } catch let failure as RawPeer.Failure where closing && [EPIPE, ECONNRESET].contains(failure.errno) {}
    }

    /// Thrown rather than recorded, because an issue that another thread records belongs to no test.
    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    private func expect(_ output: [UInt8], is expected: [UInt8], _ dialogue: Dialogue) throws {
        guard output != expected else { return }
        let text = String(decoding: output.prefix(2_000), as: UTF8.self).debugDescription
        throw Unexpected(description: "\(dialogue.name): \(text)")
    }

    /// Goes through the dialogue on its own connection. If that stays open, it answers another call.
    private func go(through dialogue: Dialogue, at path: String, inPartsOf size: Int = .max) throws {
        let peer = try RawPeer(path)
        var rest = dialogue.input[...]
        while !rest.isEmpty {
            try send(Array(rest.prefix(size)), to: peer, closing: dialogue.end == .closed)
            rest = rest.dropFirst(size)
        }
        switch dialogue.end {
        case .open:
            let output = try peer.receive(bytes: dialogue.output.count)
            try peer.send(bytes: Self.marker)
            try expect(
                output + (try peer.receive(bytes: Self.markerReply.count)),
                is: dialogue.output + Self.markerReply, dialogue)
        case .closed:
            try expect(try peer.receive(bytes: .max), is: dialogue.output, dialogue)
        case .unfinished:
            try expect(try peer.receive(bytes: dialogue.output.count), is: dialogue.output, dialogue)
        }
    }

    @Test("Each dialogue over a socket matches the table")
    func whole() async throws {
        try await withDialogueServer { path in
            for dialogue in Dialogue.all { try go(through: dialogue, at: path) }
        }
    }

    @Test("Each short dialogue over a socket matches the table byte by byte")
    func byteByByte() async throws {
        try await withDialogueServer { path in
            for dialogue in Dialogue.all where !dialogue.isLong {
                try go(through: dialogue, at: path, inPartsOf: 1)
            }
        }
    }

    @Test("A client that closes its sending half gets all its replies before the end")
    func halfClosed() async throws {
        try await withDialogueServer { path in
            for dialogue in Dialogue.all {
                let peer = try RawPeer(path)
                try send(dialogue.input, to: peer, closing: dialogue.end == .closed)
                peer.endSending()
                try expect(try peer.receive(bytes: .max), is: dialogue.output, dialogue)
            }
        }
    }

    @Test("Hundreds of dialogues on one connection are answered while they are still being sent")
    func joined() async throws {
        try await withDialogueServer { path in
            var random = SeededRandom(seed: 1)
            let open = Dialogue.all.filter { $0.end == .open && !$0.isLong }
            let dialogues = (0..<2_000).map { _ in open.randomElement(using: &random)! }
            let peer = try RawPeer(path)
            let sender = Thread { try? peer.send(bytes: dialogues.flatMap(\.input)) }
            sender.start()
            for dialogue in dialogues {
                try expect(try peer.receive(bytes: dialogue.output.count), is: dialogue.output, dialogue)
            }
        }
    }

    // MARK: - Descriptors

    private func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// One event loop serves all connections, so after round trips of others it has also seen a closed one.
    private func expectNoMoreDescriptors(than count: Int, at path: String) throws {
        let client = try RawPeer(path)
        for _ in 0..<1_000 {
            try client.send(bytes: Self.marker)
            _ = try client.receive(bytes: Self.markerReply.count)
            // Both ends of this client's connection.
            if try openDescriptors() <= count + 2 { return }
        }
        throw Unexpected(
            description: "\(try openDescriptors() - 2) descriptors are open, and \(count) were before")
    }

    @Test("Clients that disconnect in the middle of a reply leave no descriptors open, and others are served")
    func closedInReply() async throws {
        try await withDialogueServer { path in
            let endless = Array(
                "{\"method\":\"org.example.table.Count\",\"parameters\":{\"to\":1000000000},\"more\":true}\0"
                    .utf8)
            let before = try openDescriptors()
            for dialogue in Dialogue.all where !dialogue.isLong || dialogue.output.count > 50_000 {
                for count in [0, 1, dialogue.output.count / 2] {
                    let peer = try RawPeer(path)
                    try send(dialogue.input + endless, to: peer, closing: true)
                    _ = try peer.receive(bytes: min(count, dialogue.output.count))
                }
            }
            try expectNoMoreDescriptors(than: before, at: path)
        }
    }

    /// The reading end sees the end of file when the last descriptor of the writing end is closed, whether
    /// that was in a process or on its way to one.
    private func pipeEnds() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw RawPeer.Failure(call: "pipe", errno: errno) }
        return (ends[0], ends[1])
    }

    private func expectEndOfFile(_ reading: Int32) throws {
        defer { close(reading) }
        var poll = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        guard Glibc.poll(&poll, 1, 10_000) == 1, read(reading, &byte, 1) == 0 else {
            throw Unexpected(description: "a descriptor that was sent along is still open somewhere")
        }
    }

    @Test("Descriptors that are sent along are closed as soon as their bytes are read")
    func passedDescriptors() async throws {
        try await withDialogueServer { path in
            let peer = try RawPeer(path)
            for dialogue in Dialogue.all where dialogue.end == .open && !dialogue.isLong {
                let (reading, writing) = try pipeEnds()
                try peer.send(bytes: dialogue.input, descriptor: writing)
                close(writing)
                try expect(try peer.receive(bytes: dialogue.output.count), is: dialogue.output, dialogue)
                try expectEndOfFile(reading)
            }
        }
    }

    @Test("Descriptors sent with a message that never ends are closed as soon as its bytes are read")
    func passedInTheMiddle() async throws {
        try await withDialogueServer { path in
            let peer = try RawPeer(path)
            for byte in Array(#"{"method":"#.utf8) {
                let (reading, writing) = try pipeEnds()
                try peer.send(bytes: [byte], descriptor: writing)
                close(writing)
                try expectEndOfFile(reading)
            }
        }
    }

    @Test("Descriptors that are sent with a violation, or behind one, are closed with the connection")
    func passedWithViolation() async throws {
        try await withDialogueServer { path in
            for text in ["nonsense\0", "{}\0{}\0"] {
                let peer = try RawPeer(path)
                let (reading, writing) = try pipeEnds()
                try peer.send(bytes: Array(text.utf8), descriptor: writing)
                // It may be closed already.
                try? peer.send(bytes: Array(text.utf8), descriptor: writing)
                close(writing)
                guard try peer.receive(bytes: .max).isEmpty else { throw Unexpected(description: text) }
                try expectEndOfFile(reading)
            }
        }
    }
}
