import Glibc
import Logging
import NIOCore

/// The open connections of one server. Confined to its event loop.
///
/// Connections beyond the limit become spares: a spare is allowed one call, and only if `whenFull` accepts it. There
/// are few spares, and a new one replaces the oldest, so idle connections can't block others.
final class Connections {
    private typealias Connection = (channel: any Channel, handler: ConnectionHandler)

    struct OtherUser: Error {
        let user: uid_t
    }

    private let server: VarlinkServer
    private let handover: Handover
    private var open: [ObjectIdentifier: Connection] = [:]
    /// In order of arrival.
    private var spares: [any Channel] = []
    private let refusals: RepeatedEvent
    private let violations: RepeatedEvent

    /// Enough for a client that speaks at once to be heard before it is replaced.
    static let maximumSpares = 16

    init(of server: VarlinkServer) {
        self.server = server
        handover = Handover(to: server.eventLoop)
        refusals = RepeatedEvent("Refused a connection", .warning, on: server)
        violations = RepeatedEvent("Closed a connection", .info, on: server)
    }

    /// Accepts a new connection, or throws, which closes it. Nothing has been read from it yet.
    func admit(_ channel: any Channel, from user: uid_t) throws {
        guard user == server.owner else {
            refusals.happened("user \(user) may not connect; only user \(server.owner) may")
            throw OtherUser(user: user)
        }
        let limits = server.limits.current
        let isSpare = open.count - spares.count >= limits.connections
        if isSpare { makeRoomForSpare() }
        let handler = ConnectionHandler(
            of: server, limits: limits, isSpare: isSpare, handover: handover, violations: violations
        ) { [weak self] in self?.closed(channel) }
        try channel.pipeline.syncOperations.addHandler(handler)
        open[ObjectIdentifier(channel)] = (channel, handler)
        if isSpare { spares.append(channel) }
        let admitted = NIOLoopBound(handler, eventLoop: server.eventLoop)
        channel.closeFuture.whenComplete { _ in admitted.value.closed() }
    }

    private func makeRoomForSpare() {
        if spares.isEmpty {
            let maximum = server.limits.current.connections
            refusals.happened("the maximum of \(maximum) connections is open; some calls are still answered")
        }
        if spares.count >= Self.maximumSpares { spares.removeFirst().close(promise: nil) }
    }

    /// A connection counts until its calls have ended, even if its client is gone: otherwise reconnecting clients
    /// could start any number of calls.
    private func closed(_ channel: any Channel) {
        open[ObjectIdentifier(channel)] = nil
        spares.removeAll { $0 === channel }
    }

    /// Waits for running calls, at most `grace`, then closes all connections.
    func drain() -> EventLoopFuture<Void> {
        let channels = open.values.map(\.channel)
        let grace = TimeAmount(server.limits.current.shutdownGrace)
        let deadline = server.eventLoop.scheduleTask(in: grace) {
            for channel in channels { channel.close(promise: nil) }
        }
        for connection in open.values { connection.handler.drain() }
        return EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: server.eventLoop)
            .always { _ in deadline.cancel() }
    }
}

/// Same layout as `struct ucred` (unix(7)), which Swift's Glibc module does not export.
private typealias PeerCredentials = (process: pid_t, user: uid_t, group: gid_t)

extension Channel {
    func peerUser() -> EventLoopFuture<uid_t> {
        guard let provider = self as? any SocketOptionProvider else {
            return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let credentials: EventLoopFuture<PeerCredentials> = provider.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        return credentials.map(\.user)
    }
}
