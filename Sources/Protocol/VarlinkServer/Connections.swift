import Glibc
import Logging
import NIOCore
import Varlink

/// The open connections of one server. Confined to its event loop.
///
/// Connections beyond the limit become spares: a spare is allowed one call, and only if `whenFull` accepts it. There
/// are few spares, and a new one replaces the oldest, so idle connections can't block others.
final class Connections {
    private typealias Connection = (channel: any Channel, handler: ConnectionHandler)

    struct OtherUser: Error {
        let user: uid_t
    }

    private let service: VarlinkService
    private let limits: SharedLimits
    private let owner: uid_t
    private let whenFull: @Sendable (MethodCall) -> Bool
    private let executor: (any TaskExecutor)?
    private let eventLoop: any EventLoop
    private let handover: Handover
    private var open: [ObjectIdentifier: Connection] = [:]
    /// In order of arrival.
    private var spares: [any Channel] = []
    private let refusals: RepeatedEvent
    private let violations: RepeatedEvent
    private let logger: Logger

    /// Enough for a client that speaks at once to be heard before it is replaced.
    static let maximumSpares = 16

    init(
        service: VarlinkService, limits: SharedLimits, owner: uid_t,
        whenFull: @escaping @Sendable (MethodCall) -> Bool, executor: (any TaskExecutor)?,
        eventLoop: any EventLoop, logger: Logger
    ) {
        self.service = service
        self.limits = limits
        self.owner = owner
        self.whenFull = whenFull
        self.executor = executor
        self.eventLoop = eventLoop
        handover = Handover(to: eventLoop)
        self.logger = logger
        refusals = RepeatedEvent("Refused a connection", .warning, on: eventLoop, logger: logger)
        violations = RepeatedEvent("Closed a connection", .info, on: eventLoop, logger: logger)
    }

    /// Accepts a new connection, or throws, which closes it. Nothing has been read from it yet.
    func admit(_ channel: any Channel, from user: uid_t) throws {
        guard user == owner else {
            refusals.happened("user \(user) may not connect; only user \(owner) may")
            throw OtherUser(user: user)
        }
        let limits = limits.current
        let isSpare = open.count - spares.count >= limits.connections
        if isSpare { makeRoomForSpare() }
        let handler = ConnectionHandler(
            service: service, limits: limits, admits: isSpare ? whenFull : nil, executor: executor,
            eventLoop: eventLoop, handover: handover, violations: violations, logger: logger
        ) { [weak self] in self?.closed(channel) }
        try channel.pipeline.syncOperations.addHandler(handler)
        open[ObjectIdentifier(channel)] = (channel, handler)
        if isSpare { spares.append(channel) }
        let admitted = NIOLoopBound(handler, eventLoop: eventLoop)
        channel.closeFuture.whenComplete { _ in admitted.value.closed() }
    }

    private func makeRoomForSpare() {
        if spares.isEmpty {
            refusals.happened(
                "the maximum of \(limits.current.connections) connections is open; some calls are still answered"
            )
        }
        guard spares.count >= Self.maximumSpares else { return }
        let oldest = spares.removeFirst()
        oldest.close(promise: nil)
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
        let deadline = eventLoop.scheduleTask(in: TimeAmount(limits.current.shutdownGrace)) {
            for channel in channels { channel.close(promise: nil) }
        }
        for connection in open.values { connection.handler.drain() }
        return EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: eventLoop)
            .always { _ in deadline.cancel() }
    }
}
