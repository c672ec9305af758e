import Synchronization
import Testing
import Varlink

@Suite struct ReplyCheckTests {
    private static let text = """
        interface org.example
        type Leaf (n: int)
        method Get(name: ?string) -> (leaf: Leaf, note: ?string)
        # [Requires 'more' flag]
        method Follow() -> (n: int)
        method Other() -> ()
        error Bad (key: string)
        """

    private func service(
        _ text: String = Self.text, isChecked: Bool = true,
        _ handle: @escaping @Sendable (MethodCall) async throws -> Answer
    ) throws -> VarlinkService {
        try VarlinkService(
            vendor: "", product: "", version: "", url: "",
            interfaces: [try InterfaceHandler(description: text, handle: handle)], checksReplies: isChecked)
    }

    private func answer(_ reply: String, isChecked: Bool = true) async throws -> String {
        let service = try service(isChecked: isChecked) { _ in .single(Array(reply.utf8)) }
        guard case .single(let bytes) = try await service.answer(MethodCall(method: "org.example.Get")) else {
            return "a stream"
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "A reply that its interface declares is sent unchanged",
        arguments: [
            #"{"leaf":{"n":1}}"#, #"{"note":null,"leaf":{"n":-1}}"#, " { \"leaf\":{\"n\":1},\"note\":\"x\"} ",
        ])
    func fits(reply: String) async throws {
        #expect(try await answer(reply) == reply)
    }

    @Test(
        "A reply that its interface does not declare is an InvalidReply with the reason",
        arguments: [
            ("{}", "the member leaf"), (#"{"leaf":{}}"#, "the member leaf"),
            (#"{"leaf":{"n":"1"}}"#, "the member leaf"), (#"{"leaf":null}"#, "the member leaf"),
            (#"{"leaf":{"n":1},"colour":1}"#, "the member colour"),
            (#"{"leaf":{"n":1},"note":1}"#, "the member note"),
            ("null", "the parameters are not an object"), ("[]", "the parameters are not an object"),
            ("", "the parameters are not valid JSON: "),
            (#"{"leaf":{"n":1}}}"#, "the parameters are not valid JSON: "),
            ("{\"leaf\":{\"n\":1},\"note\":\"\0\"}", "the parameters are not valid JSON: "),
        ])
    func misfits(reply: String, reason: String) async throws {
        let error = try await #require(throws: InvalidReply.self) { try await answer(reply) }
        #expect(error.method == "org.example.Get")
        #expect(error.reason.hasPrefix(reason), "\(error)")
    }

    @Test("A reply that is too deep for a client is invalid")
    func depth() async throws {
        func service(_ depth: Int) throws -> VarlinkService {
            let object =
                String(repeating: #"{"a":"#, count: depth - 1) + "{}"
                + String(repeating: "}", count: depth - 1)
            return try self.service("interface org.example\nmethod Get() -> (o: object)") { _ in
                .single(Array(#"{"o":\#(object)}"#.utf8))
            }
        }
        let call = MethodCall(method: "org.example.Get")
        _ = try await service(62).answer(call)
        await #expect(throws: InvalidReply.self) { try await service(63).answer(call) }
    }

    @Test("A service that does not check replies sends them unchanged")
    func unchecked() async throws {
        #expect(try await answer("{}", isChecked: false) == "{}")
    }

    @Test("Replies and errors that are at hand are checked, too")
    func atHand() throws {
        func atHand(_ reply: Result<String, VarlinkError>) throws -> [UInt8]? {
            let handler = try InterfaceHandler(
                description: Self.text, answerNow: { _ in Array(try reply.get().utf8) },
                handle: { _ in throw CancellationError() })
            let service = try VarlinkService(
                vendor: "", product: "", version: "", url: "", interfaces: [handler])
            guard case .answered(let reply) = try service.start(MethodCall(method: "org.example.Get")) else {
                return nil
            }
            return reply
        }
        let fitting = #"{"leaf":{"n":1}}"#
        #expect(try atHand(.success(fitting)) == Array(fitting.utf8))
        #expect(throws: InvalidReply.self) { try atHand(.success("{}")) }
        #expect(throws: VarlinkError.permissionDenied) { try atHand(.failure(.permissionDenied)) }
        let unheard = VarlinkError(name: "org.example.Unheard")
        #expect(throws: InvalidReply.self) { try atHand(.failure(unheard)) }
    }

    @Test(
        "An error is sent if an interface of the service declares it with its parameters",
        arguments: [
            VarlinkError(name: "org.example.Bad", parameters: Array(#"{"key":"k"}"#.utf8)),
            .permissionDenied, .invalidParameter("name"),
        ])
    func errors(error: VarlinkError) async throws {
        for isChecked in [true, false] {
            let service = try service(isChecked: isChecked) { _ in throw error }
            await #expect(throws: error) { try await service.answer(MethodCall(method: "org.example.Get")) }
        }
    }

    @Test(
        "An error that no interface declares, or with invalid parameters, is an InvalidReply",
        arguments: [
            ("org.example.Unheard", "{}", "the error org.example.Unheard is not declared"),
            ("org.elsewhere.Bad", #"{"key":"k"}"#, "the error org.elsewhere.Bad is not declared"),
            ("Bad", #"{"key":"k"}"#, "the error Bad is not declared"),
            ("org.example.Bad", "{}", "org.example.Bad: the member key"),
            ("org.example.Bad", #"{"key":1}"#, "org.example.Bad: the member key"),
            ("org.example.Bad", "null", "org.example.Bad: the parameters are not an object"),
            (
                "org.varlink.service.MethodNotFound", "{}",
                "org.varlink.service.MethodNotFound: the member method"
            ),
            ("org.varlink.service.Unheard", "{}", "the error org.varlink.service.Unheard is not declared"),
        ])
    func undeclaredErrors(name: String, parameters: String, reason: String) async throws {
        for isChecked in [true, false] {
            let service = try service(isChecked: isChecked) { _ in
                throw VarlinkError(name: name, parameters: Array(parameters.utf8))
            }
            await #expect(throws: InvalidReply(method: "org.example.Get", reason: reason)) {
                try await service.answer(MethodCall(method: "org.example.Get"))
            }
        }
    }

    private func follow(
        _ replies: [Result<Reply, VarlinkError>], isChecked: Bool = true,
        cancel: @escaping @Sendable () -> Void = {}
    ) async throws -> ReplyStream {
        let left = Mutex(replies[...])
        let service = try service(isChecked: isChecked) { _ in
            .stream(ReplyStream(next: { try left.withLock { $0.popFirst() }?.get() }, cancel: cancel))
        }
        let answer = try await service.answer(MethodCall(method: "org.example.Follow", more: true))
        guard case .stream(let stream) = answer else { throw VarlinkError.expectedMore }
        return stream
    }

    private func reply(_ parameters: String, continues: Bool = true) -> Result<Reply, VarlinkError> {
        .success(Reply(parameters: Array(parameters.utf8), continues: continues))
    }

    @Test("Each reply of a stream is checked, and an invalid one ends the stream")
    func stream() async throws {
        let cancelled = Mutex(0)
        let stream = try await follow([reply(#"{"n":1}"#), reply(#"{"n":"2"}"#)]) {
            cancelled.withLock { $0 += 1 }
        }
        #expect(try await stream.next()?.parameters == Array(#"{"n":1}"#.utf8))
        #expect(cancelled.withLock { $0 } == 0)
        await #expect(throws: InvalidReply(method: "org.example.Follow", reason: "the member n")) {
            try await stream.next()
        }
        #expect(cancelled.withLock { $0 } == 1)
    }

    @Test("A stream is not cancelled after its last reply, even if that is invalid")
    func lastOfStream() async throws {
        let stream = try await follow([reply("{}", continues: false)]) { Issue.record("cancelled") }
        await #expect(throws: InvalidReply.self) { try await stream.next() }
    }

    @Test("The end and the errors of a stream are checked as well")
    func endOfStream() async throws {
        #expect(try await follow([]).next() == nil)
        await #expect(throws: VarlinkError.expectedMore) {
            try await follow([.failure(.expectedMore)]).next()
        }
        let unheard = VarlinkError(name: "org.example.Unheard")
        for isChecked in [true, false] {
            await #expect(throws: InvalidReply.self) {
                try await follow([.failure(unheard)], isChecked: isChecked).next()
            }
        }
        let loose = try await follow([reply("{}")], isChecked: false)
        #expect(try await loose.next()?.parameters == emptyParameters)
    }

    @Test("An error that is not a Varlink error is unchanged")
    func otherErrors() async throws {
        let service = try service { _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) {
            try await service.answer(MethodCall(method: "org.example.Get"))
        }
    }
}
