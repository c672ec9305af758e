import Dispatch
import Glibc
import Varlink

/// The notification socket of the manager that started this process (sd_notify(3)).
///
/// `notify` never waits: a queue sends the datagrams in order. A datagram that can't be sent is dropped: a
/// service can't repair its manager.
final class ServiceManager: Sendable {
    private let descriptor: Int32
    private let address: UnixSocketPath
    private let queue = DispatchQueue(label: "service-manager")

    /// Attempts to send a vital notification.
    private static let attempts = 20

    /// - Parameter name: a path, or `@` and an abstract name.
    init(_ name: String) throws(ServiceManagerError) {
        let path = name.hasPrefix("/") ? UnixSocketPath(name) : nil
        let abstract = name.hasPrefix("@") ? UnixSocketPath(abstract: String(name.dropFirst())) : nil
        guard name.utf8.count > 1, let address = path ?? abstract else { throw .unusableSocket(name: name) }
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .noSocket(errno: errno) }
        // The time limit of one attempt: longer than a manager is busy, shorter than it waits for a service to stop.
        var timeout = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Reads and unsets NOTIFY_SOCKET, so that no child process notifies in this one's name; nil if it is not
    /// set. Call before other threads read the environment.
    static func taken(from environment: [String: String]) throws(ServiceManagerError)
        -> ServiceManager?
    {
        guard let name = environment["NOTIFY_SOCKET"] else { return nil }
        unsetenv("NOTIFY_SOCKET")
        return try ServiceManager(name)
    }

    func notify(_ notification: Notification) {
        queue.async { [self] in
            let message = Array(notification.text.utf8)
            for _ in 0..<(notification.isVital ? Self.attempts : 1)
            where send(message) { return }
        }
    }

    /// - Returns: false if the send timed out, and another attempt may succeed.
    private func send(_ message: [UInt8]) -> Bool {
        while true {
            let count = address.withAddress {
                sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, $1)
            }
            if count < 0, errno == EINTR { continue }
            return count >= 0 || errno != EAGAIN
        }
    }

    /// Waits until all notifications so far are sent or dropped.
    func flush() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }
}

enum ServiceManagerError: Error, Hashable, CustomStringConvertible {
    case unusableSocket(name: String)
    case noSocket(errno: Int32)

    var description: String {
        switch self {
        case .unusableSocket(let name):
            "NOTIFY_SOCKET must be an absolute path or an abstract @name of at most \(UnixSocketPath.maximumLength) bytes: \(name)"
        case .noSocket(let errno):
            "can't create a socket for the service manager: \(String(cString: strerror(errno)))"
        }
    }
}
