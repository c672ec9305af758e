import Glibc
import Synchronization

/// A connected Unix socket whose calls block, up to a deadline, and can be interrupted from any thread.
final class BlockingSocket: Sendable {
    typealias Instant = ContinuousClock.Instant

    private let descriptor: Int32
    private let isInterrupted = Atomic(false)

    init(path: String, timeout: Duration) throws(VarlinkClientError) {
        guard let address = UnixSocketPath(path) else { throw .badPath(path: path) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
        // connect(2) waits for room in the listener's backlog, and this is what bounds it there. Zero would be for ever.
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
    }

    /// The process that listened at the other end (unix(7), SO_PEERCRED); nil where the kernel does not say.
    var listener: pid_t? {
        // `struct ucred`, which Glibc's module does not export, begins with it.
        var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0
            ? credentials.0 : nil
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends what blocks now, and everything later. Only sets a flag and calls shutdown(2): fit for signal handlers.
    func interrupt() {
        isInterrupted.store(true, ordering: .releasing)
        hangUp()
    }

    /// The peer sees the end; the descriptor is closed with the object.
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

    /// Returns where the call should be tried again.
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
        // Interrupted by a signal or not, the caller tries again and comes back here if it was too early.
        guard poll(&descriptors, 1, milliseconds) >= 0 || errno == EINTR else {
            throw .system(call: "poll", errno: errno)
        }
    }

    private func ended() -> VarlinkClientError {
        isInterrupted.load(ordering: .acquiring) ? .interrupted : .closed
    }
}

extension Duration {
    /// Rounded up, and a thousand million seconds at the most.
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(seconds, 1_000_000_000) * 1000 + (attoseconds + 999_999_999_999_999)
            / 1_000_000_000_000_000
    }
}
