import StrictJSON
import Testing
import Varlink

@Suite struct VarlinkServiceTests {
    private static let text = """
        # Comment.
        interface org.example
        method Echo(text: ?string) -> (text: ?string)
        """

    private func service() throws -> VarlinkService {
        try VarlinkService(
            vendor: "V\"", product: "P", version: "1", url: "u",
            interfaces: [
                try InterfaceHandler(description: Self.text) { call in .single(call.parameters) }
            ])
    }

    private func answer(_ method: String, _ parameters: String = "{}") async throws -> String {
        let call = MethodCall(method: method, parameters: Array(parameters.utf8))
        guard case .single(let reply) = try await service().answer(call) else { return "stream" }
        return String(decoding: reply, as: UTF8.self)
    }

    @Test("GetInfo returns all five fields, and its own interface first")
    func info() async throws {
        #expect(
            try await answer("org.varlink.service.GetInfo")
                == #"{"vendor":"V\"","product":"P","version":"1","url":"u","interfaces":["org.varlink.service","org.example"]}"#
        )
    }

    @Test("Interfaces are described by their exact text")
    func descriptions() async throws {
        let reply = try await answer(
            "org.varlink.service.GetInterfaceDescription", #"{"interface":"org.example"}"#)
        let value = try JSONValue(validating: Array(reply.utf8), maximumDepth: 1)
        #expect(value["description"]?.string == Self.text)
        let own = try await answer(
            "org.varlink.service.GetInterfaceDescription", #"{"interface":"org.varlink.service"}"#)
        let ownText = try JSONValue(validating: Array(own.utf8), maximumDepth: 1)["description"]?.string
        #expect(ownText == (try PublishedInterface.text("Varlink/org.varlink.service.varlink")))
    }

    @Test("The replies of org.varlink.service match its declarations")
    func ownOutput() async throws {
        let interface = try Interface(
            parsing: try PublishedInterface.text("Varlink/org.varlink.service.varlink"))
        let info = Array(try await answer("org.varlink.service.GetInfo").utf8)
        let output = try #require(interface.method("GetInfo")?.output)
        #expect(
            interface.invalidParameter(in: try JSONValue(validating: info, maximumDepth: 2), fields: output)
                == nil)
        for error in [
            VarlinkError.interfaceNotFound("a"), .methodNotFound("a"), .methodNotImplemented("a"),
            .invalidParameter("a"), .permissionDenied, .expectedMore,
        ] {
            let name = error.name.dropFirst("org.varlink.service.".count)
            let fields = try #require(interface.error(String(name))?.fields)
            let parameters = try JSONValue(validating: error.parameters, maximumDepth: 1)
            #expect(interface.invalidParameter(in: parameters, fields: fields) == nil, "\(error)")
        }
    }

    @Test("An error's description has its name and parameters")
    func description() {
        #expect(
            VarlinkError.invalidParameter("a").description
                == #"org.varlink.service.InvalidParameter {"parameter":"a"}"#)
    }

    @Test("An interface with invalid text is refused at the start")
    func brokenText() {
        #expect(throws: InterfaceSyntaxError.self) {
            try InterfaceHandler(description: "interface") { _ in .single(emptyParameters) }
        }
    }
}
