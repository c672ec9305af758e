import Glibc
import Varlink

package enum ListenError: Error, Hashable, Sendable, CustomStringConvertible {
    case badPath(path: String)
    case alreadyServed(path: String)
    /// Another process is claiming the path at the same time.
    case busy(path: String)
    case notASocket(path: String)
    /// - reason: includes advice.
    case unsafeDirectory(path: String, reason: String)
    case activation(reason: String)
    case system(call: String, path: String, errno: Int32)

    package var description: String {
        switch self {
        case .badPath(let path):
            "a socket's path has 1 to \(UnixSocketPath.maximumLength) bytes, and this one has \(path.utf8.count): "
                + "\(path); choose a shorter one"
        case .alreadyServed(let path):
            "another process already serves \(path); stop it, or choose another path"
        case .busy(let path): "another process is about to serve \(path); stop it, or choose another path"
        case .notASocket(let path):
            "\(path) is not a socket and is left alone; move it, or choose another path"
        case .unsafeDirectory(let path, let reason): "the socket's directory \(path) \(reason)"
        case .activation(let reason): "socket activation: \(reason)"
        case .system(let call, let path, let number):
            "\(path): \(call): \(String(cString: strerror(number)))"
        }
    }
}
