import Glibc
import Logging
import ProgramSupport

/// Lines for the journal: each begins with its priority (sd-daemon(3)), which the journal removes and
/// `journalctl --priority` uses.
struct JournalLines: TextOutputStream {
    /// Whether standard error goes to the journal (systemd.exec(5), JOURNAL_STREAM).
    static let areWritten: Bool = {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }()

    let level: Logger.Level

    /// In one write, so that no other line comes between.
    func write(_ text: String) {
        // The bytes that end a line for the journal. "\r\n" is one Character, so this splits bytes.
        let lines = text.utf8.split { $0 == 0x0A || $0 == 0x0D || $0 == 0 }
        writeToStandardError(lines.map { "<\(level.priority)>\(Substring($0))\n" }.joined())
    }
}

extension Logger.Level {
    /// Of syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

/// A message of the program itself, on standard error.
func say(_ message: String, _ level: Logger.Level = .error) {
    let text = "userd: \(message)\n"
    if JournalLines.areWritten { JournalLines(level: level).write(text) } else { writeToStandardError(text) }
}

private func writeToStandardError(_ text: String) {
    // A failure here can't be reported.
    try? writeFully(Array(text.utf8), to: STDERR_FILENO)
}
