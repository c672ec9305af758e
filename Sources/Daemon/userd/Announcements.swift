import Model
import Synchronization
import SystemdNotify

/// What the service manager is told of userd, where there is one.
final class Announcements: Sendable {
    fileprivate enum Stage { case starting, serving, ending }

    fileprivate struct Contents {
        var stage = Stage.starting
        /// Where all resources stand, in words.
        var line: @Sendable () -> String = { "" }
        var said: String?
        var failedReload: String?
        var failedRecording: String?
        /// When the manager was last asked for more time to start.
        var asked: Duration?
    }

    private let manager: ServiceManager?
    private let contents = Mutex(Contents())

    /// The manager is asked for more time to start this often, and for so much, which no step of a migration takes alone.
    private static let asking = (every: Duration.seconds(1), limit: Duration.seconds(120))

    init(_ manager: ServiceManager?) { self.manager = manager }

    func opensCache() { start("opening the cache") }

    /// - Parameter schema: that is being reached. To be called again and again.
    func migrates(to schema: Int) {
        start("bringing the cache up to schema \(schema)")
        let now = monotonicTime()
        contents.withLock { contents in
            if let asked = contents.asked, now - asked < Self.asking.every { return }
            contents.asked = now
            manager?.tell(.starting(within: Self.asking.limit))
        }
    }

    private func start(_ words: String) {
        contents.withLock { contents in
            guard contents.stage == .starting, contents.said != words else { return }
            contents.said = words
            manager?.tell(.status(words))
        }
    }

    /// userd answers from now on.
    /// - Parameter line: where all resources stand, whenever it is asked for.
    func serves(_ line: @escaping @Sendable () -> String) {
        contents.withLock { contents in
            guard contents.stage == .starting else { return }
            contents.stage = .serving
            contents.line = line
            manager?.tell(.ready(status: contents.next()))
        }
    }

    /// Tells what has changed, where it can be seen in the status at all.
    func changed() {
        contents.withLock { contents in
            guard contents.stage == .serving, let status = contents.nextIfOther() else { return }
            manager?.tell(.status(status))
        }
    }

    func reloads() {
        contents.withLock { contents in
            guard contents.stage == .serving else { return }
            manager?.tell(.reloading(since: monotonicTime()))
        }
    }

    /// - Parameter failure: why the settings stay as they were; it is shown until a reload succeeds.
    func reloaded(failure: String?) {
        contents.withLock { contents in
            contents.failedReload = failure
            guard contents.stage == .serving else { return }
            manager?.tell(.ready(status: contents.next()))
        }
    }

    /// - Parameter failure: why it could not be written; it is shown until it can be.
    func recorded(failure: String?) {
        contents.withLock { contents in
            contents.failedRecording = failure
            guard contents.stage == .serving, let status = contents.nextIfOther() else { return }
            manager?.tell(.status(status))
        }
    }

    func ends() {
        contents.withLock { contents in
            contents.stage = .ending
            manager?.tell(.stopping(status: "ending"))
        }
    }

    func failed(_ error: any Error) { manager?.tell(.status("failed: \(error)")) }

    func isAlive() { manager?.tell(.alive) }

    /// Returns when the manager has been told all of it.
    func areHeard() async { await manager?.hasHeard() }
}

extension Announcements.Contents {
    fileprivate mutating func next() -> String {
        let failures = [failedReload.map { "the last reload failed: \($0)" }, failedRecording]
        let status = ([line()] + failures.compactMap(\.self)).joined(separator: "; ")
        said = status
        return status
    }

    fileprivate mutating func nextIfOther() -> String? {
        let before = said
        let status = next()
        return status == before ? nil : status
    }
}
