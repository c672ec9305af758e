import StrictJSON

/// How a handler answers a call.
package enum Answer: Sendable {
    /// One reply: its parameters, a JSON object.
    case single([UInt8])
    /// Several replies; for calls with `more`. A call without it gets the first one alone.
    case stream(ReplyStream)
}

/// Replies that are pulled: the next one is asked for when the one before is on its way to the client. A client that
/// reads slowly therefore makes nothing grow here.
package struct ReplyStream: Sendable {
    /// The last reply has `continues` false, and nothing is asked for after it. An error ends the stream too. nil says
    /// that there will be no last reply: the connection is closed.
    package let next: @Sendable () async throws -> Reply?
    /// Nobody wants the rest. Called at most once, maybe while `next` runs, and not after the last reply.
    package let cancel: @Sendable () -> Void

    package init(
        next: @escaping @Sendable () async throws -> Reply?, cancel: @escaping @Sendable () -> Void = {}
    ) {
        self.next = next
        self.cancel = cancel
    }
}

/// An interface and who answers its calls.
package struct InterfaceHandler: Sendable {
    package let interface: Interface
    /// The interface's text as it is served, to the letter.
    package let description: String
    /// Called only with methods that the interface declares and parameters that fit them. The task is cancelled when the
    /// client goes away, unless it wanted no reply.
    package let handle: @Sendable (MethodCall) async throws -> Answer

    package init(
        description: String, handle: @escaping @Sendable (MethodCall) async throws -> Answer
    ) throws(InterfaceSyntaxError) {
        interface = try Interface(parsing: description)
        self.description = description
        self.handle = handle
    }
}

/// The interfaces that one socket serves, org.varlink.service among them.
package struct VarlinkService: Sendable {
    private let handlers: [InterfaceHandler]
    private let errorReply: @Sendable (any Error) -> VarlinkError?

    /// - Parameters:
    ///   - errorReply: what to answer where a handler throws something else than a `VarlinkError`. nil closes the
    ///     connection.
    package init(
        vendor: String, product: String, version: String, url: String, interfaces: [InterfaceHandler],
        errorReply: @escaping @Sendable (any Error) -> VarlinkError? = { _ in nil }
    ) throws(InterfaceSyntaxError) {
        let description = String(decoding: PackageResources.org_varlink_service_varlink, as: UTF8.self)
        let names = ["org.varlink.service"] + interfaces.map(\.interface.name)
        let descriptions = [description] + interfaces.map(\.description)
        let info = jsonObject([
            ("vendor", StrictJSON.quoted(vendor)), ("product", StrictJSON.quoted(product)),
            ("version", StrictJSON.quoted(version)), ("url", StrictJSON.quoted(url)),
            ("interfaces", jsonArray(names)),
        ])
        let ownHandler = try InterfaceHandler(description: description) { call in
            if call.methodName == "GetInfo" { return .single(info) }
            let name = try JSONValue(validating: call.parameters, maximumDepth: 1)["interface"]?.string ?? ""
            guard let index = names.firstIndex(where: name.isSpelled) else {
                throw VarlinkError.interfaceNotFound(name)
            }
            return .single(jsonObject([("description", StrictJSON.quoted(descriptions[index]))]))
        }
        handlers = [ownHandler] + interfaces
        self.errorReply = errorReply
    }

    /// Throws a `VarlinkError`, or whatever the handler threw; see `reply(to:)`.
    package func answer(_ call: MethodCall) async throws -> Answer {
        guard !call.interfaceName.isEmpty else { throw VarlinkError.methodNotFound(call.method) }
        guard let handler = handlers.first(where: { $0.interface.name.isSpelled(as: call.interfaceName) })
        else {
            throw VarlinkError.interfaceNotFound(call.interfaceName)
        }
        guard let method = handler.interface.method(call.methodName) else {
            throw VarlinkError.methodNotFound(call.method)
        }
        guard call.more || !method.requiresMore else { throw VarlinkError.expectedMore }
        let parameters = try JSONValue(validating: call.parameters, maximumDepth: .max)
        if let name = handler.interface.invalidParameter(in: parameters, fields: method.input) {
            throw VarlinkError.invalidParameter(name)
        }
        return try await handler.handle(call)
    }

    /// What to answer where a handler or its stream threw `error`; nil where the connection is to be closed.
    package func reply(to error: any Error) -> VarlinkError? {
        error as? VarlinkError ?? errorReply(error)
    }
}

private func jsonArray(_ strings: [String]) -> [UInt8] {
    let elements = strings.map { StrictJSON.quoted($0) }
    return [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
}
