import Glibc

/// Why a call got no reply. (A reply that says that the call failed is a `VarlinkError`.)
package enum VarlinkClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no file at the path.
    case noSocket(path: String)
    /// There is a socket, or another file, that nobody listens at.
    case refused(path: String)
    case permissionDenied(path: String)
    /// Longer than a socket's path can be, or empty.
    case badPath(path: String)
    /// The system's error number.
    case system(call: String, errno: Int32)
    case timedOut
    /// The peer closed before the reply, or what was left of it, had come.
    case closed
    /// The peer sent what is no Varlink.
    case violation(String)
    /// Stopped by `Interrupter`.
    case interrupted

    package var description: String {
        switch self {
        case .noSocket(let path): "there is no socket at \(path)"
        case .refused(let path): "nobody listens at \(path)"
        case .permissionDenied(let path): "no permission to connect to \(path)"
        case .badPath(let path):
            "a socket's path has 1 to \(UnixSocketPath.maximumLength) bytes, and this one has \(path.utf8.count): \(path)"
        case .system(let call, let number): "\(call): \(String(cString: strerror(number)))"
        case .timedOut: "no answer in time"
        case .closed: "the connection was closed before the answer had come"
        case .violation(let reason): "the answer is no Varlink: \(reason)"
        case .interrupted: "interrupted"
        }
    }
}
