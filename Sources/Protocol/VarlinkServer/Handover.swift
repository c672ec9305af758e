import DequeModule
import Logging
import NIOCore
import Synchronization

/// Hands results of the service's work to the event loop in batches.
///
/// NIO polls its sockets only when no task is left. If each reply led to the next at once, single tasks would
/// keep it from reading and accepting.
final class Handover: Sendable {
    private struct Contents {
        var waiting: Deque<@Sendable () -> Void> = []
        /// The event loop will run `run()`.
        var isAnnounced = false
        /// Number of results since NIO last polled its sockets, as far as is known.
        var handed = 0
    }

    private let eventLoop: any EventLoop
    private let logger: Logger
    private let contents = Mutex(Contents())

    private static let most = 128
    /// Enough for the event loop to poll its sockets.
    private static let pause = TimeAmount.microseconds(100)

    init(to eventLoop: any EventLoop, logger: Logger) {
        self.eventLoop = eventLoop
        self.logger = logger
    }

    /// NIO has polled its sockets: one of them was read.
    func polled() { contents.withLock { $0.handed = 0 } }

    func hand(_ body: @escaping @Sendable () -> Void) {
        let pauses: Bool? = contents.withLock { contents in
            contents.waiting.append(body)
            if contents.isAnnounced { return nil }
            contents.isAnnounced = true
            return contents.handed >= Self.most
        }
        if let pauses { announce(pauses) }
    }

    private func announce(_ pauses: Bool) {
        guard pauses else { return eventLoop.execute { self.run() } }
        polled()
        logger.trace("Replies pause so that sockets are polled")
        eventLoop.scheduleTask(in: Self.pause) { self.run() }
    }

    private func run() {
        let taken = contents.withLock { contents in
            let taken = Array(contents.waiting.prefix(Self.most - contents.handed))
            contents.waiting.removeFirst(taken.count)
            contents.handed += taken.count
            return taken
        }
        for body in taken { body() }
        let pauses: Bool? = contents.withLock { contents in
            contents.isAnnounced = !contents.waiting.isEmpty
            return contents.isAnnounced ? contents.handed >= Self.most : nil
        }
        if let pauses { announce(pauses) }
    }
}
