import Glibc
import Logging
import NIOCore
import NIOPosix
import Varlink

/// Serves a `VarlinkService` on Unix sockets, to processes of one user.
package struct VarlinkServer: Sendable {
    private let service: VarlinkService
    private let limits: SharedLimits
    // One loop serves all connections: nothing of a connection takes long on it, and the service's work is elsewhere.
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private let owner: uid_t
    private let whenFull: @Sendable (MethodCall) -> Bool
    private let executor: (any TaskExecutor)?
    private let logger: Logger

    /// - Parameters:
    ///   - owner: the one user who may connect.
    ///   - whenFull: the calls that are answered although there are as many connections as may be, one a connection. To
    ///     others the answer is then PermissionDenied.
    ///   - executor: where calls for one reply are answered, best where their work is done anyway: each change of threads
    ///     costs a client more than many a read does. Nil for Swift's.
    package init(
        service: VarlinkService, limits: Limits = Limits(), owner: uid_t = geteuid(),
        whenFull: @escaping @Sendable (MethodCall) -> Bool = { _ in false },
        executor: (any TaskExecutor)? = nil, logger: Logger
    ) {
        self.service = service
        self.limits = SharedLimits(limits)
        self.owner = owner
        self.whenFull = whenFull
        self.executor = executor
        self.logger = logger
    }

    /// Listens at `path` until the task is cancelled; then lets the calls that run end, closes all connections and returns.
    ///
    /// Throws a `ListenError` where the path cannot be had.
    ///
    /// - Parameters:
    ///   - path: of the socket. Its directory is made where it is missing.
    ///   - onListening: called once clients can connect.
    package func run(
        at path: String, onListening: @Sendable () -> Void = {}, onEnding: @escaping @Sendable () -> Void = {}
    ) async throws {
        let file = try SocketFile(claiming: path)
        let serving: Serving
        do {
            serving = try await serve([(file.descriptor, isListening: true)])
        } catch {
            file.remove()
            throw error
        }
        file.listening()
        onListening()
        await serving.cancellationOrEnd()
        file.remove()
        try await serving.end(onEnding)
    }

    /// Serves sockets that were passed to this process, until the task is cancelled or, where none of them listens, until
    /// the last client is gone.
    ///
    /// - Parameter onListening: called once clients are served.
    package func run(
        on activation: Activation, onListening: @Sendable () -> Void = {},
        onEnding: @escaping @Sendable () -> Void = {}
    ) async throws {
        let serving = try await serve(activation.sockets.map { ($0.descriptor, $0.isListening) })
        onListening()
        await serving.cancellationOrEnd()
        try await serving.end(onEnding)
    }

    /// Takes up other limits: how many connections there may be at once, the rest for those that come from now on.
    package func adopt(_ limits: Limits) { self.limits.current = limits }

    /// Returns when the event loop, which all connections share, gets to it.
    package func answer() async throws { try await eventLoop.submit {}.get() }

    private func serve(_ sockets: [(descriptor: Int32, isListening: Bool)]) async throws -> Serving {
        let connections = try await eventLoop.submit {
            [service, limits, eventLoop, owner, whenFull, executor, logger] in
            NIOLoopBound(
                Connections(
                    service: service, limits: limits, owner: owner, whenFull: whenFull, executor: executor,
                    eventLoop: eventLoop, logger: logger), eventLoop: eventLoop)
        }.get()
        var serving = Serving(eventLoop: eventLoop, connections: connections)
        do {
            for socket in sockets {
                if socket.isListening {
                    serving.listeners.append(try await listen(at: socket.descriptor, serving))
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

    private func listen(at descriptor: Int32, _ serving: Serving) async throws -> any Channel {
        try await ServerBootstrap(group: serving.eventLoop)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.writeBufferWaterMark, value: limits.current.waterMark)
            .childChannelInitializer(serving.admit)
            .withBoundSocket(descriptor)
            .get()
    }

    private func converse(on descriptor: Int32, _ serving: Serving) async throws -> any Channel {
        do {
            return try await ClientBootstrap(group: serving.eventLoop)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelOption(.writeBufferWaterMark, value: limits.current.waterMark)
                .channelInitializer(serving.admit)
                .withConnectedSocket(descriptor)
                .get()
        } catch let error as Connections.OtherUser {
            throw ListenError.activation(
                reason: "descriptor \(descriptor) is a connection of user \(error.user), not of \(owner)")
        }
    }
}

/// A server at work.
private struct Serving: Sendable {
    let eventLoop: any EventLoop
    let connections: NIOLoopBound<Connections>
    var listeners: [any Channel] = []
    /// Those that were connected before this began.
    var clients: [any Channel] = []

    var admit: @Sendable (any Channel) -> EventLoopFuture<Void> {
        { [connections] channel in
            channel.peerUser().flatMapThrowing { try connections.value.admit(channel, from: $0) }
        }
    }

    /// Until the task is cancelled, a listener is closed, or there is no listener and all clients have gone.
    func cancellationOrEnd() async {
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        for listener in listeners { listener.closeFuture.whenComplete { _ in end.finish() } }
        if listeners.isEmpty {
            EventLoopFuture.andAllComplete(clients.map(\.closeFuture), on: eventLoop)
                .whenComplete { _ in end.finish() }
        }
        for await _ in ends {}
    }

    /// - Parameter onEnding: called when no call is taken any more and those with several replies have been cut off.
    func end(_ onEnding: @escaping @Sendable () -> Void) async throws {
        for listener in listeners {
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
