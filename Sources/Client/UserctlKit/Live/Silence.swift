import Model
import Synchronization
import UserdAPI
import Varlink

/// Notices a userd that does not answer any more: to who follows it, that looks as if nothing happened.
package final class Silence: Sendable {
    package enum Change: Hashable, Sendable {
        /// - Parameter since: when it was last heard of; nil where it never was.
        case fellSilent(since: Timestamp?)
        case answers
    }

    private struct Contents {
        /// Else there is nothing to be heard, and others tell of that.
        var isConnected = false
        /// Since it was last looked.
        var isHeard = false
        var heardAt: Timestamp?
        var isSilent = false
    }

    private let contents = Mutex(Contents())
    private let connect: @Sendable () throws -> UserdClient
    private let now: @Sendable () -> Timestamp
    private let after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    private let tell: @Sendable (Change) -> Void

    /// Where nothing has come for that long, userd is asked something.
    private static let patience = Duration.seconds(15)

    /// - Parameters:
    ///   - connect: for one question alone: a connection that is kept would be one less for others.
    ///   - after: calls once that much later, on a thread of its own.
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

    package func connected() { contents.withLock { ($0.isConnected, $0.isHeard) = (true, false) } }

    package func disconnected() { contents.withLock { ($0.isConnected, $0.isSilent) = (false, false) } }

    /// Something has come.
    package func hear() {
        contents.withLock { contents in
            contents.isHeard = true
            heard(&contents)
        }
    }

    private func heard(_ contents: inout Contents) {
        contents.heardAt = now()
        guard contents.isSilent else { return }
        contents.isSilent = false
        tell(.answers)
    }

    private func look() {
        after(Self.patience) { [weak self] in
            guard let self else { return }
            let isQuiet = contents.withLock { contents in
                defer { contents.isHeard = false }
                return contents.isConnected && !contents.isHeard
            }
            if isQuiet { ask() }
            look()
        }
    }

    private func ask() {
        let answers = (try? connect())?.answers
        contents.withLock { contents in
            guard contents.isConnected, !contents.isHeard else { return }
            switch answers {
            case true: heard(&contents)
            case false where !contents.isSilent:
                contents.isSilent = true
                tell(.fellSilent(since: contents.heardAt))
            case false, nil: break
            }
        }
    }
}

extension UserdClient {
    /// Whether it answers at once what takes it no time; nil where it can't be asked.
    var answers: Bool? {
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
        // Twice: the first may have been on its way while the machine slept.
        let first = answer()
        return first == false ? answer() : first
    }
}

extension Console {
    /// Says so on stderr.
    func silence(_ paths: Paths) -> Silence {
        Silence(connect: { try paths.connection(self).userd() }, now: clock.now, after: after) { change in
            switch change {
            case .fellSilent(let since?):
                say("userd has not answered since \(clock.text(since)); waiting for it")
            case .fellSilent(nil): say("userd does not answer; waiting for it")
            case .answers: say("userd answers again")
            }
        }
    }
}
