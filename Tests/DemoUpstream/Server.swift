import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Answers a request with a reply, and with faults that may keep it from arriving.
typealias Answering = @Sendable (Request) -> (Reply, FaultEffects)

/// A port that is opened and closed repeatedly.
actor Server {
    private let port: Int
    private let answer: Answering
    /// The connections; nil while it is closed.
    private let connections = Mutex<[ObjectIdentifier: any Channel]?>(nil)
    private var channel: (any Channel)?

    init(port: Int, answer: @escaping Answering) { (self.port, self.answer) = (port, answer) }

    /// Must not be called again before it returns.
    func set(open: Bool) async throws {
        guard open != (channel != nil) else { return }
        if open {
            connections.withLock { $0 = [:] }
            channel = try await bootstrap().bind(host: DemoUpstream.host, port: port).get()
        } else {
            try? await channel?.close()
            channel = nil
            let open = connections.withLock { connections in
                defer { connections = nil }
                return connections ?? [:]
            }
            for connection in open.values { try? await connection.close() }
        }
    }

    private func bootstrap() -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try self.add(channel)
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(RequestReader(self.answer))
                }
            }
    }

    private nonisolated func add(_ channel: any Channel) throws {
        let key = ObjectIdentifier(channel)
        try connections.withLock { connections in
            guard connections != nil else { throw ChannelError.ioOnClosedChannel }
            connections?[key] = channel
        }
        channel.closeFuture.whenComplete { _ in self.connections.withLock { $0?[key] = nil } }
    }
}

/// Answers the requests of a connection, one at a time.
private final class RequestReader: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let answer: Answering
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var writing: Task<Void, Never>?

    init(_ answer: @escaping Answering) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part):
            if body.readableBytes < 1 << 20 { body.writeBuffer(&part) }
        case .end:
            guard let head else { return }
            let (reply, effects) = answer(Request(head, body: body))
            let writer = ReplyWriter(context.channel, head, effects)
            writing = Task { await writer.write(reply) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        writing?.cancel()
        context.fireChannelInactive()
    }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Sends one reply, a piece of its body at a time. Runs on the event loop of its connection, so that tests that keep
/// Swift's threads busy don't delay it.
private actor ReplyWriter {
    private let channel: any Channel
    private let request: HTTPRequestHead
    private let effects: FaultEffects
    private let executor: any SerialExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ channel: any Channel, _ request: HTTPRequestHead, _ effects: FaultEffects) {
        (self.channel, self.request, self.effects) = (channel, request, effects)
        executor = channel.eventLoop.executor
    }

    func write(_ reply: Reply) async {
        do {
            if let milliseconds = effects.milliseconds {
                try await Task.sleep(for: .milliseconds(milliseconds))
            }
            switch effects.answer {
            case .reset:
                // With a linger time of zero, close sends RST instead of FIN (socket(7)).
                try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                    .get()
                try await channel.close()
            case .rubbish(.bytes): try await writeRubbish()
            case .stall: try await flush(.head(head(of: reply, length: 1000)))
            case .truncate: try await write(halfOf: reply)
            default: try await write(whole: reply)
            }
        } catch {
            try? await channel.close()
        }
    }

    private func write(whole reply: Reply) async throws {
        let pieces = reply.mayHaveBody ? reply.body.pieces() : AnyIterator { nil }
        var (piece, following) = (pieces.next(), pieces.next())
        let length = following == nil && reply.mayHaveBody ? piece?.readableBytes ?? 0 : nil
        channel.write(HTTPServerResponsePart.head(head(of: reply, length: length)), promise: nil)
        while request.method != .HEAD, let bytes = piece {
            try await write(bytes)
            (piece, following) = (following ?? pieces.next(), nil)
        }
        try await flush(.end(nil))
        if !request.isKeepAlive { try await channel.close() }
    }

    /// Sends the bytes at once; if there is a rate, ten slices or fewer a second.
    private func write(_ bytes: ByteBuffer) async throws {
        guard let rate = effects.bytesPerSecond else { return try await flush(.body(.byteBuffer(bytes))) }
        var bytes = bytes
        while let slice = bytes.readSlice(length: min(max(1, rate / 10), bytes.readableBytes)),
            slice.readableBytes > 0
        {
            try await flush(.body(.byteBuffer(slice)))
            try await Task.sleep(for: .seconds(1) * slice.readableBytes / rate)
        }
    }

    private func write(halfOf reply: Reply) async throws {
        var bytes = reply.body.pieces().next() ?? ByteBuffer()
        try await flush(.head(head(of: reply, length: bytes.readableBytes)))
        try await flush(.body(.byteBuffer(bytes.readSlice(length: bytes.readableBytes / 2) ?? bytes)))
        try await channel.close()
    }

    /// Bypasses the encoder of HTTP.
    private func writeRubbish() async throws {
        let pipeline = channel.pipeline
        try await channel.eventLoop.submit {
            let encoder = try pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
            encoder.writeAndFlush(NIOAny(ByteBuffer(repeating: 0xA7, count: 512)), promise: nil)
        }.get()
        try await channel.close()
    }

    private func flush(_ part: HTTPServerResponsePart) async throws {
        try await channel.writeAndFlush(part).get()
    }

    private func head(of reply: Reply, length: Int?) -> HTTPResponseHead {
        var head = HTTPResponseHead(version: request.version, status: reply.status, headers: reply.headers)
        if let length { head.headers.replaceOrAdd(name: "content-length", value: String(length)) }
        if !request.isKeepAlive { head.headers.replaceOrAdd(name: "connection", value: "close") }
        return head
    }
}
