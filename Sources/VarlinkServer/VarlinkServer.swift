import Glibc
import Logging
import NIOCore
import NIOPosix
import Varlink

/// Serves a `VarlinkService` on a Unix socket, to processes of one user.
package struct VarlinkServer: Sendable {
    private let service: VarlinkService
    private let limits: Limits
    private let owner: uid_t
    private let logger: Logger

    /// - Parameter owner: the one user who may connect.
    package init(
        service: VarlinkService, limits: Limits = Limits(), owner: uid_t = geteuid(), logger: Logger
    ) {
        self.service = service
        self.limits = limits
        self.owner = owner
        self.logger = logger
    }

    /// Listens at `path` until the task is cancelled; then lets the calls that run end, closes all connections and returns.
    ///
    /// Throws a `ListenError` where the path cannot be had.
    ///
    /// - Parameters:
    ///   - path: of the socket. Its directory is made where it is missing.
    ///   - onListening: called once clients can connect.
    package func run(at path: String, onListening: @Sendable () -> Void = {}) async throws {
        let file = try SocketFile(claiming: path)
        // One loop serves all connections: nothing of a connection takes long on it, and the service's work is elsewhere.
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let connections = try await eventLoop.submit { [service, limits, owner, logger] in
            NIOLoopBound(
                Connections(service: service, limits: limits, owner: owner, logger: logger),
                eventLoop: eventLoop)
        }.get()
        let channel: any Channel
        do {
            channel = try await listen(at: file.descriptor, on: eventLoop, admitting: connections)
        } catch {
            file.remove()
            throw error
        }
        file.listening()
        onListening()

        await cancellation(orClosingOf: channel)

        file.remove()
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
        try await eventLoop.flatSubmit { connections.value.drain(on: eventLoop) }.get()
    }

    private func listen(
        at descriptor: Int32, on eventLoop: any EventLoop, admitting connections: NIOLoopBound<Connections>
    ) async throws -> any Channel {
        try await ServerBootstrap(group: eventLoop)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .writeBufferWaterMark, value: .init(low: limits.unreadReplies / 2, high: limits.unreadReplies)
            )
            .childChannelInitializer { channel in
                channel.peerUser().flatMapThrowing { try connections.value.admit(channel, from: $0) }
            }
            .withBoundSocket(descriptor)
            .get()
    }

    private func cancellation(orClosingOf channel: any Channel) async {
        let (closing, continuation) = AsyncStream.makeStream(of: Never.self)
        channel.closeFuture.whenComplete { _ in continuation.finish() }
        for await _ in closing {}
    }
}
