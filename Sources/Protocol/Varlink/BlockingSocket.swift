import Glibc
import Synchronization

/// A connected Unix socket with blocking calls that have a deadline and can be interrupted from any thread.
final class BlockingSocket: Sendable {
    typealias Instant = ContinuousClock.Instant

    private let descriptor: Int32
    private let isInterrupted = Atomic(false)

    init(path: String, timeout: Duration) throws(VarlinkClientError) {
        guard let address = UnixSocketPath(path) else { throw .badPath(path: path) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
        // Bounds connect(2), which waits while the listener's backlog is full. Zero would mean no limit.
        let microseconds = max(1, timeout.milliseconds * 1000)
        var bound = timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &bound, socklen_t(MemoryLayout<timeval>.size))
        while address.withAddress({ connect(descriptor, $0, $1) }) != 0 {
            switch errno {
            case EINTR: continue
            case ENOENT, ENOTDIR: throw .noSocket(path: path)
            case ECONNREFUSED: throw .refused(path: path)
            case EACCES, EPERM: throw .permissionDenied(path: path)
            case EAGAIN: throw .timedOut
            case let other: throw .system(call: "connect", errno: other)
            }
        }
        // In a shared folder, another user's process may have created the socket first.
        if let user = credentials?.user, ![0, geteuid()].contains(user) {
            throw .otherUser(path: path, user: user)
        }
    }

    /// The process that listens at the other end, and its user (unix(7), SO_PEERCRED); nil if the kernel does
    /// not say.
    var credentials: (process: pid_t, user: uid_t)? {
        // Same layout as `struct ucred`, which Swift's Glibc module does not export.
        var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        return (credentials.0, credentials.1)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Makes current and later calls fail. Safe in signal handlers: sets a flag and calls shutdown(2).
    func interrupt() {
        isInterrupted.store(true, ordering: .releasing)
        hangUp()
    }

    /// Shuts the connection down; the descriptor is closed in deinit.
    func hangUp() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func send(_ bytes: [UInt8], until deadline: Instant?) throws(VarlinkClientError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
            if sent >= 0 {
                rest = rest.dropFirst(sent)
            } else {
                try handle(errno, of: "send", waitingFor: POLLOUT, until: deadline)
            }
        }
    }

    /// Returns at least one byte. Throws `.closed` at the end of the stream.
    func receive(until deadline: Instant?) throws(VarlinkClientError) -> [UInt8] {
        while true {
            var received = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                received = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                count = max(0, received)
            }
            if received > 0 { return bytes }
            if received == 0 { throw ended() }
            try handle(errno, of: "recv", waitingFor: POLLIN, until: deadline)
        }
    }

    /// Returns if the caller should try again.
    private func handle(
        _ number: Int32, of call: String, waitingFor event: Int32, until deadline: Instant?
    ) throws(VarlinkClientError) {
        switch number {
        case EINTR: return
        case EAGAIN: try wait(for: event, until: deadline)
        case EPIPE, ECONNRESET: throw ended()
        default: throw .system(call: call, errno: number)
        }
    }

    private func wait(for event: Int32, until deadline: Instant?) throws(VarlinkClientError) {
        var milliseconds: Int32 = -1
        if let deadline {
            let left = (deadline - .now).milliseconds
            guard left > 0 else { throw .timedOut }
            milliseconds = Int32(clamping: left)
        }
        var descriptors = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        // After a signal or an early return, the caller tries again.
        guard poll(&descriptors, 1, milliseconds) >= 0 || errno == EINTR else {
            throw .system(call: "poll", errno: errno)
        }
    }

    private func ended() -> VarlinkClientError {
        isInterrupted.load(ordering: .acquiring) ? .interrupted : .closed
    }
}

extension Duration {
    /// Rounded up, at most 10⁹ seconds.
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(seconds, 1_000_000_000) * 1000 + (attoseconds + 999_999_999_999_999)
            / 1_000_000_000_000_000
    }
}
