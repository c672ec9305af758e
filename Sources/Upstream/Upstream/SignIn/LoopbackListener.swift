import Glibc
import HTTP
import Model
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform
import Synchronization

/// Listens at this machine for the redirect, only while somebody signs in.
final class LoopbackListener: Sendable {
    let port: Int
    private let answers: AsyncStream<RedirectAnswer>
    private let listeners: [any Channel]
    private let connections: OpenConnections

    /// Browsers open a few at once.
    private static let maximumConnections = 32

    /// - Parameters:
    ///   - connectionLimit: the longest time of a connection.
    ///   - read: reads the query of a request to the right path; nil refuses it, and the wait goes on.
    static func open(
        _ redirect: RedirectAddress, connectionLimit: Duration,
        reading read: @escaping @Sendable (String) -> RedirectAnswer?
    ) async throws -> LoopbackListener {
        let connections = OpenConnections(atMost: maximumConnections, each: TimeAmount(connectionLimit))
        let (answers, arrived) = AsyncStream.makeStream(
            of: RedirectAnswer.self, bufferingPolicy: .bufferingOldest(1))
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try connections.add(channel)
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        RedirectHandler(path: redirect.requestPath, read: read) { arrived.yield($0) })
                }
            }
        let listeners = try await listen(at: redirect, bootstrap)
        return LoopbackListener(listeners, connections, answers)
    }

    private init(
        _ listeners: [any Channel], _ connections: OpenConnections, _ answers: AsyncStream<RedirectAnswer>
    ) {
        (self.listeners, self.connections, self.answers) = (listeners, connections, answers)
        port = listeners.first?.localAddress?.port ?? 0
    }

    /// Waits for the redirect. Throws `CancellationError`.
    func answer() async throws -> RedirectAnswer {
        for await answer in answers { return answer }
        throw CancellationError()
    }

    /// When it returns, nothing listens, and no connection is open.
    func close() async {
        for listener in listeners { try? await listener.close() }
        for connection in connections.end() { try? await connection.close() }
    }

    /// Listens at all addresses on the same port.
    private static func listen(
        at redirect: RedirectAddress, _ bootstrap: ServerBootstrap
    ) async throws -> [any Channel] {
        // The port that is free at the first address may be taken at the second.
        var attempts = 8
        while true {
            attempts -= 1
            var listeners: [any Channel] = []
            do {
                for host in redirect.listened {
                    let port = listeners.first?.localAddress?.port ?? redirect.port ?? 0
                    do { listeners.append(try await bootstrap.bind(host: host, port: port).get()) } catch let
                        error as IOError where isAbsent(error) && !listeners.isEmpty
                    {
                        // A machine without IPv6.
                    }
                }
                return listeners
            } catch {
                for listener in listeners { try? await listener.close() }
                if redirect.port == nil, attempts > 0, (error as? IOError)?.errnoCode == EADDRINUSE {
                    continue
                }
                throw failure(error, redirect)
            }
        }
    }

    private static func isAbsent(_ error: IOError) -> Bool {
        [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode)
    }

    private static func failure(_ error: any Error, _ redirect: RedirectAddress) -> UpstreamError {
        guard let port = redirect.port, (error as? IOError)?.errnoCode == EADDRINUSE else {
            return UpstreamError(
                .credentials,
                "can't listen for the browser at \(redirect.host): \("\(error)".shown(upTo: 200))")
        }
        return UpstreamError(
            .credentials, "another program listens at port \(port) of \(redirect.host)",
            advice: .freePort)
    }
}

/// The connections of browsers, the oldest first.
private final class OpenConnections: Sendable {
    /// Nil once it has ended.
    private let open = Mutex<[any Channel]?>([])
    private let limit: Int
    private let longest: TimeAmount

    init(atMost limit: Int, each longest: TimeAmount) { (self.limit, self.longest) = (limit, longest) }

    /// Closes the oldest connection if there are too many: a browser's request comes at once. Throws if the connection is
    /// another user's.
    func add(_ channel: any Channel) throws {
        guard mayConnect(channel) else { throw ChannelError.ioOnClosedChannel }
        let oldest = try open.withLock { open -> (any Channel)? in
            guard let count = open?.count else { throw ChannelError.ioOnClosedChannel }
            open?.append(channel)
            return count < limit ? nil : open?.removeFirst()
        }
        oldest?.close(promise: nil)
        let end = channel.eventLoop.scheduleTask(in: longest) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in
            end.cancel()
            self.open.withLock { $0?.removeAll { $0 === channel } }
        }
    }

    /// This user, and root, which passes on the connections of some virtual machines.
    private func mayConnect(_ channel: any Channel) -> Bool {
        guard canAskForOwners else { return true }
        guard let peer = channel.remoteAddress?.withSockAddr({ address, _ in IPEndpoint(address) }),
            let own = channel.localAddress?.withSockAddr({ address, _ in IPEndpoint(address) }),
            let owner = ownerOfPeer(peer, connectedTo: own)
        else { return false }
        return owner == geteuid() || owner == 0
    }

    func end() -> [any Channel] {
        open.withLock { open in
            defer { open = nil }
            return open ?? []
        }
    }
}

/// Answers the requests of a connection, each with a page and the end of the connection.
private final class RedirectHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let path: String
    private let read: @Sendable (String) -> RedirectAnswer?
    private let arrived: @Sendable (RedirectAnswer) -> Void
    private var hasAnswered = false

    init(
        path: String, read: @escaping @Sendable (String) -> RedirectAnswer?,
        arrived: @escaping @Sendable (RedirectAnswer) -> Void
    ) {
        (self.path, self.read, self.arrived) = (path, read, arrived)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), !hasAnswered else { return }
        hasAnswered = true
        guard head.method == .GET else {
            return write(.unexpected, .methodNotAllowed, context)
        }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first.map(String.init) == path, parts.count == 2, let answer = read(String(parts[1]))
        else {
            return write(.unexpected, .badRequest, context)
        }
        let page: RedirectPage = if case .code = answer { .received } else { .refused }
        write(page, .ok, context) { [arrived] in arrived(answer) }
    }

    /// - Parameter then: called once the page is sent, since the end of the wait closes the connection.
    private func write(
        _ page: RedirectPage, _ status: HTTPResponseStatus, _ context: ChannelHandlerContext,
        then: @escaping @Sendable () -> Void = {}
    ) {
        let body = ByteBuffer(string: page.html)
        var headers = HTTPHeaders(RedirectPage.headers)
        headers.add(name: "Content-Length", value: "\(body.readableBytes)")
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(promise: nil)
            then()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
