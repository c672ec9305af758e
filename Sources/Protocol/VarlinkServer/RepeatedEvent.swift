import Logging
import NIOCore

/// Logs what clients can bring about as often as they like: the first time at once, then how often it came since, once in
/// a while. In between it is seen at `debug` alone. Confined to its event loop.
final class RepeatedEvent {
    static let interval = TimeAmount.seconds(10)

    private let message: Logger.Message
    private let level: Logger.Level
    private let eventLoop: any EventLoop
    private let logger: Logger
    /// Since the last time that it was logged; nil where that is long ago.
    private var unsaid: Int?

    init(_ message: Logger.Message, _ level: Logger.Level, on eventLoop: any EventLoop, logger: Logger) {
        self.message = message
        self.level = level
        self.eventLoop = eventLoop
        self.logger = logger
    }

    func happened(_ reason: String) {
        guard let unsaid else {
            logger.log(level: level, message, metadata: ["reason": "\(reason)"])
            self.unsaid = 0
            waitAndSay()
            return
        }
        self.unsaid = unsaid + 1
        logger.debug(message, metadata: ["reason": "\(reason)"])
    }

    private func waitAndSay() {
        eventLoop.assumeIsolated().scheduleTask(in: Self.interval) {
            let count = self.unsaid ?? 0
            self.unsaid = nil
            guard count > 0 else { return }
            self.logger.log(level: self.level, self.message, metadata: ["times": "\(count)"])
            self.unsaid = 0
            self.waitAndSay()
        }
    }
}
