import Varlink

/// The reason why userd is unavailable, so that reads use the cache file, and what to do about it.
struct Unavailability {
    let reason: String
    /// One line each.
    let advice: [String]

    /// Nil for errors that don't mean that userd is unavailable.
    init?(_ error: any Error) {
        switch error {
        case let error as CommandError where error == .noSocketPath:
            reason = "userd's socket is unknown: neither XDG_RUNTIME_DIR nor --socket is set"
            advice = error.advice
        case VarlinkClientError.closed:
            reason = "userd closed the connection"
            advice = ["userd answers only its own user: name your socket with --socket", logAdvice]
        case VarlinkClientError.noSocket, VarlinkClientError.refused:
            (reason, advice) = ("userd is not running", [startAdvice])
        case VarlinkClientError.timedOut:
            (reason, advice) = ("userd does not answer", [logAdvice])
        case let error as VarlinkError where error == .permissionDenied:
            (reason, advice) = ("userd has reached its limit of connections", [connectionsAdvice])
        default: return nil
        }
    }
}

extension CommandError {
    static let noSocketPath = CommandError(
        "userd's socket is unknown: XDG_RUNTIME_DIR is not set to an absolute path", .unavailable,
        advice: "name the socket with --socket or USERD_SOCKET")
}
