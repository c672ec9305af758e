import Glibc
import Logging
import ProgramSupport

/// Where standard error is the journal's, each line says in front how bad it is (sd-daemon(3)): the journal takes that off
/// again, and `journalctl --priority` goes by it.
struct JournalLines: TextOutputStream {
    /// Whether the journal gets what is written to standard error (systemd.exec(5), JOURNAL_STREAM).
    static let areWritten: Bool = {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }()

    let level: Logger.Level

    /// In one piece, so that no other line comes between.
    func write(_ text: String) {
        // What the journal takes for the end of one, of "\r\n", which is one character, the half.
        let lines = text.utf8.split { $0 == 0x0A || $0 == 0x0D || $0 == 0 }
        writeToStandardError(lines.map { "<\(level.priority)>\(Substring($0))\n" }.joined())
    }
}

extension Logger.Level {
    /// syslog(3)'s.
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
    // Where even that can't be written there is nobody left to tell.
    try? writeFully(Array(text.utf8), to: STDERR_FILENO)
}
