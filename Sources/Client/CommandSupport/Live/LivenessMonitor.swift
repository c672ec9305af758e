import Model
import Synchronization
import UserdAPI
import Varlink

/// Notices that userd no longer answers. A watch can't tell: it looks as if nothing happened.
package final class LivenessMonitor: Sendable {
    package enum Change: Hashable, Sendable {
        /// - Parameter since: the last reply; nil if there was none.
        case stoppedAnswering(since: Timestamp?)
        case answers
    }

    private struct Contents {
        /// A lost connection is reported by the watch itself.
        var isConnected = false
        /// Since the last check.
        var hasReplied = false
        var repliedAt: Timestamp?
        var isUnresponsive = false
    }

    private let contents = Mutex(Contents())
    private let connect: @Sendable () throws -> UserdClient
    private let now: @Sendable () -> Timestamp
    private let after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    private let tell: @Sendable (Change) -> Void

    /// After this long without a reply, userd is called.
    private static let interval = Duration.seconds(15)

    /// - Parameters:
    ///   - connect: called for each check: an open connection would count towards userd's limit.
    ///   - after: calls the closure once after a delay, on a thread of its own.
    package init(
        connect: @escaping @Sendable () throws -> UserdClient,
        now: @escaping @Sendable () -> Timestamp,
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
        tell: @escaping @Sendable (Change) -> Void
    ) {
        self.connect = connect
        self.now = now
        self.after = after
        self.tell = tell
        look()
    }

    package func connected() { contents.withLock { ($0.isConnected, $0.hasReplied) = (true, false) } }

    package func disconnected() { contents.withLock { ($0.isConnected, $0.isUnresponsive) = (false, false) } }

    /// Call it for each reply.
    package func replied() {
        contents.withLock { contents in
            contents.hasReplied = true
            noteReply(&contents)
        }
    }

    private func noteReply(_ contents: inout Contents) {
        contents.repliedAt = now()
        guard contents.isUnresponsive else { return }
        contents.isUnresponsive = false
        tell(.answers)
    }

    private func look() {
        after(Self.interval) { [weak self] in
            guard let self else { return }
            let isQuiet = contents.withLock { contents in
                defer { contents.hasReplied = false }
                return contents.isConnected && !contents.hasReplied
            }
            if isQuiet { ask() }
            look()
        }
    }

    private func ask() {
        let answers = (try? connect())?.answers
        contents.withLock { contents in
            guard contents.isConnected, !contents.hasReplied else { return }
            switch answers {
            case true: noteReply(&contents)
            case false where !contents.isUnresponsive:
                contents.isUnresponsive = true
                tell(.stoppedAnswering(since: contents.repliedAt))
            case false, nil: break
            }
        }
    }
}

extension UserdClient {
    /// Whether it answers `GetState`; nil if it can't be reached.
    package var answers: Bool? {
        func answer() -> Bool? {
            do {
                _ = try getState()
                return true
            } catch VarlinkClientError.timedOut {
                return false
            } catch {
                return error is VarlinkClientError ? nil : true
            }
        }
        // Twice, since the machine may have been suspended during the first.
        let first = answer()
        return first == false ? answer() : first
    }
}

extension Console {
    /// Reports changes on stderr.
    package func livenessMonitor(_ paths: Paths) -> LivenessMonitor {
        LivenessMonitor(connect: { try paths.connection(self).userd() }, now: clock.now, after: after) {
            change in
            switch change {
            case .stoppedAnswering(let since?):
                say("userd has not answered since \(clock.text(since)); waiting for it")
            case .stoppedAnswering(nil): say("userd does not answer; waiting for it")
            case .answers: say("userd answers again")
            }
        }
    }
}
