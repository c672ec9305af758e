import Glibc

/// The reason why a call got no reply. An error reply is a `VarlinkError`.
package enum VarlinkClientError: Error, Hashable, Sendable, CustomStringConvertible {
    case noSocket(path: String)
    case refused(path: String)
    case permissionDenied(path: String)
    /// The process that listens is neither this user's nor root's.
    case otherUser(path: String, user: UInt32)
    case badPath(path: String)
    case system(call: String, errno: Int32)
    case timedOut
    /// The peer closed the connection before the complete reply.
    case closed
    case violation(String)
    /// Stopped by `VarlinkClient.interrupt`.
    case interrupted

    package var description: String {
        switch self {
        case .noSocket(let path): "there is no socket at \(path)"
        case .refused(let path): "no process listens at \(path)"
        case .permissionDenied(let path): "no permission to connect to \(path)"
        case .otherUser(let path, let user): "a process of user \(user) listens at \(path)"
        case .badPath(let path):
            "a socket's path has 1 to \(UnixSocketPath.maximumLength) bytes, and this one has \(path.utf8.count): \(path)"
        case .system(let call, let number): "\(call): \(String(cString: strerror(number)))"
        case .timedOut: "no reply in time"
        case .closed: "the connection was closed before the reply was complete"
        case .violation(let reason): "the reply is not valid Varlink: \(reason)"
        case .interrupted: "interrupted"
        }
    }
}
