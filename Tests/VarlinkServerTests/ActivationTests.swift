import Glibc
import TestSupport
import Testing
import Varlink
import VarlinkServer

/// The environment of a service manager, and the expected descriptors.
struct PassedDescriptors: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let environment: [String: String]
    let names: [String]?

    init(_ description: String, _ environment: [String: String], _ names: [String]?) {
        testDescription = description
        self.environment = environment
        self.names = names
    }

    static let all = [
        PassedDescriptors("nothing", [:], nil),
        PassedDescriptors("one, unnamed", ["LISTEN_PID": "7", "LISTEN_FDS": "1"], ["unknown"]),
        PassedDescriptors(
            "one, named", ["LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "varlink"], ["varlink"]),
        PassedDescriptors(
            "three, one without a name",
            ["LISTEN_PID": "7", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "a::varlink"], ["a", "", "varlink"]),
        PassedDescriptors("another process's", ["LISTEN_PID": "8", "LISTEN_FDS": "1"], nil),
        PassedDescriptors("another's, with rubbish", ["LISTEN_PID": "8", "LISTEN_FDS": "x"], nil),
        PassedDescriptors("no process's", ["LISTEN_FDS": "1"], nil),
        PassedDescriptors("none", ["LISTEN_PID": "7", "LISTEN_FDS": "0"], nil),
    ]
}

@Suite(.timeLimit(.hang)) struct ActivationTests {
    @Test("Descriptors are taken if they are for this process", arguments: PassedDescriptors.all)
    func environment(row: PassedDescriptors) throws {
        let passed = try Activation.passed(row.environment, 7)
        #expect(passed?.map(\.name) == row.names)
        #expect(passed?.map(\.descriptor) == row.names?.indices.map { Int32($0) + 3 })
    }

    @Test(
        "An environment that contradicts itself is an error that names the variable",
        arguments: [
            (["LISTEN_PID": "x", "LISTEN_FDS": "1"], "LISTEN_PID"),
            (["LISTEN_PID": "7"], "LISTEN_FDS"),
            (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], "LISTEN_FDS"),
            (["LISTEN_PID": "7", "LISTEN_FDS": "99999999999"], "LISTEN_FDS"),
            (["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "varlink"], "LISTEN_FDNAMES"),
        ])
    func contradictions(environment: [String: String], variable: String) {
        let error = #expect(throws: ListenError.self) { try Activation.passed(environment, 7) }
        #expect(error?.description.contains(variable) == true)
    }

    @Test("If none of several descriptors has userd's name, the error lists their names and what to set")
    func unnamed() {
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "http:metrics"]
        let reason =
            "none of the 2 descriptors is called varlink: http, metrics; "
            + "set FileDescriptorName=varlink in the socket unit"
        #expect(throws: ListenError.activation(reason: reason)) {
            try Activation(environment: environment, processID: 7)
        }
    }

    @Test(
        "A passed connection and passed listeners are served together, and the listeners' files stay")
    func both() async throws {
        let directory = try TemporaryDirectory()
        let paths = [directory.file("a"), directory.file("b")]
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let listeners = try paths.map { try listener(at: $0) }
        let activation = try Activation(
            sockets: [PassedSocket(ends[0])] + listeners.map { try PassedSocket($0) })
        #expect(activation.sockets.map(\.path) == [nil] + paths)
        #expect(activation.sockets.map(\.isListening) == [false, true, true])

        try await serving(activation) { shutDown in
            let peers = [RawPeer(connected: ends[1])] + (try paths.map { try RawPeer($0) })
            for peer in peers {
                try peer.send(#"{"method":"org.example.Echo"}"#)
                #expect(try await peer.receive(1) == [#"{"parameters":{}}"#])
            }
            try await shutDown()
            for peer in peers { #expect(try await peer.receiveAll() == []) }
        }
        for path in paths { #expect(access(path, F_OK) == 0) }
    }

    @Test("A server that was passed only a connection ends when its client leaves")
    func connection() async throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let activation = Activation(sockets: [try PassedSocket(ends[0])])
        let server = try makeServer(Backstage())
        async let ended: Void = server.run(on: activation)
        do {
            let peer = RawPeer(connected: ends[1])
            try peer.send(#"{"method":"org.example.Echo"}"#)
            #expect(try await peer.receive(1) == [#"{"parameters":{}}"#])
        }
        try await ended
    }

    @Test("Another user's passed connection is closed before anything is read from it")
    func otherUser() async throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let server = try makeServer(Backstage(), owner: geteuid() + 1)
        let peer = RawPeer(connected: ends[1])
        try peer.send(#"{"method":"org.example.Echo"}"#)
        try? await server.run(on: Activation(sockets: [try PassedSocket(ends[0])]))
        #expect(try await peer.receiveAll() == [])
    }

    @Test("A descriptor that is not a Unix stream socket is refused with its number")
    func wrongKinds() throws {
        let directory = try TemporaryDirectory()
        let file = open(directory.file("f"), O_RDWR | O_CREAT, 0o600)
        let internet = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let datagrams = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        for (descriptor, reason) in [
            (file, "not a socket"), (internet, "not a Unix stream socket"),
            (datagrams, "not a Unix stream socket"),
        ] {
            let error = #expect(throws: ListenError.self) { try PassedSocket(descriptor) }
            #expect(error?.description.contains("descriptor \(descriptor) is \(reason)") == true)
            close(descriptor)
        }
    }

    private func listener(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let address = try #require(UnixSocketPath(path))
        #expect(address.withAddress { bind(descriptor, $0, $1) } == 0)
        #expect(listen(descriptor, 1) == 0)
        return descriptor
    }

    private func serving(
        _ activation: Activation,
        _ body: (_ shutDown: @escaping @Sendable () async throws -> Void) async throws -> Void
    ) async throws {
        let server = try makeServer(Backstage())
        try await whileRunning({ try await server.run(on: activation, onListening: $0) }, body)
    }
}
