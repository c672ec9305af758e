import Glibc
import Logging
import NIOCore

/// The open connections of one server. Confined to its event loop.
///
/// Connections beyond the limit become spares: a spare is allowed one call, and only if `whenFull` accepts
/// it. There are few spares, and a new one replaces the oldest, so idle connections can't block others.
///
/// Before a connection becomes a spare, the one whose client has neither sent nor read for longest gives way
/// to it, if that is longer than a request's deadline. One that waits for the service and has read everything
/// never does.
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
    /// Connections that gave way, until they are closed. Their calls are cancelled; they no longer count.
    private var leaving: Set<ObjectIdentifier> = []
    /// The sum of all connections' `heldBytes`.
    private var held = 0
    private var isLettingGo = false
    private let refusals: RepeatedEvent
    private let violations: RepeatedEvent

    /// Enough for a client that speaks at once to be heard before it is replaced.
    static let maximumSpares = 16

    init(of server: VarlinkServer) {
        self.server = server
        handover = Handover(to: server.eventLoop, logger: server.logger)
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
        if isFull(limits) { freePlace(limits) }
        let isSpare = isFull(limits)
        if isSpare { makeRoomForSpare() }
        let handler = ConnectionHandler(
            of: server, limits: limits, isSpare: isSpare, handover: handover, violations: violations,
            holds: { [weak self] in self?.held(more: $0) }, ended: { [weak self] in self?.closed(channel) })
        try channel.pipeline.syncOperations.addHandler(handler)
        open[ObjectIdentifier(channel)] = (channel, handler)
        if isSpare { spares.append(channel) }
        let admitted = NIOLoopBound(handler, eventLoop: server.eventLoop)
        channel.closeFuture.whenComplete { _ in admitted.value.closed() }
    }

    private func isFull(_ limits: Limits) -> Bool {
        open.count - spares.count - leaving.count >= limits.connections
    }

    private func freePlace(_ limits: Limits) {
        let latest = NIODeadline.now() - TimeAmount(limits.requestDeadline)
        let resting = longestResting { $0.isSpare ? nil : $0.restsSince.flatMap { $0 <= latest ? $0 : nil } }
        guard let resting else { return }
        leaving.insert(ObjectIdentifier(resting.channel))
        resting.handler.giveWay()
    }

    /// - Parameter since: nil for a connection that is not to be returned.
    private func longestResting(_ since: (ConnectionHandler) -> NIODeadline?) -> Connection? {
        var longest: (connection: Connection, since: NIODeadline)?
        for connection in open.values where connection.channel.isActive {
            guard let since = since(connection.handler), since < longest?.since ?? .distantFuture
            else { continue }
            longest = (connection, since)
        }
        return longest?.connection
    }

    private func held(more bytes: Int) {
        held += bytes
        guard bytes > 0, !isLettingGo, held > server.limits.current.heldBytes else { return }
        isLettingGo = true
        // Runs after the event that led to this.
        server.eventLoop.assumeIsolated().execute {
            self.isLettingGo = false
            self.letGo()
        }
    }

    /// Closes connections that hold at least the average, so that it helps.
    private func letGo() {
        var excess = held - server.limits.current.heldBytes
        while excess > 0 {
            let (sum, count) = (held, open.count)
            let heavy = longestResting { $0.heldBytes * count >= sum ? $0.lastHeard : nil }
            guard let heavy else { return }
            excess -= heavy.handler.heldBytes
            heavy.handler.giveWay()
        }
    }

    private func makeRoomForSpare() {
        if spares.isEmpty {
            let maximum = server.limits.current.connections
            refusals.happened("the maximum of \(maximum) connections is open; some calls are still answered")
        }
        if spares.count >= Self.maximumSpares { spares.removeFirst().close(promise: nil) }
    }

    /// A connection counts until its calls have ended, even if its client is gone: otherwise reconnecting
    /// clients could start any number of calls.
    private func closed(_ channel: any Channel) {
        leaving.remove(ObjectIdentifier(channel))
        held -= open.removeValue(forKey: ObjectIdentifier(channel))?.handler.heldBytes ?? 0
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
