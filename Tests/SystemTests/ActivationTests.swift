import Foundation
import Glibc
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("Socket activation of userd", .timeLimit(.hang))
struct ActivationTests {
    /// systemd-socket-activate, which starts userd at the first connection and logs that.
    private func activate(_ machine: Machine, _ options: [String]) async throws -> ChildProcess {
        let passed = machine.environment.filter { $0.key.hasPrefix("XDG") }.flatMap {
            ["-E", "\($0.key)=\($0.value)"]
        }
        let process = try machine.start(
            "/usr/bin/systemd-socket-activate",
            options + passed + [Program.userd.path] + machine.arguments())
        try await process.line(containing: "Listening on")
        return process
    }

    private func state(at socket: String) async throws -> DaemonState {
        try await onThread {
            try decoded(
                DaemonState.self,
                from: VarlinkClient(path: socket).call("io.userd.GetState", timeout: .seconds(60)))
        }
    }

    @Test(
        "Of several passed sockets userd serves the one named varlink, keeps it at its end, and registers it"
    )
    func several() async throws {
        try await onMachine { machine in
            let (other, ours) = (machine.file("run/other.sock"), machine.file("run/ours.sock"))
            let userd = try await activate(
                machine, ["--listen=\(other)", "--listen=\(ours)", "--fdname=other:varlink"])
            #expect(try await state(at: ours).states.count == 2)
            // The link exists by then.
            try await userd.line(containing: "[Daemon] Listening")
            #expect(!FileManager.default.fileExists(atPath: machine.socket))
            let link = machine.file("run/varlink/registry/io.userd")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == ours)

            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            #expect(FileManager.default.fileExists(atPath: ours))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == ours)
        }
    }

    @Test("userd serves a single passed socket under any name")
    func lone() async throws {
        try await onMachine { machine in
            let socket = machine.file("run/ours.sock")
            _ = try await activate(machine, ["--listen=\(socket)", "--fdname=userd.socket"])
            #expect(try await state(at: socket).states.count == 2)
        }
    }

    @Test("userd serves a passed connection and ends when its client closes it")
    func connection() async throws {
        try await onMachine { machine in
            let socket = machine.file("run/ours.sock")
            let activator = try await activate(machine, ["--accept", "--listen=\(socket)"])
            for _ in 0..<2 {
                let before = activator.bytes(.errors).count
                #expect(try await state(at: socket).states.count == 2)
                let end = try await activator.line(containing: "died with code", from: before)
                #expect(end.hasSuffix("died with code 0"))
            }
        }
    }

    @Test("userd does not start if none of several passed sockets is named varlink, and says what to do")
    func noneNamed() async throws {
        try await onMachine { machine in
            let sockets = ["a", "b"].map { machine.file("run/\($0).sock") }
            let userd = try await activate(
                machine, sockets.map { "--listen=\($0)" } + ["--fdname=first:second"])
            await #expect(throws: VarlinkClientError.closed) { try await state(at: sockets[0]) }
            #expect(try await userd.ended() == .exited(1))
            try await userd.line(
                containing:
                    "none of the 2 descriptors is called varlink: first, second; set FileDescriptorName=varlink"
            )
        }
    }

    @Test("userd ignores sockets that were passed to another process")
    func notOurs() async throws {
        try await onMachine { machine in
            let userd = try machine.start(
                .userd, machine.arguments(), environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"])
            try await userd.line(containing: "[Daemon] Listening")
            #expect(try await state(at: machine.socket).states.count == 2)
        }
    }

    @Test("Hundreds of clients can wait in the queue of a passed socket while userd is stopped")
    func backlog() async throws {
        try raiseDescriptorLimit(to: 1000)
        try await onMachine { machine in
            let socket = machine.file("run/ours.sock")
            let userd = try await activate(machine, ["--listen=\(socket)"])
            #expect(try await state(at: socket).states.count == 2)
            // The first client may get its answer before userd restores the queue's length.
            try await userd.line(containing: "[Daemon] Listening")
            userd.send(SIGSTOP)
            // Each fails after waiting for ten seconds.
            let peers = try await onThread { try (0..<300).map { _ in try RawPeer(socket) } }
            userd.send(SIGCONT)
            withExtendedLifetime(peers) {}
        }
    }
}
