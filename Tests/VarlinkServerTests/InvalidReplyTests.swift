import Logging
import TestSupport
import Testing
import Varlink
import VarlinkServer

@Suite(.timeLimit(.hang)) struct InvalidReplyTests {
    private static let interface = """
        interface org.example
        method Right() -> (n: int)
        method Wrong() -> (n: int)
        method WrongLater() -> (n: int)
        method WrongError() -> ()
        error Bad (key: string)
        """

    private func withService(
        _ body: (_ path: String, _ errors: Channel<String>) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let errors = Channel<String>()
        let service = try VarlinkService(
            vendor: "", product: "", version: "", url: "",
            interfaces: [
                try InterfaceHandler(description: Self.interface) { call in
                    switch call.methodName {
                    case "Right": return .single(Array(#"{"n":1}"#.utf8))
                    case "Wrong": return .single(Array(#"{"n":"1"}"#.utf8))
                    case "WrongError": throw VarlinkError(name: "org.example.Bad")
                    default:
                        let replies = Channel<String>()
                        for reply in [#"{"n":1}"#, #"{"n":null}"#] { replies.send(reply) }
                        return .stream(
                            ReplyStream(next: {
                                Reply(parameters: Array(try await replies.receive().utf8), continues: true)
                            }))
                    }
                }
            ])
        let logger = Logger(label: "test") { _ in
            TestLogHandler { event in
                guard event.level == .error else { return }
                errors.send("\(event.metadata?["method"] ?? "") \(event.metadata?["error"] ?? "")")
            }
        }
        let server = VarlinkServer(service: service, logger: logger)
        try await running(server, at: directory.file("s")) { _ in
            try await body(directory.file("s"), errors)
        }
    }

    @Test(
        "A reply that its interface does not declare is not sent but logged, and closes the connection",
        arguments: [("Wrong", "the member n"), ("WrongError", "org.example.Bad: the member key")])
    func single(method: String, fault: String) async throws {
        try await withService { path, errors in
            let peer = try RawPeer(path)
            try peer.send(
                #"{"method":"org.example.Right"}"#, #"{"method":"org.example.\#(method)"}"#,
                #"{"method":"org.example.Right"}"#)
            #expect(try await peer.receiveAll() == [#"{"parameters":{"n":1}}"#])
            let logged = try await errors.receive()
            #expect(logged.hasPrefix("org.example.\(method) ") && logged.hasSuffix(fault), "\(logged)")
        }
    }

    @Test("The replies of a stream before an invalid one are sent")
    func stream() async throws {
        try await withService { path, errors in
            let peer = try RawPeer(path)
            try peer.send(#"{"method":"org.example.WrongLater","more":true}"#)
            #expect(try await peer.receiveAll() == [#"{"parameters":{"n":1},"continues":true}"#])
            #expect(try await errors.receive().hasPrefix("org.example.WrongLater "))
        }
    }

    @Test(
        "An invalid reply to a oneway call does not close the connection", arguments: ["Wrong", "WrongError"])
    func oneway(method: String) async throws {
        try await withService { path, errors in
            let peer = try RawPeer(path)
            try peer.send(
                #"{"method":"org.example.\#(method)","oneway":true}"#, #"{"method":"org.example.Right"}"#)
            #expect(try await peer.receive(1) == [#"{"parameters":{"n":1}}"#])
            #expect(try await errors.receive().hasPrefix("org.example.\(method) "))
        }
    }
}
