import Dispatch
import Glibc

/// The manager that started this process and wants to hear of it: a datagram socket (sd_notify(3)).
///
/// Telling it something waits for nothing: the datagrams go out in their order from a thread that may block. One that does
/// not get through is dropped: a manager that is gone, or does not listen, is nothing that a service could mend.
package final class ServiceManager: Sendable {
    private let descriptor: Int32
    private let address: Address
    private let queue = DispatchQueue(label: "service-manager")

    /// For what a manager would end a service without.
    private static let attempts = 20
    /// Longer than a manager is ever busy, and shorter than it waits for a service's end.
    private static let patience = timeval(tv_sec: 1, tv_usec: 0)

    /// Throws where there is a name that is none of a socket that this can reach.
    package init(_ name: String) throws(ServiceManagerError) {
        guard let address = Address(name) else { throw .unusableSocket(name: name) }
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .noSocket(errno: errno) }
        var patience = Self.patience
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Takes the manager's socket out of this process's environment, so that no child speaks for it; nil where there is
    /// none. Before other threads look at the environment.
    package static func taken(from environment: [String: String]) throws(ServiceManagerError)
        -> ServiceManager?
    {
        guard let name = environment["NOTIFY_SOCKET"] else { return nil }
        unsetenv("NOTIFY_SOCKET")
        return try ServiceManager(name)
    }

    package func tell(_ notification: Notification) {
        queue.async { [self] in
            let message = Array(notification.text.utf8)
            for _ in 0..<(notification.isVital ? Self.attempts : 1)
            where address.send(message, on: descriptor) { return }
        }
    }

    /// Returns when all that was to be told has been.
    package func hasHeard() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }
}

package enum ServiceManagerError: Error, Hashable, CustomStringConvertible {
    case unusableSocket(name: String)
    case noSocket(errno: Int32)

    package var description: String {
        switch self {
        case .unusableSocket(let name):
            "NOTIFY_SOCKET is neither a path nor an abstract socket's @name of at most \(Address.maximumLength) bytes: \(name)"
        case .noSocket(let errno):
            "no socket to speak to the service manager: \(String(cString: strerror(errno)))"
        }
    }
}

/// A Unix socket's address: a path, or with an @ before it a name that is in no file system (unix(7)).
private struct Address: Sendable {
    private let bytes: [UInt8]

    static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    init?(_ name: String) {
        guard name.hasPrefix("/") || name.hasPrefix("@"), (2...Self.maximumLength).contains(name.utf8.count)
        else { return nil }
        bytes = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : name.utf8 + [0]
    }

    /// - Returns: whether there is nothing to be gained by trying again.
    func send(_ message: [UInt8], on descriptor: Int32) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // All bytes of an abstract name count.
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
