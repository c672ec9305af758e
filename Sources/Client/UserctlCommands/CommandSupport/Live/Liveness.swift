import Model
import UserdAPI

/// Notices that userd no longer answers. On a watch, that looks as if nothing had changed.
final class Liveness {
    enum Change: Hashable, Sendable {
        /// - Parameter since: the time of the last reply; nil if there was none.
        case stoppedAnswering(since: Timestamp?)
        case answers
    }

    private let connect: () throws -> UserdClient
    private let now: () -> Timestamp
    private let interval: Duration
    private let tell: (Change) -> Void
    private var checkAt = ContinuousClock.now
    private var repliedAt: Timestamp?
    private var isSilent = false

    /// - Parameters:
    ///   - connect: called for each check: an open connection would count towards userd's limit.
    ///   - interval: after this long without a reply, userd is called.
    init(
        connect: @escaping () throws -> UserdClient, now: @escaping () -> Timestamp,
        interval: Duration, tell: @escaping (Change) -> Void
    ) {
        (self.connect, self.now, self.interval, self.tell) = (connect, now, interval, tell)
    }

    /// Call it when a watch begins. A lost connection is reported by the watch itself.
    func connected() {
        isSilent = false
        checkAt = .now + interval
    }

    /// Call it for each reply.
    func replied() {
        checkAt = .now + interval
        repliedAt = now()
        guard isSilent else { return }
        isSilent = false
        tell(.answers)
    }

    /// Calls userd if it is time to. Returns the time until the next check.
    func check() -> Duration {
        guard ContinuousClock.now >= checkAt else { return checkAt - .now }
        switch (try? connect())?.answers {
        case true: replied()
        case false where !isSilent:
            isSilent = true
            tell(.stoppedAnswering(since: repliedAt))
        case false, nil: break
        }
        checkAt = .now + interval
        return interval
    }
}

extension Console {
    /// Reports changes on stderr.
    func liveness(_ paths: Paths, interval: Duration = .seconds(15)) -> Liveness {
        Liveness(
            connect: { try paths.connection(self).userd() }, now: clock.now, interval: interval
        ) { change in
            switch change {
            case .stoppedAnswering(let since?):
                say("userd has not answered since \(clock.text(since)); waiting for it")
            case .stoppedAnswering(nil): say("userd does not answer; waiting for it")
            case .answers: say("userd answers again")
            }
        }
    }
}
