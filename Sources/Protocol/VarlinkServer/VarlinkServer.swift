import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Varlink

/// Serves a `VarlinkService` on Unix sockets to the processes of one user.
///
/// In: a socket of its own (SocketFile.swift) or one from systemd (Activation.swift), and the limits of the
/// settings.
/// Out: replies in the order of the calls. A client that reads slowly slows down its own calls alone.
///
/// Start: ConnectionHandler.swift is one connection, as NIO's handler around the state machine
/// ServerConnection of Varlink; Connections.swift and ConnectionHandler+GivingWay.swift say which connection
/// ends when there are too many.
///
/// Threads: all connections are on one of NIO's event loops, which also gives answers that are at hand, such
/// as GetState. Other calls with one reply run on `executor`, those with several on Swift's pool.
package struct VarlinkServer: Sendable {
    let service: VarlinkService
    let limits: SharedLimits
    // One event loop is enough: the service's work runs elsewhere.
    let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let owner: uid_t
    let whenFull: @Sendable (MethodCall) -> Bool
    let executor: (any TaskExecutor)?
    let logger: Logger

    /// systemd's default, unless the kernel allows fewer (net.core.somaxconn).
    private static let passedBacklog: Int32 = 4096

    /// Bounds the calls that are answered before other connections are read.
    private static let reads = FixedSizeRecvByteBufferAllocator(capacity: ServerConnection.readAhead)

    /// - Parameters:
    ///   - owner: the only user who may connect.
    ///   - whenFull: the calls that are allowed beyond the maximum number of connections, one per connection;
    ///   others get PermissionDenied.
    ///   - executor: runs calls with a single reply; best where their work runs anyway, because a change of
    ///   threads costs more than many reads. Nil for Swift's global executor.
    package init(
        service: VarlinkService, limits: Limits = Limits(), owner: uid_t = geteuid(),
        whenFull: @escaping @Sendable (MethodCall) -> Bool = { _ in false },
        executor: (any TaskExecutor)? = nil, logger: Logger
    ) {
        self.service = service
        self.limits = SharedLimits(limits)
        (self.owner, self.whenFull, self.executor, self.logger) = (owner, whenFull, executor, logger)
    }

    /// Listens at `path` until the task is cancelled; then waits for running calls, closes all connections
    /// and returns. Throws `ListenError`.
    ///
    /// - Parameters:
    ///   - path: of the socket. Its directory is created if missing.
    ///   - looks: with each value, the path is bound again if its socket is gone. Connections stay open.
    ///   - onListening: called once clients can connect.
    ///   - onBoundAgain: called when they can again.
    package func run(
        at path: String, looks: AsyncStream<Void> = AsyncStream { $0.finish() },
        onListening: @Sendable () -> Void = {}, onBoundAgain: @escaping @Sendable () -> Void = {},
        onEnding: @escaping @Sendable () -> Void = {}
    ) async throws {
        let file = try SocketFile(claiming: path)
        let serving: OpenServer
        do {
            serving = try await serve([(file.descriptor, isListening: true)])
        } catch {
            file.remove()
            throw error
        }
        file.listening()
        onListening()
        let looking = Task {
            var (file, failure) = (file, ListenError?.none)
            for await _ in looks where !file.isThere {
                do throws(ListenError) {
                    file = try await bindAgain(path, serving)
                    failure = nil
                    logger.warning("The socket was removed; bound again", metadata: ["socket": "\(path)"])
                    onBoundAgain()
                } catch {
                    if failure != error {
                        logger.error(
                            "The socket was removed, and can't be bound again",
                            metadata: ["reason": "\(error)"])
                    }
                    failure = error
                }
            }
            return file
        }
        await serving.cancellationOrEnd()
        looking.cancel()
        await looking.value.remove()
        try await serving.end(onEnding)
    }

    private func bindAgain(_ path: String, _ serving: OpenServer) async throws(ListenError) -> SocketFile {
        let file = try SocketFile(claiming: path)
        let listener: any Channel
        do { listener = try await listen(at: file.descriptor, serving) } catch {
            file.remove()
            throw .system(call: "listen", path: path, errno: (error as? IOError)?.errnoCode ?? EIO)
        }
        serving.listeners.add(listener)
        file.listening()
        // Connections may wait to be accepted from the socket that was removed, so it stays open until the next is.
        for listener in serving.listeners.remove(butLast: 2) { try? await listener.close() }
        return file
    }

    /// Serves sockets that were passed to this process until the task is cancelled or, if none of them
    /// listens, until the last client is gone.
    package func run(
        on activation: Activation, onListening: @Sendable () -> Void = {},
        onEnding: @escaping @Sendable () -> Void = {}
    ) async throws {
        let serving = try await serve(activation.sockets.map { ($0.descriptor, $0.isListening) })
        // NIO has called listen(2) with 128, which lowers the backlog of a passed socket. This can't fail for
        // a listener.
        for socket in activation.sockets where socket.isListening {
            _ = Glibc.listen(socket.descriptor, Self.passedBacklog)
        }
        onListening()
        await serving.cancellationOrEnd()
        try await serving.end(onEnding)
    }

    /// Changes the limits. The number of connections changes at once, the others for new connections.
    package func adopt(_ limits: Limits) { self.limits.current = limits }

    /// Returns once the event loop responds; for the watchdog.
    package func answer() async throws { try await eventLoop.submit {}.get() }

    private func serve(_ sockets: [(descriptor: Int32, isListening: Bool)]) async throws -> OpenServer {
        let connections = try await eventLoop.submit {
            NIOLoopBound(Connections(of: self), eventLoop: self.eventLoop)
        }.get()
        var serving = OpenServer(eventLoop: eventLoop, connections: connections)
        do {
            for socket in sockets {
                if socket.isListening {
                    serving.listeners.add(try await listen(at: socket.descriptor, serving))
                } else {
                    serving.clients.append(try await converse(on: socket.descriptor, serving))
                }
            }
        } catch {
            try? await serving.end {}
            throw error
        }
        return serving
    }

    private func listen(at descriptor: Int32, _ serving: OpenServer) async throws -> any Channel {
        try await ServerBootstrap(group: serving.eventLoop)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: Self.reads)
            .childChannelOption(.writeBufferWaterMark, value: limits.current.waterMark)
            .childChannelInitializer(serving.admit)
            .withBoundSocket(descriptor)
            .get()
    }

    private func converse(on descriptor: Int32, _ serving: OpenServer) async throws -> any Channel {
        do {
            return try await ClientBootstrap(group: serving.eventLoop)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelOption(.recvAllocator, value: Self.reads)
                .channelOption(.writeBufferWaterMark, value: limits.current.waterMark)
                .channelInitializer(serving.admit)
                .withConnectedSocket(descriptor)
                .get()
        } catch let error as Connections.OtherUser {
            throw ListenError.activation(
                reason:
                    "descriptor \(descriptor) is a connection of user \(error.user); only user \(owner) may connect"
            )
        }
    }
}

private final class Listeners: Sendable {
    private let open = Mutex<[any Channel]>([])
    /// Ends when an open listener is closed.
    let ends: AsyncStream<Never>
    let end: AsyncStream<Never>.Continuation

    init() { (ends, end) = AsyncStream.makeStream() }

    var isEmpty: Bool { open.withLock { $0.isEmpty } }

    func add(_ listener: any Channel) {
        open.withLock { $0.append(listener) }
        listener.closeFuture.whenComplete { [self] _ in
            if open.withLock({ $0.contains { $0 === listener } }) { end.finish() }
        }
    }

    /// Returns all but the newest, for the caller to close.
    func remove(butLast kept: Int = 0) -> [any Channel] {
        open.withLock { open in
            defer { open = open.suffix(kept) }
            return open.dropLast(kept)
        }
    }
}

private struct OpenServer: Sendable {
    let eventLoop: any EventLoop
    let connections: NIOLoopBound<Connections>
    let listeners = Listeners()
    /// Connections that were passed to the process.
    var clients: [any Channel] = []

    var admit: @Sendable (any Channel) -> EventLoopFuture<Void> {
        { [connections] channel in
            channel.peerUser().flatMapThrowing { try connections.value.admit(channel, from: $0) }
        }
    }

    /// Returns when the task is cancelled or a listener is closed or, without a listener, when all clients
    /// are gone.
    func cancellationOrEnd() async {
        if listeners.isEmpty {
            EventLoopFuture.andAllComplete(clients.map(\.closeFuture), on: eventLoop)
                .whenComplete { [listeners] _ in listeners.end.finish() }
        }
        for await _ in listeners.ends {}
    }

    /// - Parameter onEnding: called once no more calls are accepted and streams are cut off.
    func end(_ onEnding: @escaping @Sendable () -> Void) async throws {
        for listener in listeners.remove() {
            listener.close(promise: nil)
            try? await listener.closeFuture.get()
        }
        try await eventLoop.flatSubmit { [connections] in
            let drained = connections.value.drain()
            onEnding()
            return drained
        }.get()
    }
}

extension Limits {
    fileprivate var waterMark: ChannelOptions.Types.WriteBufferWaterMark {
        .init(low: unreadReplies / 2, high: unreadReplies)
    }
}
