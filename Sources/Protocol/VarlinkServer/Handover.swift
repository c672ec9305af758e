import DequeModule
import NIOCore
import Synchronization

/// Takes what the service's work has come to over to the event loop, some at a time.
///
/// NIO looks at its sockets when it has run all tasks that there are, and not before. Replies that lead to the next reply
/// at once, handed over one by one, would keep it from reading and accepting for as long as there are any.
final class Handover: Sendable {
    private struct Contents {
        var waiting: Deque<@Sendable () -> Void> = []
        /// The event loop will come for them.
        var isAnnounced = false
        /// Since the event loop last had its sockets looked at on our account.
        var handed = 0
    }

    private let eventLoop: any EventLoop
    private let contents = Mutex(Contents())

    private static let most = 128
    /// Enough for the event loop to find that it has nothing else to do.
    private static let pause = TimeAmount.microseconds(100)

    init(to eventLoop: any EventLoop) { self.eventLoop = eventLoop }

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
        contents.withLock { $0.handed = 0 }
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
