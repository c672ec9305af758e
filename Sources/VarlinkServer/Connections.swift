import Glibc
import Logging
import NIOCore
import Varlink

/// The open connections of one server. Confined to its event loop.
final class Connections {
    enum Refusal: Error {
        case tooMany
        case otherUser(uid_t)
    }

    private let service: VarlinkService
    private let limits: Limits
    private let owner: uid_t
    private let logger: Logger
    private var open: [ObjectIdentifier: (channel: any Channel, handler: ConnectionHandler)] = [:]

    init(service: VarlinkService, limits: Limits, owner: uid_t, logger: Logger) {
        self.service = service
        self.limits = limits
        self.owner = owner
        self.logger = logger
    }

    /// Lets a new connection in, or fails, which closes it. Nothing has been read from it yet.
    func admit(_ channel: any Channel, from user: uid_t) throws {
        guard user == owner else {
            logger.warning("Refused another user's connection", metadata: ["uid": "\(user)"])
            throw Refusal.otherUser(user)
        }
        guard open.count < limits.connections else {
            logger.warning("Refused a connection", metadata: ["open": "\(open.count)"])
            throw Refusal.tooMany
        }
        let handler = ConnectionHandler(
            service: service, limits: limits, eventLoop: channel.eventLoop, logger: logger)
        try channel.pipeline.syncOperations.addHandler(handler)
        let id = ObjectIdentifier(channel)
        open[id] = (channel, handler)
        let connections = NIOLoopBound(self, eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in connections.value.open[id] = nil }
    }

    /// Lets the calls that run end, for `grace` at the most, and closes everything.
    func drain(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let channels = open.values.map(\.channel)
        let deadline = eventLoop.scheduleTask(in: TimeAmount(limits.shutdownGrace)) {
            for channel in channels { channel.close(promise: nil) }
        }
        for connection in open.values { connection.handler.drain() }
        return EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: eventLoop)
            .always { _ in deadline.cancel() }
    }
}
