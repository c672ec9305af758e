/// The exit codes of failed commands, some from sysexits(3). Thrown by itself if the message has been printed already.
enum Outcome: Int32, Error, CaseIterable {
    case failed = 1
    case usage = 64
    case unavailable = 69
    case mistake = 70
    case output = 74
    case timedOut = 75
    case interrupted = 130

    /// The help's table: a line for each exit code, including 0.
    static var table: String {
        let codes = [(0, "done")] + allCases.map { ($0.rawValue, $0.meaning) }
        return codes.map { code, meaning in
            "  \(code)" + String(repeating: " ", count: 5 - "\(code)".count) + meaning
        }.joined(separator: "\n")
    }

    private var meaning: String {
        switch self {
        case .failed: "not found, the awaited sync failed, or doctor found a fault"
        case .usage: "wrong usage"
        case .unavailable: "userd is needed and does not run, or there is no cache"
        case .mistake: "internal error in userctl"
        case .output: "the output can't be written"
        case .timedOut: "timed out"
        case .interrupted: "interrupted (SIGINT), or pick ended without a choice"
        }
    }
}
