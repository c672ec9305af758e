import UserdAPI
import Varlink

/// Why userd does not answer, so that reads turn to its cache file, and how to have it answer.
struct Absence {
    /// In words for people.
    let reason: String
    /// Each a line of its own.
    let advice: [String]

    /// Nil where the error says something else.
    init?(_ error: any Error) {
        switch error {
        case let error as CommandError where error == .noSocketPath:
            reason = "userd can't be found without XDG_RUNTIME_DIR or --socket"
            advice = error.advice
        case VarlinkClientError.closed:
            reason = "userd has ended the connection"
            advice = ["it lets in nobody but its own user: name yours with --socket", logAdvice]
        case VarlinkClientError.noSocket, VarlinkClientError.refused:
            (reason, advice) = ("userd is not running", [startAdvice])
        case VarlinkClientError.timedOut:
            (reason, advice) = ("userd does not answer", [logAdvice])
        case let error as VarlinkError where error == .permissionDenied:
            (reason, advice) = ("userd has as many connections as it takes", [connectionsAdvice])
        default: return nil
        }
    }
}

extension CommandError {
    static let noSocketPath = CommandError(
        "userd can't be found: XDG_RUNTIME_DIR is not set to an absolute path", .unavailable,
        advice: "name the socket with --socket or USERD_SOCKET")
}
