import StrictJSON

package enum Answer: Sendable {
    /// The parameters of one reply, a JSON object.
    case single([UInt8])
    /// Several replies. A call without `more` gets only the first.
    case stream(ReplyStream)
}

/// A stream that is pulled: the next reply is requested once the one before is being sent, so a slow client does not
/// make a queue grow.
package struct ReplyStream: Sendable {
    /// The last reply has `continues` false; nothing is requested after it. An error ends the stream. Nil means that
    /// no more replies follow; the connection is closed.
    package let next: @Sendable () async throws -> Reply?
    /// Ends the stream early. Called at most once, possibly during `next`, and not after the last reply.
    package let cancel: @Sendable () -> Void

    package init(
        next: @escaping @Sendable () async throws -> Reply?, cancel: @escaping @Sendable () -> Void = {}
    ) {
        self.next = next
        self.cancel = cancel
    }
}

package struct InterfaceHandler: Sendable {
    package let interface: Interface
    /// The served text of the interface.
    package let description: String
    /// Called only for declared methods with valid parameters. The task is cancelled when the client disconnects,
    /// except for oneway calls.
    package let handle: @Sendable (MethodCall) async throws -> Answer

    package init(
        description: String, handle: @escaping @Sendable (MethodCall) async throws -> Answer
    ) throws(InterfaceSyntaxError) {
        interface = try Interface(parsing: description)
        self.description = description
        self.handle = handle
    }
}

/// The interfaces of one server, including org.varlink.service.
package struct VarlinkService: Sendable {
    private let handlers: [InterfaceHandler]
    private let uncheckedReplies: Set<String>

    /// - Parameter uncheckedReplies: qualified names of methods whose replies are not validated. Errors always are.
    package init(
        vendor: String, product: String, version: String, url: String, interfaces: [InterfaceHandler],
        uncheckedReplies: Set<String> = []
    ) throws(InterfaceSyntaxError) {
        let description = String(decoding: PackageResources.org_varlink_service_varlink, as: UTF8.self)
        let names = ["org.varlink.service"] + interfaces.map(\.interface.name)
        let descriptions = [description] + interfaces.map(\.description)
        let info = StrictJSON.object([
            ("vendor", StrictJSON.quoted(vendor)), ("product", StrictJSON.quoted(product)),
            ("version", StrictJSON.quoted(version)), ("url", StrictJSON.quoted(url)),
            ("interfaces", StrictJSON.array(names)),
        ])
        let ownHandler = try InterfaceHandler(description: description) { call in
            if call.methodName == "GetInfo" { return .single(info) }
            let name = try JSONValue(validating: call.parameters, maximumDepth: 1)["interface"]?.string ?? ""
            guard let index = names.firstIndex(where: name.isSpelled) else {
                throw VarlinkError.interfaceNotFound(name)
            }
            return .single(StrictJSON.object([("description", StrictJSON.quoted(descriptions[index]))]))
        }
        handlers = [ownHandler] + interfaces
        self.uncheckedReplies = uncheckedReplies
    }

    /// Throws a `VarlinkError` to be sent as the reply. For any other error, of this or of the stream, there is
    /// nothing to send. Throws `InvalidReply` for a reply or error that the interface does not declare.
    package func answer(_ call: MethodCall) async throws -> Answer {
        try await checkingErrors(of: call) {
            let (handler, method) = try handler(of: call)
            let check = replyCheck(of: call, method, handler.interface)
            switch try await handler.handle(call) {
            case .single(let parameters):
                try check(parameters)
                return .single(parameters)
            case .stream(let stream):
                return .stream(checked(stream, of: call, check))
            }
        }
    }

    private func handler(of call: MethodCall) throws -> (InterfaceHandler, Interface.Method) {
        let name = QualifiedName(call.method)
        guard !name.interface.isEmpty else { throw VarlinkError.methodNotFound(call.method) }
        guard let handler = handlers.first(where: { $0.interface.name.isSpelled(as: name.interface) }) else {
            throw VarlinkError.interfaceNotFound(name.interface)
        }
        guard let method = handler.interface.method(name.name) else {
            throw VarlinkError.methodNotFound(call.method)
        }
        guard call.more || !method.requiresMore else { throw VarlinkError.expectedMore }
        let parameters = try JSONValue(validating: call.parameters, maximumDepth: .max)
        if let name = handler.interface.invalidParameter(in: parameters, fields: method.input) {
            throw VarlinkError.invalidParameter(name)
        }
        return (handler, method)
    }

    private typealias ReplyCheck = @Sendable (_ parameters: [UInt8]) throws(InvalidReply) -> Void

    private func replyCheck(
        of call: MethodCall, _ method: Interface.Method, _ interface: Interface
    ) -> ReplyCheck {
        guard !uncheckedReplies.contains(call.method) else { return { _ in } }
        return { parameters throws(InvalidReply) in
            if let fault = interface.fault(in: parameters, fields: method.output) {
                throw InvalidReply(method: call.method, reason: fault)
            }
        }
    }

    private func checked(
        _ stream: ReplyStream, of call: MethodCall, _ check: @escaping ReplyCheck
    ) -> ReplyStream {
        ReplyStream(
            next: {
                guard let reply = try await checkingErrors(of: call, stream.next) else { return nil }
                do {
                    try check(reply.parameters)
                } catch {
                    if reply.continues { stream.cancel() }
                    throw error
                }
                return reply
            }, cancel: stream.cancel)
    }

    private func checkingErrors<Result>(
        of call: MethodCall, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as VarlinkError {
            if let fault = fault(in: error) { throw InvalidReply(method: call.method, reason: fault) }
            throw error
        }
    }

    private func fault(in error: VarlinkError) -> String? {
        let name = QualifiedName(error.name)
        let interface = handlers.first { $0.interface.name.isSpelled(as: name.interface) }?.interface
        guard let interface, let declared = interface.error(name.name) else {
            return "the error \(error.name) is not declared"
        }
        return interface.fault(in: error.parameters, fields: declared.fields).map { "\(error.name): \($0)" }
    }
}

extension Interface {
    /// Why `parameters` don't match; nil if they do.
    fileprivate func fault(in parameters: [UInt8], fields: [Field]) -> String? {
        do {
            let value = try JSONValue(
                validating: parameters, maximumDepth: VarlinkClient.maximumReplyDepth - 1)
            guard value.kind == .object else { return "the parameters are not an object" }
            return invalidParameter(in: value, fields: fields).map { "the member \($0)" }
        } catch {
            return "the parameters are not valid JSON: \(error)"
        }
    }
}
