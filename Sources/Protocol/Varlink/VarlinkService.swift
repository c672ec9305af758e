import StrictJSON

package enum Answer: Sendable {
    /// The parameters of one reply, a JSON object.
    case single([UInt8])
    /// Several replies. A call without `more` gets only the first.
    case stream(ReplyStream)
}

/// A stream that is pulled: the next reply is requested once the one before is being sent, so a slow client
/// does not make a queue grow.
package struct ReplyStream: Sendable {
    /// The last reply has `continues` false; nothing is requested after it. An error ends the stream. Nil
    /// means that no more replies follow; the connection is closed.
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

/// A call that has been looked up and checked.
package enum StartedCall: Sendable {
    /// The parameters of the only reply were at hand.
    case answered([UInt8])
    /// Computes the answer.
    case pending(@Sendable () async throws -> Answer)
}

package struct InterfaceHandler: Sendable {
    package let interface: Interface
    /// The served text of the interface.
    package let description: String
    /// The reply's parameters, if they are at hand; nil otherwise. Called before `handle`, on the server's
    /// event loop, so it must not block.
    package let answerNow: @Sendable (MethodCall) throws -> [UInt8]?
    /// Called only for declared methods with valid parameters. The task is cancelled when the client
    /// disconnects, except for oneway calls.
    package let handle: @Sendable (MethodCall) async throws -> Answer

    package init(
        description: String, answerNow: @escaping @Sendable (MethodCall) throws -> [UInt8]? = { _ in nil },
        handle: @escaping @Sendable (MethodCall) async throws -> Answer
    ) throws(InterfaceSyntaxError) {
        interface = try Interface(parsing: description)
        (self.description, self.answerNow, self.handle) = (description, answerNow, handle)
    }
}

/// The interfaces of one server, including org.varlink.service.
package struct VarlinkService: Sendable {
    private let handlers: [InterfaceHandler]
    /// By qualified name.
    private let methods: [String: DeclaredMethod]
    private let checksReplies: Bool

    /// - Parameter checksReplies: whether replies are validated. Errors always are.
    package init(
        vendor: String, product: String, version: String, url: String, interfaces: [InterfaceHandler],
        checksReplies: Bool = true
    ) throws(InterfaceSyntaxError) {
        let own = try InterfaceHandler.ownService(vendor, product, version, url, interfaces)
        handlers = [own] + interfaces
        var methods: [String: DeclaredMethod] = [:]
        for handler in handlers {
            for method in handler.interface.methods {
                methods[handler.interface.name + "." + method.name] = DeclaredMethod(
                    handler: handler, input: method.input, output: method.output,
                    requiresMore: method.requiresMore)
            }
        }
        self.methods = methods
        self.checksReplies = checksReplies
    }

    /// Looks the method up, checks the parameters, and answers if the answer is at hand. Does not block.
    ///
    /// This and the pending work throw a `VarlinkError` to be sent as the reply. For any other error, of these
    /// or of the stream, there is nothing to send. Throws `InvalidReply` for a reply or error that the
    /// interface does not declare.
    package func start(_ call: MethodCall) throws -> StartedCall {
        let method = try method(of: call)
        guard call.more || !method.requiresMore else { throw VarlinkError.expectedMore }
        let parameters = JSONValue(trusting: call.parameters)
        if let name = method.handler.interface.invalidParameter(in: parameters, fields: method.input) {
            throw VarlinkError.invalidParameter(name)
        }
        do {
            if let parameters = try method.handler.answerNow(call) {
                try check(parameters, of: call, method)
                return .answered(parameters)
            }
        } catch {
            throw checked(error, of: call)
        }
        return .pending { try await answer(call, method) }
    }

    private func answer(_ call: MethodCall, _ method: DeclaredMethod) async throws -> Answer {
        do {
            switch try await method.handler.handle(call) {
            case .single(let parameters):
                try check(parameters, of: call, method)
                return .single(parameters)
            case .stream(let stream):
                return .stream(checked(stream, of: call, method))
            }
        } catch {
            throw checked(error, of: call)
        }
    }

    private func method(of call: MethodCall) throws(VarlinkError) -> DeclaredMethod {
        let name = call.method
        // Equal strings may differ in bytes.
        if let index = methods.index(forKey: name), methods[index].key.isSpelled(as: name) {
            return methods[index].value
        }
        let interface = QualifiedName(name).interface
        guard interface.isEmpty || handler(of: interface) != nil else { throw .interfaceNotFound(interface) }
        throw .methodNotFound(name)
    }

    private func handler(of interface: String) -> InterfaceHandler? {
        handlers.first { $0.interface.name.isSpelled(as: interface) }
    }

    private func check(
        _ parameters: [UInt8], of call: MethodCall, _ method: DeclaredMethod
    ) throws(InvalidReply) {
        guard checksReplies else { return }
        if let fault = method.handler.interface.fault(in: parameters, fields: method.output) {
            throw InvalidReply(method: call.method, reason: fault)
        }
    }

    /// The error to throw in place of this one.
    private func checked(_ error: any Error, of call: MethodCall) -> any Error {
        guard let error = error as? VarlinkError, let fault = fault(in: error) else { return error }
        return InvalidReply(method: call.method, reason: fault)
    }

    private func checked(_ stream: ReplyStream, of call: MethodCall, _ method: DeclaredMethod) -> ReplyStream
    {
        ReplyStream(
            next: {
                let next: Reply?
                do { next = try await stream.next() } catch { throw checked(error, of: call) }
                guard let reply = next else { return nil }
                do {
                    try check(reply.parameters, of: call, method)
                } catch {
                    if reply.continues { stream.cancel() }
                    throw error
                }
                return reply
            }, cancel: stream.cancel)
    }

    private func fault(in error: VarlinkError) -> String? {
        let name = QualifiedName(error.name)
        let interface = handler(of: name.interface)?.interface
        guard let interface, let declared = interface.error(name.name) else {
            return "the error \(error.name) is not declared"
        }
        return interface.fault(in: error.parameters, fields: declared.fields).map { "\(error.name): \($0)" }
    }
}

private struct DeclaredMethod: Sendable {
    let handler: InterfaceHandler
    let input: [Interface.Field]
    let output: [Interface.Field]
    let requiresMore: Bool
}

extension Interface {
    /// The reason why `parameters` don't match; nil if they do.
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
