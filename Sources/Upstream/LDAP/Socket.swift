import Glibc
import Model

/// A connected socket; closed unless its descriptor is taken.
struct Socket: ~Copyable {
    private(set) var descriptor: CInt

    private init(_ family: CInt) throws(UpstreamError) {
        descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        if descriptor < 0 { throw UpstreamError(.offline, "can't create a socket: \(reason(errno))") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    consuming func take() -> CInt {
        let taken = descriptor
        descriptor = -1
        return taken
    }

    /// - Parameter limit: for this address.
    static func connected(
        to socketAddress: [UInt8], _ settings: LDAPSettings, within limit: Duration,
        _ cancellable: CancellableSocket
    ) throws(UpstreamError) -> Socket {
        let server = settings.address.server
        let family = socketAddress.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) }
        let socket = try Socket(CInt(family))
        cancellable.hold(socket.descriptor)
        func failure(_ code: CInt) -> UpstreamError {
            // The socket is about to be closed.
            cancellable.release()
            return code == ETIMEDOUT
                ? UpstreamError(.timeout, "no connection to \(server) in \(settings.connectTimeout)")
                : UpstreamError(.offline, "could not connect to \(server): \(reason(code))")
        }
        let flags = fcntl(socket.descriptor, F_GETFL)
        _ = fcntl(socket.descriptor, F_SETFL, flags | O_NONBLOCK)
        let started = socketAddress.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connect(socket.descriptor, $0.baseAddress, socklen_t(socketAddress.count))
            }
        }
        if started != 0 {
            guard errno == EINPROGRESS || errno == EINTR || errno == EAGAIN else { throw failure(errno) }
            var watched = pollfd(fd: socket.descriptor, events: Int16(POLLOUT), revents: 0)
            let left = CInt(clamping: limit.milliseconds)
            guard poll(&watched, 1, left) > 0 else { throw failure(ETIMEDOUT) }
            var (code, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
            getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            if code != 0 { throw failure(code) }
        }
        _ = fcntl(socket.descriptor, F_SETFL, flags)
        return socket
    }

    /// Socket addresses of the server, as bytes.
    static func places(of settings: LDAPSettings) throws(UpstreamError) -> [[UInt8]] {
        let address = settings.address
        if address.scheme == .ldapi { return [unix(address.host)] }
        var places: [[UInt8]] = []
        for host in settings.hosts(address.host) { places += try self.places(of: host, address) }
        return places
    }

    private static func places(
        of host: String, _ address: LDAPAddress
    ) throws(UpstreamError) -> [[UInt8]] {
        var hint = addrinfo()
        hint.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(address.port)", &hint, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard code == 0 else {
            let words =
                code == EAI_AGAIN
                ? "no name server answered" : String(cString: gai_strerror(code)).lowercased()
            throw UpstreamError(.offline, "could not connect to \(address.server): \(words)")
        }
        var places: [[UInt8]] = []
        var next = found
        while let entry = next?.pointee, places.count < 8 {
            places.append(Array(UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))))
            next = entry.ai_next
        }
        return places
    }

    private static func unix(_ path: String) -> [UInt8] {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafeBytes(of: address) { Array($0) }
    }
}

private func reason(_ code: CInt) -> String { String(cString: strerror(code)).lowercased() }
