import NIOCore
import NIOHTTP1

/// Sends one response. Writes one piece of its body at a time.
final class ResponseWriter {
    private let request: HTTPRequestHead
    private let response: Response
    private let context: ChannelHandlerContext
    /// Pieces to send before those of `body`.
    private var ready: [ByteBuffer] = []
    private var body = Body(ByteBuffer())

    init(_ request: HTTPRequestHead, _ response: Response, _ context: ChannelHandlerContext) {
        self.request = request
        self.response = response
        self.context = context
    }

    func send(_ reply: Reply) {
        var head = head(of: reply)
        guard reply.mayHaveBody else { return end(after: head) }
        body = reply.body
        let first = body.next() ?? ByteBuffer()
        if response.truncates {
            head.headers.replaceOrAdd(name: "content-length", value: String(first.readableBytes))
            let half = first.getSlice(at: first.readerIndex, length: first.readableBytes / 2) ?? ByteBuffer()
            context.write(wrap(.head(head)), promise: nil)
            context.writeAndFlush(wrap(.body(.byteBuffer(half))), promise: nil)
            context.close(promise: nil)
            return
        }
        ready = [first]
        if let second = body.next() {
            ready.append(second)
        } else {
            head.headers.replaceOrAdd(name: "content-length", value: String(first.readableBytes))
        }
        guard request.method != .HEAD else { return end(after: head) }
        context.write(wrap(.head(head)), promise: nil)
        sendNext()
    }

    /// Sends the headers without the body.
    func sendHeaders(_ reply: Reply) {
        var head = head(of: reply)
        head.headers.replaceOrAdd(name: "content-length", value: "1000")
        context.writeAndFlush(wrap(.head(head)), promise: nil)
    }

    private func head(of reply: Reply) -> HTTPResponseHead {
        var head = HTTPResponseHead(version: request.version, status: reply.status, headers: reply.headers)
        if !request.isKeepAlive { head.headers.replaceOrAdd(name: "connection", value: "close") }
        return head
    }

    private func end(after head: HTTPResponseHead) {
        context.write(wrap(.head(head)), promise: nil)
        finish()
    }

    private func sendNext() {
        guard let piece = nextPiece() else { return finish() }
        context.writeAndFlush(wrap(.body(.byteBuffer(piece)))).assumeIsolated().whenComplete { result in
            guard case .success = result else { return self.context.close(promise: nil) }
            // In a new task, so that other connections get their turn and the stack does not grow.
            self.context.eventLoop.assumeIsolated().scheduleTask(in: self.pause(after: piece)) {
                self.sendNext()
            }
        }
    }

    private func nextPiece() -> ByteBuffer? {
        if ready.isEmpty, let next = body.next() { ready.append(next) }
        guard !ready.isEmpty else { return nil }
        if let rate = response.bytesPerSecond, ready[0].readableBytes > 0 {
            // Ten pieces a second, or single bytes.
            let piece = ready[0].readSlice(length: min(max(1, rate / 10), ready[0].readableBytes))
            if ready[0].readableBytes == 0 { ready.removeFirst() }
            return piece
        }
        return ready.removeFirst()
    }

    private func pause(after piece: ByteBuffer) -> TimeAmount {
        guard let rate = response.bytesPerSecond else { return .nanoseconds(0) }
        return .nanoseconds(Int64(piece.readableBytes) * 1_000_000_000 / Int64(rate))
    }

    private func finish() {
        context.writeAndFlush(wrap(.end(nil)), promise: nil)
        if !request.isKeepAlive { context.close(promise: nil) }
    }

    private func wrap(_ part: HTTPServerResponsePart) -> NIOAny { NIOAny(part) }
}
