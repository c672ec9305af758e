import Logging
import NIOCore
import NIOHTTP1
import Varlink

/// The requests of one connection, one after the other.
struct Conversation {
    let connection: CardDAVServer.Connection
    let connections: OpenConnections
    let guards: Guards
    let responder: Responder?
    /// Before a wrong password is refused.
    let pause: @Sendable () async throws -> Void
    let logger: Logger

    private typealias Inbound = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    private typealias Outbound = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    private var limits: OpenConnections.Limits { connections.limits }
    private var channel: any Channel { connection.channel }

    /// Ends with the connection. A client's disconnect or protocol error affects only its connection.
    func run() async {
        do {
            try await connection.executeThenClose { inbound, outbound in
                var parts = inbound.makeAsyncIterator()
                while let head = try await head(&parts, outbound) {
                    let isAllowed = try await converse(head, &parts, outbound)
                    guard let isAllowed else { return }
                    connections.advance(
                        channel, to: isAllowed ? .idle : .new, within: limits.nextRequest)
                }
            }
        } catch let error as VarlinkError {
            logger.warning("The address book can't be read", metadata: ["reason": "\(error)"])
        } catch {
            logger.debug("A connection to the address book failed", metadata: ["reason": "\(error)"])
        }
    }

    /// The next request; nil if the connection ends, or has something else.
    private func head(_ parts: inout Inbound, _ outbound: Outbound) async throws -> HTTPRequestHead? {
        do {
            guard case .head(let head)? = try await parts.next() else { return nil }
            return head
        } catch let error as HTTPParserError {
            let isLarge = error == .headerOverflow
            var answer = Answer.text(
                isLarge ? 431 : 400,
                isLarge ? "the headers are larger than 16 KiB" : "this is not a request of HTTP/1.1")
            answer.closes = true
            try await send(answer, to: HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"), outbound)
            return nil
        }
    }

    /// Answers one request. Returns whether it had the right password; nil if the connection ends.
    private func converse(
        _ head: HTTPRequestHead, _ parts: inout Inbound, _ outbound: Outbound
    ) async throws -> Bool? {
        let path = guards.path(of: head.uri)
        let verdict = guards.verdict(head.method.rawValue, path) { head.headers[$0] }
        let isAllowed = if case .allowed = verdict { true } else { false }
        connections.advance(channel, to: isAllowed ? .busy : .new, within: limits.transfer)
        if head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
            try await outbound.write(.head(HTTPResponseHead(version: head.version, status: .continue)))
        }
        var answer: Answer
        do throws(RefusedRequest) {
            let request = try await body(of: head, isAllowed: isAllowed, &parts)
            connections.advance(channel, within: limits.transfer)
            switch verdict {
            case .allowed:
                answer = try await allowed(head, path, request)
            case .answered(let ready), .refused(let ready): answer = ready
            case .unauthorised(let isWrong):
                if isWrong { try? await pause() }
                answer = Guards.unauthorised
            }
        } catch {
            answer = error.condition.map { .error(error.status, $0) } ?? .text(error.status, error.reason)
            // The rest of the request was not read.
            answer.closes = true
        }
        if isLast(head) { answer.closes = true }
        // A card's path ends with a person's id, which is not logged.
        let place = path.prefix(Resource.bookPath.count)
        logger.debug(
            "Address book",
            metadata: ["method": "\(head.method)", "path": "\(place)", "status": "\(answer.status)"])
        try await send(answer, to: head, outbound)
        return answer.closes ? nil : isAllowed
    }

    /// Whether no request can follow this one. After CONNECT and the offer of another protocol the rest is not read as
    /// requests. An answer without a length ends with the connection in HTTP/1.0.
    private func isLast(_ head: HTTPRequestHead) -> Bool {
        !head.isKeepAlive || head.version != .http1_1 || head.method == .CONNECT
            || head.headers.contains(name: "Upgrade")
    }

    private func allowed(
        _ head: HTTPRequestHead, _ path: Substring, _ request: DAVRequest?
    ) async throws(RefusedRequest) -> Answer {
        guard let responder else { throw RefusedRequest(status: 503, reason: "there is no address book") }
        do {
            return try await responder.answer(
                head.method.rawValue, path, depth: head.headers["Depth"].first?.lowercased(),
                ifNoneMatch: head.headers[canonicalForm: "If-None-Match"].map(String.init),
                accept: head.headers["Accept"].first, request)
        } catch {
            throw RefusedRequest(status: 500, reason: "\(error)")
        }
    }

    /// Reads the body to its end. Nil if there is none, or none that counts.
    private func body(
        of head: HTTPRequestHead, isAllowed: Bool, _ parts: inout Inbound
    ) async throws(RefusedRequest) -> DAVRequest? {
        let isRead = isAllowed && [.PROPFIND, .REPORT].contains(head.method)
        let reader = isRead ? RequestReader() : nil
        var count = 0
        while true {
            let part: HTTPServerRequestPart?
            do { part = try await parts.next() } catch { throw .malformed("\(error)") }
            switch part {
            case .body(let buffer):
                count += buffer.readableBytes
                guard count <= CardDAVServer.maximumBody else {
                    throw RefusedRequest(status: 413, reason: "the request is larger than 32 MiB")
                }
                guard let reader else { continue }
                let result = buffer.withUnsafeReadableBytes { bytes in
                    Result { () throws(RefusedRequest) in try reader.read(bytes) }
                }
                try result.get()
            case .end: return try reader?.finish()
            case .head, nil: throw .malformed("the request is incomplete")
            }
        }
    }

    private func send(_ answer: Answer, to head: HTTPRequestHead, _ outbound: Outbound) async throws {
        var headers = HTTPHeaders(Guards.headers + answer.headers.map { ($0.name, $0.value) })
        if answer.closes { headers.add(name: "Connection", value: "close") }
        if case .whole(let bytes) = answer.body, answer.status != 304 {
            headers.add(name: "Content-Length", value: "\(bytes.count)")
        }
        let status = HTTPResponseStatus(statusCode: answer.status)
        try await outbound.write(
            .head(HTTPResponseHead(version: head.version, status: status, headers: headers)))
        let send = { (bytes: [UInt8]) in
            connections.advance(channel, within: limits.transfer)
            guard !bytes.isEmpty, head.method != .HEAD else { return }
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
        }
        switch answer.body {
        case .whole(let bytes): if answer.status != 304 { try await send(bytes) }
        case .parts(let write): try await write(send)
        }
        // Waits until all has left: a connection that is closed loses the rest.
        try await channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
    }
}
