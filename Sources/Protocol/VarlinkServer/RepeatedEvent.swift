import Logging
import NIOCore

/// Rate-limits the log of events that clients can cause: logs the first at once, then at intervals the number
/// since. In between, events are logged at `debug`. Confined to its event loop.
final class RepeatedEvent {
    static let interval = TimeAmount.seconds(10)

    private let message: Logger.Message
    private let level: Logger.Level
    private let server: VarlinkServer
    /// Number of events since the last log; nil if that was more than an interval ago.
    private var unsaid: Int?

    init(_ message: Logger.Message, _ level: Logger.Level, on server: VarlinkServer) {
        (self.message, self.level, self.server) = (message, level, server)
    }

    func happened(_ reason: String) {
        guard let unsaid else {
            server.logger.log(level: level, message, metadata: ["reason": "\(reason)"])
            self.unsaid = 0
            waitAndSay()
            return
        }
        self.unsaid = unsaid + 1
        server.logger.debug(message, metadata: ["reason": "\(reason)"])
    }

    private func waitAndSay() {
        server.eventLoop.assumeIsolated().scheduleTask(in: Self.interval) {
            let count = self.unsaid ?? 0
            self.unsaid = nil
            guard count > 0 else { return }
            self.server.logger.log(level: self.level, self.message, metadata: ["times": "\(count)"])
            self.unsaid = 0
            self.waitAndSay()
        }
    }
}
