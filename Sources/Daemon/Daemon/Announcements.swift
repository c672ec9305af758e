import HTTP
import Logging
import Model
import Synchronization
import UnixSignals

/// The service manager that started userd. From here on, no SIGHUP is lost.
struct ServiceManagerLink {
    let announcements: Announcements
    let watchdog: Watchdog?
    let terminal: StartTerminal
    let hangups: UnixSignalsSequence

    init(_ environment: [String: String], _ terminal: StartTerminal, _ logger: Logger) async {
        self.terminal = terminal
        let manager: ServiceManager?
        do {
            manager = try ServiceManager.taken(from: environment)
        } catch {
            logger.warning("Can't notify the service manager", metadata: ["reason": "\(error)"])
            manager = nil
        }
        announcements = Announcements(manager)
        watchdog = Watchdog.taken(from: environment)
        hangups = await UnixSignalsSequence(trapping: .sighup)
    }
}

/// Reports userd's status to the service manager.
final class Announcements: Sendable {
    fileprivate enum Stage { case starting, serving, reopening, ending }

    fileprivate struct Contents {
        var stage = Stage.starting
        /// The states of all resources.
        var line: @Sendable () -> String = { "" }
        var said: String?
        var failedReload: String?
        var failedRecording: String?
        /// When the manager was last asked for more time to start.
        var extendedAt: Duration?
    }

    private let manager: ServiceManager?
    private let contents = Mutex(Contents())

    /// How often a migration asks for more time to start, and for how much: no step of it takes that long.
    private static let asking = (every: Duration.seconds(1), limit: Duration.seconds(120))

    init(_ manager: ServiceManager?) { self.manager = manager }

    func opensCache() { start("opening the cache") }

    /// Call repeatedly during a migration.
    func migrates(to schema: Int) {
        start("bringing the cache up to schema \(schema)")
        let now = monotonicTime()
        contents.withLock { contents in
            if let extendedAt = contents.extendedAt, now - extendedAt < Self.asking.every { return }
            contents.extendedAt = now
            manager?.notify(.starting(within: Self.asking.limit))
        }
    }

    /// userd stops serving, but does not end: if it reported its end, systemd would wait for that.
    func opensCacheAgain() {
        contents.withLock { contents in
            guard contents.stage == .serving else { return }
            contents.stage = .reopening
            contents.said = "opening the cache again"
            manager?.notify(.status("opening the cache again"))
        }
    }

    private func start(_ words: String) {
        contents.withLock { contents in
            guard contents.stage == .starting, contents.said != words else { return }
            contents.said = words
            manager?.notify(.status(words))
        }
    }

    /// userd answers calls from now on.
    /// - Parameter line: returns the states of all resources.
    func serves(_ line: @escaping @Sendable () -> String) {
        contents.withLock { contents in
            guard contents.stage == .starting || contents.stage == .reopening else { return }
            contents.stage = .serving
            contents.line = line
            manager?.notify(.ready(status: contents.next()))
        }
    }

    func changed() { update { _ in } }

    func reloads() {
        contents.withLock { contents in
            guard contents.stage == .serving else { return }
            manager?.notify(.reloading(since: monotonicTime()))
        }
    }

    /// - Parameter failure: why the settings did not change; shown until a reload succeeds.
    func reloaded(failure: String?) {
        contents.withLock { contents in
            contents.failedReload = failure
            guard contents.stage == .serving else { return }
            manager?.notify(.ready(status: contents.next()))
        }
    }

    /// - Parameter failure: why the recording could not be written; shown until a write succeeds.
    func recorded(failure: String?) { update { $0.failedRecording = failure } }

    /// Sends the status if it differs after the change.
    private func update(_ change: (inout Contents) -> Void) {
        contents.withLock { contents in
            change(&contents)
            guard contents.stage == .serving else { return }
            let before = contents.said
            let status = contents.next()
            if status != before { manager?.notify(.status(status)) }
        }
    }

    func ends() {
        contents.withLock { contents in
            guard contents.stage != .reopening else { return }
            contents.stage = .ending
            manager?.notify(.stopping(status: "ending"))
        }
    }

    func failed(_ error: any Error) { manager?.notify(.status("failed: \(error)")) }

    func isAlive() { manager?.notify(.alive) }

    /// Waits until everything so far is sent.
    func flush() async { await manager?.flush() }
}

extension Announcements.Contents {
    fileprivate mutating func next() -> String {
        let failures = [failedReload.map { "the last reload failed: \($0)" }, failedRecording]
        let status = ([line()] + failures.compactMap(\.self)).joined(separator: "; ")
        said = status
        return status
    }
}
