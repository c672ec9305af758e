import Model
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI
import Varlink

/// `oneway` and `upgrade` on each method.
@Suite(.timeLimit(.hang)) struct FlagTests {
    /// Parameters of the methods that need some.
    private static let parameters = [
        "io.userd.GetUser": #"{"key":"sample-full"}"#, "io.userd.GetPicture": #"{"key":"sample-full"}"#,
        "io.userd.SetPaused": #"{"paused":false}"#,
        "org.varlink.service.GetInterfaceDescription": #"{"interface":"io.userd"}"#,
    ]

    private static var methods: [String] {
        get throws {
            try interface.get().methods.map { UserdInterface.qualified($0.name) } + [
                "org.varlink.service.GetInfo", "org.varlink.service.GetInterfaceDescription",
            ]
        }
    }

    private static func call(_ method: String, _ parameters: String? = nil, flag: String) -> String {
        #"{"method":"\#(method)","parameters":\#(parameters ?? Self.parameters[method] ?? "{}"),"\#(flag)":true}"#
    }

    @Test("A method that is called oneway sends nothing")
    func silent() async throws {
        try await Daemon.with { daemon in
            for method in try Self.methods {
                try await daemon.tell(Self.call(method, flag: "oneway"))
            }
        }
    }

    @Test(
        "A failing call that is oneway sends nothing",
        arguments: [
            ("io.userd.GetUser", #"{"key":"nobody"}"#), ("io.userd.GetUser", "{}"),
            ("io.userd.ListUsers", #"{"cursor":"x"}"#), ("io.userd.ListUsers", #"{"limit":0}"#),
            ("io.userd.RandomFact", #"{"max_length":1}"#), ("io.userd.Sync", #"{"colour":"red"}"#),
            ("io.userd.FetchFact", "{}"), ("io.userd.NoSuch", "{}"), ("org.nowhere.Call", "{}"),
            ("NoSuch", "{}"), ("org.varlink.service.GetInterfaceDescription", #"{"interface":"x"}"#),
        ])
    func silentErrors(method: String, parameters: String) async throws {
        try await Daemon.with { daemon in
            daemon.set(.error)
            try await daemon.tell(Self.call(method, parameters, flag: "oneway"))
        }
    }

    @Test("A method that is called oneway takes effect")
    func effects() async throws {
        try await Daemon.with { daemon in
            let facts = daemon.state(.facts)
            try await daemon.tell(Self.call("io.userd.FetchFact", flag: "oneway"))
            // The first of the samples, which is cached: it is seen again, and nothing is added.
            #expect(daemon.state(.facts) == facts)
            daemon.upstream.withLock { $0.facts = [.init(text: "Cats purr.")] }
            try await daemon.tell(Self.call("io.userd.FetchFact", flag: "oneway"))
            #expect(daemon.state(.facts).count == facts.count + 1)

            let users = daemon.state(.users).index
            daemon.set(.error)
            try await daemon.tell(
                Self.call("io.userd.Sync", #"{"resources":["users"],"wait":true}"#, flag: "oneway"))
            #expect(daemon.state(.users).phase == .error && daemon.state(.users).index > users)
            daemon.set(.data)
            try await daemon.tell(Self.call("io.userd.Retry", #"{"wait":true}"#, flag: "oneway"))
            #expect(daemon.state(.users).phase == .loaded && daemon.state(.facts).index == facts.index)

            daemon.set(.hang)
            try await daemon.tell(Self.call("io.userd.Sync", flag: "oneway"))
            #expect(daemon.engine.states.map(\.phase) == [.syncing, .syncing])
            try await daemon.tell(Self.call("io.userd.Cancel", flag: "oneway"))
            #expect(daemon.engine.states.map(\.cause) == [.cancelled, .cancelled])

            daemon.set(.data)
            #expect(daemon.engine.paused)
            try await daemon.tell(Self.call("io.userd.SetPaused", flag: "oneway"))
            #expect(!daemon.engine.paused)
            try await daemon.tell(Self.call("io.userd.Watch", flag: "oneway"))
            #expect(await daemon.engine.watcherCount == 0)
        }
    }

    @Test("An upgrade is refused for each method without running it, and the connection stays open")
    func upgrade() async throws {
        try await Daemon.with { daemon in
            let states = daemon.engine.states
            for method in try Self.methods {
                #expect(
                    try await daemon.raw(Self.call(method, flag: "upgrade"))
                        == #"{"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"\#(method)"}}"#
                )
            }
            #expect(daemon.engine.states == states && daemon.engine.paused)
        }
    }
}

extension Daemon {
    /// Sends a message, and expects only the reply to the next message.
    fileprivate func tell(_ message: String) async throws {
        let peer = try RawPeer(path)
        try peer.send(message, Self.marker)
        peer.endSending()
        #expect(try await peer.receiveAll() == [Self.marked], "\(message)")
    }

    /// The reply to a message, after which the connection must stay open.
    func raw(_ message: String) async throws -> String {
        let peer = try RawPeer(path)
        try peer.send(message)
        let reply = try #require(try await peer.receive(1).first)
        try peer.send(Self.marker)
        peer.endSending()
        #expect(try await peer.receiveAll() == [Self.marked], "\(message)")
        return reply
    }

    private static let marker =
        #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.marker"}}"#
    private static let marked =
        #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"org.marker"}}"#

    fileprivate func state(_ resource: Resource) -> State {
        engine.states[resource == .users ? 0 : 1]
    }
}
