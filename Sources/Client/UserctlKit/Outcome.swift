/// How a command ends that does not end well: DESIGN's table of exit codes, with sysexits(3)'s for what it leaves out.
/// Thrown by itself where all has been said.
package enum Outcome: Int32, Error, CaseIterable {
    /// Not found, or what was waited for failed.
    case failed = 1
    case usage = 64
    /// No daemon for what needs one, or no cache.
    case unavailable = 69
    /// What should never happen: a mistake in userctl itself.
    case mistake = 70
    case output = 74
    case timedOut = 75
    case interrupted = 130
}

extension Outcome {
    /// For help: a line for each, and for the one that is none of them.
    static var table: String {
        let codes = [(0, "done")] + allCases.map { ($0.rawValue, $0.meaning) }
        return codes.map { code, meaning in
            "  \(code)" + String(repeating: " ", count: 5 - "\(code)".count) + meaning
        }.joined(separator: "\n")
    }

    private var meaning: String {
        switch self {
        case .failed: "not found, or the sync that was waited for failed"
        case .usage: "the command line is wrong"
        case .unavailable: "no userd for what needs one, or no cache"
        case .mistake: "a mistake in userctl itself"
        case .output: "the output can't be written"
        case .timedOut: "timed out"
        case .interrupted: "interrupted"
        }
    }
}
