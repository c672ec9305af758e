import StrictJSON

/// A connection to a Varlink service whose calls block. For programs that have nothing else to do meanwhile.
///
/// A call that does not end with a reply (a timeout, an interruption, a violation) closes the connection, since a late
/// reply would be taken for the next call's: the calls after it throw `.closed`. Closed, too, when it is let go.
package final class VarlinkClient {
    package enum Next: Sendable {
        case proceed
        /// Closes the connection, which is how Varlink cancels.
        case stop
    }

    /// Stops a client from another thread, or from a signal handler: what it does then throws `.interrupted`.
    package struct Interrupter: Sendable {
        fileprivate let socket: BlockingSocket

        package func interrupt() {
            socket.interrupt()
        }
    }

    /// In bytes.
    package static let maximumReplyLength = 16 << 20
    /// Of a message, its own object included.
    static let maximumReplyDepth = 64

    /// nil once it is closed.
    private var socket: BlockingSocket?
    private var frames = FrameDecoder(maximumLength: maximumReplyLength)
    package let interrupter: Interrupter

    /// - Parameter timeout: for connecting.
    package init(path: String, timeout: Duration = .seconds(5)) throws(VarlinkClientError) {
        let socket = try BlockingSocket(path: path, timeout: timeout)
        self.socket = socket
        interrupter = Interrupter(socket: socket)
    }

    /// The process that listened for this connection: the service's, or whoever passed it the socket. Nil where that can't
    /// be known.
    package var listener: Int32? { socket?.listener }

    /// Returns the reply's parameters, a JSON object. Throws a `VarlinkError` where the reply is one, and a
    /// `VarlinkClientError` where there is none.
    ///
    /// - Parameters:
    ///   - method: fully qualified.
    ///   - parameters: a JSON object.
    ///   - timeout: until the whole reply has come; nil waits for as long as it takes.
    package func call(
        _ method: String, parameters: [UInt8] = emptyParameters, timeout: Duration?
    ) throws -> [UInt8] {
        var result = emptyParameters
        try exchange(method, parameters: parameters, more: false, timeout: timeout) { reply in
            result = reply
            return .proceed
        }
        return result
    }

    /// Calls with `more`, and `body` with the parameters of each reply.
    ///
    /// - Parameter timeout: for each reply.
    package func callMore(
        _ method: String, parameters: [UInt8] = emptyParameters, timeout: Duration?,
        _ body: ([UInt8]) throws -> Next
    ) throws {
        try exchange(method, parameters: parameters, more: true, timeout: timeout, body)
    }

    private func exchange(
        _ method: String, parameters: [UInt8], more: Bool, timeout: Duration?,
        _ body: ([UInt8]) throws -> Next
    ) throws {
        guard let socket else { throw VarlinkClientError.closed }
        guard frames.count == 0 else { throw VarlinkClientError.violation("a reply that nobody asked for") }
        // Whatever happens before the last reply has been read leaves the connection closed.
        self.socket = nil
        defer { if self.socket == nil { socket.hangUp() } }
        var call = [
            (name: "method", value: StrictJSON.quoted(method)), (name: "parameters", value: parameters),
        ]
        if more { call.append(("more", Array("true".utf8))) }
        try socket.send(StrictJSON.object(call) + [0], until: deadline(timeout))
        while true {
            let reply = try nextReply(from: socket, until: deadline(timeout))
            guard more || !reply.continues else {
                throw VarlinkClientError.violation("more replies than were asked for")
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
        from socket: BlockingSocket, until deadline: BlockingSocket.Instant?
    ) throws(VarlinkClientError) -> IncomingReply {
        do {
            while true {
                if let frame = try frames.next() {
                    return try IncomingReply(frame, maximumDepth: Self.maximumReplyDepth)
                }
                frames.append(try socket.receive(until: deadline))
            }
        } catch let error as VarlinkClientError {
            throw error
        } catch let error as ProtocolViolation {
            throw .violation(error.description)
        } catch {
            throw .violation("more than \(Self.maximumReplyLength) bytes")
        }
    }
}

/// A message of a server.
private struct IncomingReply {
    var parameters = emptyParameters
    var continues = false
    var error: VarlinkError?

    init(_ frame: ArraySlice<UInt8>, maximumDepth: Int) throws(ProtocolViolation) {
        var errorName: String?
        for (name, value) in try messageMembers(frame, maximumDepth: maximumDepth) {
            switch (name, value.kind) {
            case ("parameters", .object): parameters = Array(value.raw)
            case ("continues", .bool): continues = value.bool ?? false
            case ("error", .string): errorName = value.string
            // sd-varlink refuses null, others send it for absent.
            case ("parameters", .null), ("continues", .null), ("error", .null): break
            case ("parameters", _), ("continues", _), ("error", _):
                throw ProtocolViolation("a reply whose \(name) is of the wrong type")
            default: try refuseUnlessExtension(name)
            }
        }
        guard let errorName else { return }
        guard !continues else { throw ProtocolViolation("an error that more replies follow") }
        error = VarlinkError(name: errorName, parameters: parameters)
    }
}
