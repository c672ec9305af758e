import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A port that can be opened and closed repeatedly.
actor Listener {
    private let reservation: PortReservation
    private let respond: @Sendable (Request) -> Response
    private let connections = Connections()
    private var channel: (any Channel)?
    /// The running change; the next one waits for it.
    private var change: Task<Void, any Error>?

    init(_ reservation: PortReservation, respond: @escaping @Sendable (Request) -> Response) {
        self.reservation = reservation
        self.respond = respond
    }

    /// Closes all connections and gives up the port.
    func stop() async {
        try? await set(open: false)
        reservation.release()
    }

    /// `open` is evaluated after earlier changes, so that of several the latest counts.
    func set(open: @autoclosure @escaping @Sendable () -> Bool) async throws {
        let previous = change
        let task = Task {
            _ = await previous?.result
            try await apply(open: open())
        }
        change = task
        try await task.value
    }

    private func apply(open: Bool) async throws {
        guard open != (channel != nil) else { return }
        if open {
            connections.isWelcome = true
            channel = try await bootstrap().bind(host: reservation.host, port: reservation.port).get()
        } else {
            try? await channel?.close()
            channel = nil
            await connections.closeAll()
        }
    }

    private func bootstrap() -> ServerBootstrap {
        let connections = self.connections
        let respond = self.respond
        return ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try connections.add(channel)
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ExchangeHandler(respond: respond))
                }
            }
    }
}

/// The connections of a listener.
private final class Connections: Sendable {
    private struct State {
        var isWelcome = false
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())

    var isWelcome: Bool {
        get { state.withLock { $0.isWelcome } }
        set { state.withLock { $0.isWelcome = newValue } }
    }

    func add(_ channel: any Channel) throws {
        let key = ObjectIdentifier(channel)
        try state.withLock { state in
            guard state.isWelcome else { throw ChannelError.ioOnClosedChannel }
            state.channels[key] = channel
        }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { _ = $0.channels.removeValue(forKey: key) }
        }
    }

    func closeAll() async {
        let channels = state.withLock { state in
            state.isWelcome = false
            return Array(state.channels.values)
        }
        for channel in channels {
            try? await channel.close()
        }
    }
}
