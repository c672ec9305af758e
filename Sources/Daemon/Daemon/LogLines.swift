import Glibc
import Logging

/// True if standard error goes to the journal (systemd.exec(5), JOURNAL_STREAM).
private let isJournal: Bool = {
    var status = stat()
    guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
    return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
}()

/// What waits at the end of the process is written by then, if somebody reads.
private let standardError: LogQueue = {
    atexit { standardError.flush(within: .seconds(2)) }
    return LogQueue(to: STDERR_FILENO) { count in
        LogLines(level: .warning).bytes(
            "userd: \(count) lines of the log were dropped, because nobody read standard error\n")
    }
}()

/// Lines on standard error. In the journal, each begins with its priority (sd-daemon(3)), which the journal removes and
/// `journalctl --priority` uses.
struct LogLines: TextOutputStream {
    let level: Logger.Level
    /// The number of words before the message, such as the time, which the journal has itself.
    var heading = 0

    /// Does not wait for a reader.
    func write(_ text: String) { standardError.write(bytes(text)) }

    fileprivate func bytes(_ text: String) -> [UInt8] {
        guard isJournal else { return Array(text.utf8) }
        let bytes = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: heading).last ?? text.utf8[...]
        // The bytes that end a line for the journal. "\r\n" is one Character, so this splits bytes.
        let lines = bytes.split { $0 == 0x0A || $0 == 0x0D || $0 == 0 }
        return lines.flatMap { Array("<\(level.priority)>".utf8) + $0 + [0x0A] }
    }
}

extension Logger.Level {
    /// The priority of syslog(3).
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
    LogLines(level: level).write("userd: \(message)\n")
}
