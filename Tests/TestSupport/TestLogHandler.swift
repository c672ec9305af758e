import Logging

/// Passes each log event to a test.
package struct TestLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel = Logger.Level.trace
    private let handle: @Sendable (LogEvent) -> Void

    package init(_ handle: @escaping @Sendable (LogEvent) -> Void) { self.handle = handle }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) { handle(event) }
}
