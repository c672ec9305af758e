import Logging
import Synchronization

/// The level of all loggers made with it, which may change.
final class SharedLogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    init(_ level: Logger.Level) { self.level = Mutex(level) }

    var current: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}

/// Logs to standard error at the shared level: loggers are copied everywhere, and a reload changes the level
/// of all.
struct SharedLevelLogHandler: LogHandler {
    let label: String
    let level: SharedLogLevel
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    var logLevel: Logger.Level {
        get { level.current }
        set { level.current = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        // Each line begins with the time, the level and the label.
        var lines = StreamLogHandler(
            label: label, stream: LogLines(level: event.level, heading: 3), metadataProvider: metadataProvider
        )
        lines.metadata = metadata
        lines.log(event: event)
    }
}
