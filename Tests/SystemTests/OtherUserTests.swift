import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

/// Needs root, to run programs as another user.
@Suite("Other users", .timeLimit(.hang))
struct OtherUserTests {
    private static let nobody: uid_t = 65_534

    /// Sends bytes as another user. Prints the reply in hexadecimal.
    private func send(_ bytes: String, to socket: String) async throws -> Finished {
        let program = """
            import socket, sys
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(sys.argv[1])
            received = b''
            try:
                peer.sendall(sys.argv[2].encode() + b'\\0')
                while chunk := peer.recv(65536): received += chunk
            except (ConnectionResetError, BrokenPipeError): pass
            print('received:' + received.hex())
            """
        return try await run(
            "/usr/bin/setpriv",
            ["--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups"]
                + ["/usr/bin/python3", "-c", program, socket, bytes],
            environment: ["PATH": "/usr/bin:/bin"])
    }

    @Test("Another user can't reach the socket, and gets no reply even if its modes permit connecting")
    func refused() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try await onMachine { machine in
            let userd = try await machine.startUserd()
            let call = #"{"method":"io.userd.GetState"}"#
            let unreachable = try await send(call, to: machine.socket)
            #expect(unreachable.code == 1)
            #expect(unreachable.errors.contains("PermissionError"))

            for path in ["", "run", "run/userd"] { chmod(machine.file(path), 0o755) }
            chmod(machine.socket, 0o777)
            for bytes in [call, "rubbish"] {
                let refused = try await send(bytes, to: machine.socket)
                #expect(refused.output == "received:\n", "\(refused.errors)")
            }
            let log = try await userd.line(containing: "Refused a connection")
            #expect(log.contains("user \(Self.nobody) may not connect"))
            #expect(try await machine.state(of: .users).resource == .users)
            #expect(!userd.text(.errors).contains("Closed a connection"), "the bytes were parsed")
        }
    }

    @Test("userctl sends nothing to another user's process at its socket")
    func impostor() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try await onMachine { machine in
            for path in ["", "run"] { chmod(machine.file(path), 0o755) }
            mkdir(machine.file("theirs"), 0o755)
            chown(machine.file("theirs"), Self.nobody, Self.nobody)
            let socket = machine.file("theirs/s")
            let program = """
                import socket, sys
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(sys.argv[1])
                listener.listen()
                print('listens', flush=True)
                print('received:' + listener.accept()[0].recv(65536).hex(), flush=True)
                """
            let server = try machine.start(
                "/usr/bin/setpriv",
                ["--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups"]
                    + ["/usr/bin/python3", "-c", program, socket])
            try await server.line(containing: "listens", in: .output)
            let ended = try await machine.userctl(["sync", "--socket", socket])
            #expect(ended.code == 69)
            #expect(
                ended.errors.hasPrefix(
                    "userctl: not your userd, but a process of user \(Self.nobody) listens at \(socket)\n"),
                "\(ended)")
            #expect(try await server.line(containing: "received:", in: .output) == "received:")
        }
    }

    @Test("userd refuses a directory for its socket that belongs to another user")
    func directory() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try await onMachine { machine in
            mkdir(machine.file("run/userd"), 0o700)
            chown(machine.file("run/userd"), Self.nobody, Self.nobody)
            let userd = try machine.start(.userd, machine.arguments())
            #expect(try await userd.ended() == .exited(1))
            #expect(
                userd.text(.errors).contains("run/userd belongs to user \(Self.nobody); name another path"))
        }
    }
}
