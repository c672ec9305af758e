import StrictJSON

/// A client connection with blocking calls.
///
/// A call that ends without a reply (timeout, interruption, violation) closes the connection, because a late
/// reply would be taken for the next call's. Later calls throw `.closed`. Closes when released.
package final class VarlinkClient {
    package enum Next: Sendable {
        case proceed
        /// Closes the connection, which cancels the call.
        case stop
    }

    /// Called before each wait for a reply; returns after how long to call it again. Ends the call by
    /// throwing.
    package typealias Idle = () throws -> Duration

    package static let maximumReplyLength = 16 << 20
    /// Nesting of a reply, its own object included.
    static let maximumReplyDepth = 64

    /// Nil once closed.
    private var socket: BlockingSocket?
    private var frames = FrameDecoder(maximumLength: maximumReplyLength)
    /// Stops the client from another thread or a signal handler: its calls throw `.interrupted`.
    package let interrupt: @Sendable () -> Void

    /// - Parameter timeout: for connecting.
    package init(path: String, timeout: Duration = .seconds(5)) throws(VarlinkClientError) {
        let socket = try BlockingSocket(path: path, timeout: timeout)
        self.socket = socket
        interrupt = { socket.interrupt() }
    }

    /// The process that created the listening socket: the service, or the manager that passed it. Nil if
    /// unknown.
    package var listener: Int32? { socket?.credentials?.process }

    /// Returns the reply's parameters, a JSON object. Throws `VarlinkError` for an error reply, and
    /// `VarlinkClientError` if there is no reply.
    ///
    /// - Parameters:
    ///   - method: fully qualified.
    ///   - parameters: a JSON object.
    ///   - timeout: for the complete reply; nil waits forever.
    ///   - whenIdle: makes the timeout void.
    package func call(
        _ method: String, parameters: [UInt8] = emptyParameters, timeout: Duration?, whenIdle: Idle? = nil
    ) throws -> [UInt8] {
        var result = emptyParameters
        try callMore(method, parameters: parameters, more: false, timeout: timeout, whenIdle: whenIdle) {
            reply in
            result = Array(reply.raw)
            return .proceed
        }
        return result
    }

    /// Passes the parameters of each reply to `body`.
    ///
    /// - Parameters:
    ///   - more: calls with `more`; without it, a second reply is an error.
    ///   - timeout: for each reply; nil waits forever.
    ///   - whenIdle: makes the timeout void.
    package func callMore(
        _ method: String, parameters: [UInt8] = emptyParameters, more: Bool = true, timeout: Duration?,
        whenIdle: Idle? = nil, _ body: (JSONValue) throws -> Next
    ) throws {
        guard let socket else { throw VarlinkClientError.closed }
        // The connection is kept only if the last reply is read.
        self.socket = nil
        defer { if self.socket == nil { socket.hangUp() } }
        guard frames.count == 0 else { throw VarlinkClientError.violation("an unexpected reply") }
        var call = [
            (name: "method", value: StrictJSON.quoted(method)), (name: "parameters", value: parameters),
        ]
        if more { call.append(("more", Array("true".utf8))) }
        try socket.send(StrictJSON.object(call) + [0], until: deadline(timeout))
        while true {
            let reply = try nextReply(from: socket, until: deadline(timeout), whenIdle)
            guard more || !reply.continues else {
                throw VarlinkClientError.violation("several replies to a call without more")
            }
            if !reply.continues { self.socket = socket }
            if let error = reply.error { throw error }
            if try body(reply.parameters) == .stop || !reply.continues { return }
        }
    }

    private func deadline(_ timeout: Duration?) -> BlockingSocket.Instant? {
        timeout.map { .now + $0 }
    }

    private func nextReply(
        from socket: BlockingSocket, until deadline: BlockingSocket.Instant?, _ whenIdle: Idle?
    ) throws -> IncomingReply {
        while true {
            do {
                if let frame = try frames.next() {
                    return try IncomingReply(frame, maximumDepth: Self.maximumReplyDepth)
                }
            } catch let error as ProtocolViolation {
                throw VarlinkClientError.violation(error.description)
            } catch {
                throw VarlinkClientError.violation(
                    "a reply is longer than \(Self.maximumReplyLength) bytes")
            }
            let next = try whenIdle.map { .now + (try $0()) } ?? deadline
            do throws(VarlinkClientError) {
                frames.append(try socket.receive(until: next))
            } catch {
                guard error == .timedOut, whenIdle != nil else { throw error }
            }
        }
    }
}

private struct IncomingReply {
    var parameters = JSONValue(trusting: emptyParameters)
    var continues = false
    var error: VarlinkError?

    init(_ frame: ArraySlice<UInt8>, maximumDepth: Int) throws(ProtocolViolation) {
        var errorName: String?
        for (name, value) in try messageMembers(frame, maximumDepth: maximumDepth) {
            switch (name, value.kind) {
            case ("parameters", .object): parameters = value
            case ("continues", .bool): continues = value.bool ?? false
            case ("error", .string): errorName = value.string
            // Some servers send null for absent members; sd-varlink refuses it.
            case ("parameters", .null), ("continues", .null), ("error", .null): break
            case ("parameters", _), ("continues", _), ("error", _):
                throw ProtocolViolation("a reply's \(name) has the wrong type")
            default: try refuseUnlessExtension(name)
            }
        }
        guard let errorName else { return }
        guard !continues else { throw ProtocolViolation("an error reply has continues set") }
        error = VarlinkError(name: errorName, parameters: Array(parameters.raw))
    }
}
