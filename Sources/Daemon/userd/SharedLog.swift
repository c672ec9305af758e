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

/// Logs to standard error at the shared level: loggers are copied everywhere, and a reload changes the level of all.
struct SharedLevelLogHandler: LogHandler {
    private let label: String
    private let level: SharedLogLevel
    private var log: StreamLogHandler

    init(label: String, level: SharedLogLevel) {
        self.label = label
        self.level = level
        log = StreamLogHandler.standardError(label: label)
        log.logLevel = .trace
    }

    var logLevel: Logger.Level {
        get { level.current }
        set { level.current = newValue }
    }

    var metadata: Logger.Metadata {
        get { log.metadata }
        set { log.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { log.metadataProvider }
        set { log.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { log[metadataKey: key] }
        set { log[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        guard JournalLines.areWritten else { return log.log(event: event) }
        var lines = StreamLogHandler(
            label: label, stream: JournalLines(level: event.level), metadataProvider: log.metadataProvider)
        lines.metadata = log.metadata
        lines.log(event: event)
    }
}
