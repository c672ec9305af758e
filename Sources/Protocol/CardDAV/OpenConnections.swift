import NIOCore
import Synchronization

/// The connections that are open, and what becomes of them if there are too many, or if one takes too long.
final class OpenConnections: Sendable {
    struct Limits: Sendable {
        var connections = 16
        /// From a connection's begin to the end of its first request's headers.
        var firstRequest = Duration.seconds(10)
        var nextRequest = Duration.seconds(60)
        /// Time limit of a whole body, and of each part of an answer.
        var transfer = Duration.seconds(30)
    }

    enum Phase: Sendable {
        /// Nobody has shown the password yet.
        case new
        /// Waits for the next request, after one with the password.
        case idle
        case busy
    }

    private struct Entry {
        let channel: any Channel
        var phase = Phase.new
        /// Time of the last progress.
        var since: NIODeadline
        /// Closes the connection. Cancelled with the entry: it would keep the connection's memory.
        var deadline: Scheduled<Void>

        init(_ channel: any Channel, within limit: Duration) {
            (self.channel, since) = (channel, channel.eventLoop.now)
            deadline = Self.deadline(of: channel, within: limit)
        }

        mutating func advance(within limit: Duration) {
            since = channel.eventLoop.now
            deadline.cancel()
            deadline = Self.deadline(of: channel, within: limit)
        }

        private static func deadline(of channel: any Channel, within limit: Duration) -> Scheduled<Void> {
            channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
        }

        /// Connections of a lower rank are missed less.
        func rank(at now: NIODeadline) -> Int {
            switch phase {
            case .new: now - since < .seconds(1) ? 3 : 0
            case .idle: 1
            case .busy: now - since < .seconds(1) ? 4 : 2
            }
        }
    }

    let limits: Limits
    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])
    private let conversations = Mutex<[ObjectIdentifier: Task<Void, Never>]>([:])
    private let hasSaidUnknown = Atomic(false)

    init(_ limits: Limits) { self.limits = limits }

    /// If there are too many, one gives way: of those that nobody has shown the password on for a second, else of those
    /// that are idle, else of those that are stuck, the oldest. A flood displaces itself.
    func add(_ channel: any Channel) {
        let leaving: Entry? = entries.withLock { entries in
            let now = channel.eventLoop.now
            var leaving: Entry?
            if entries.count >= limits.connections {
                let victim = entries.min { a, b in
                    (a.value.rank(at: now), a.value.since) < (b.value.rank(at: now), b.value.since)
                }
                leaving = victim.flatMap { entries.removeValue(forKey: $0.key) }
            }
            entries[ObjectIdentifier(channel)] = Entry(channel, within: limits.firstRequest)
            return leaving
        }
        leaving?.deadline.cancel()
        leaving?.channel.close(promise: nil)
    }

    /// Has a conversation with a connection, which ends with it.
    func begin(_ channel: any Channel, _ conversation: @escaping @Sendable () async -> Void) {
        let key = ObjectIdentifier(channel)
        conversations.withLock { conversations in
            conversations[key] = Task {
                await conversation()
                _ = self.conversations.withLock { $0.removeValue(forKey: key) }
            }
        }
    }

    /// Closes all connections, and returns when their conversations have ended.
    func closeAll() async {
        for entry in entries.withLock({ Array($0.values) }) { entry.channel.close(promise: nil) }
        let conversations = conversations.withLock { Array($0.values) }
        for conversation in conversations { conversation.cancel() }
        for conversation in conversations { await conversation.value }
    }

    /// - Parameter phase: nil if it stays.
    func advance(_ channel: any Channel, to phase: Phase? = nil, within limit: Duration) {
        entries.withLock { entries in
            let key = ObjectIdentifier(channel)
            entries[key]?.advance(within: limit)
            if let phase { entries[key]?.phase = phase }
        }
    }

    func isFirstUnknown() -> Bool { !hasSaidUnknown.exchange(true, ordering: .relaxed) }

    /// Call when a connection is closed. Its conversation ends, with the requests that it still holds.
    func remove(_ channel: any Channel) {
        let key = ObjectIdentifier(channel)
        entries.withLock { $0.removeValue(forKey: key) }?.deadline.cancel()
        conversations.withLock { $0[key] }?.cancel()
    }
}
