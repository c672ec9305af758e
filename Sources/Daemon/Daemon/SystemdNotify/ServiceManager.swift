import Dispatch
import Glibc

/// The notification socket of the manager that started this process (sd_notify(3)).
///
/// `notify` never waits: a queue sends the datagrams in order. A datagram that can't be sent is dropped: a
/// service can't repair its manager.
final class ServiceManager: Sendable {
    private let descriptor: Int32
    private let address: Address
    private let queue = DispatchQueue(label: "service-manager")

    /// Attempts to send a vital notification.
    private static let attempts = 20

    /// - Parameter name: a path, or `@` and an abstract name.
    init(_ name: String) throws(ServiceManagerError) {
        guard let address = Address(name) else { throw .unusableSocket(name: name) }
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
            where address.send(message, on: descriptor) { return }
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
            "NOTIFY_SOCKET must be an absolute path or an abstract @name of at most \(Address.maximumLength) bytes: \(name)"
        case .noSocket(let errno):
            "can't create a socket for the service manager: \(String(cString: strerror(errno)))"
        }
    }
}

/// A Unix socket's address: a path, or `@` and an abstract name (unix(7)).
private struct Address: Sendable {
    private let bytes: [UInt8]

    static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    init?(_ name: String) {
        guard name.hasPrefix("/") || name.hasPrefix("@"), (2...Self.maximumLength).contains(name.utf8.count)
        else { return nil }
        bytes = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : name.utf8 + [0]
    }

    /// - Returns: false if the send timed out, and another attempt may succeed.
    func send(_ message: [UInt8], on descriptor: Int32) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // An abstract name has no NUL at its end: the length ends it.
        let length = MemoryLayout<sa_family_t>.size + bytes.count
        return withUnsafeBytes(of: &address) { address in
            address.withMemoryRebound(to: sockaddr.self) { address in
                while true {
                    let count = sendto(
                        descriptor, message, message.count, Int32(MSG_NOSIGNAL), address.baseAddress,
                        socklen_t(length))
                    if count < 0, errno == EINTR { continue }
                    return count >= 0 || errno != EAGAIN
                }
            }
        }
    }
}
