import Glibc

/// Sockets that a service manager or `varlinkctl exec:` passed to this process (sd_listen_fds(3)).
package struct Activation: Hashable, Sendable {
    package let sockets: [PassedSocket]

    package static let firstDescriptor: Int32 = 3
    package static let name = "varlink"

    package init(sockets: [PassedSocket]) { self.sockets = sockets }

    /// Takes the descriptors called `varlink`, or a single one with any name; nil if none were passed. Throws
    /// `ListenError.activation`.
    /// - Parameter other: the name of descriptors that are for another server.
    package init?(
        environment: [String: String], processID: pid_t = getpid(), except other: String? = nil
    ) throws(ListenError) {
        guard let passed = try Self.passed(environment, processID)?.filter({ $0.name != other }),
            !passed.isEmpty
        else { return nil }
        for (descriptor, _) in passed { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let named = passed.filter { $0.name == Self.name }
        let chosen = named.isEmpty && passed.count == 1 ? passed : named
        guard !chosen.isEmpty else {
            let names = passed.map(\.name).joined(separator: ", ")
            throw .activation(
                reason: "none of the \(passed.count) descriptors is called \(Self.name): \(names); "
                    + "set FileDescriptorName=\(Self.name) in the socket unit")
        }
        var sockets: [PassedSocket] = []
        for (descriptor, _) in chosen { sockets.append(try PassedSocket(descriptor)) }
        self.sockets = sockets
    }

    /// The listening sockets again, under new descriptors.
    package func duplicatingListeners() throws(ListenError) -> Activation {
        var copies: [PassedSocket] = []
        for socket in sockets where socket.isListening {
            copies.append(try PassedSocket(fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)))
        }
        return Activation(sockets: copies)
    }

    /// The descriptors and their names; nil if there are none for this process.
    package static func passed(
        _ environment: [String: String], _ processID: pid_t
    ) throws(ListenError) -> [(descriptor: Int32, name: String)]? {
        guard let addressee = environment["LISTEN_PID"] else { return nil }
        guard let addressee = pid_t(addressee) else {
            throw .activation(reason: "LISTEN_PID is not a number")
        }
        guard addressee == processID else { return nil }
        guard let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (0...1024).contains(count) else {
            throw .activation(reason: "LISTEN_FDS is not a number from 0 to 1024")
        }
        guard count > 0 else { return nil }
        let names = environment["LISTEN_FDNAMES"].map {
            $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
        if let names, names.count != count {
            throw .activation(reason: "LISTEN_FDNAMES has \(names.count) names for \(count) descriptors")
        }
        return (0..<count).map { (firstDescriptor + $0, names?[Int($0)] ?? "unknown") }
    }
}

/// A Unix stream socket that another process created.
package struct PassedSocket: Hashable, Sendable {
    let descriptor: Int32
    /// False: a client's connection.
    package let isListening: Bool
    /// Path of a listening socket; nil if it has none.
    package let path: String?

    package init(_ descriptor: Int32) throws(ListenError) {
        guard let domain = option(SO_DOMAIN, of: descriptor), let type = option(SO_TYPE, of: descriptor),
            let accepts = option(SO_ACCEPTCONN, of: descriptor)
        else {
            throw .activation(
                reason: "descriptor \(descriptor) is not a socket: \(String(cString: strerror(errno)))")
        }
        guard domain == AF_UNIX, type == SOCK_STREAM.rawValue else {
            throw .activation(
                reason: "descriptor \(descriptor) is not a Unix stream socket; set ListenStream= to a path")
        }
        self.descriptor = descriptor
        isListening = accepts != 0
        path = isListening ? boundPath(of: descriptor) : nil
    }
}

func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
}

private func boundPath(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutableBytes(of: &address) { bytes in
        bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress!, &size) }
    }
    guard result == 0 else { return nil }
    // An abstract socket's name begins with a NUL.
    let path = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix { $0 != 0 }) }
    return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
}

extension Activation {
    /// Closes the connections that wait on the passed sockets. Call before an exit that needs a person:
    /// otherwise a service manager would restart this program for each of them at once, and soon give up.
    package static func turnAway(_ environment: [String: String]) {
        guard let sockets = try? passed(environment, getpid()) else { return }
        for (descriptor, _) in sockets {
            // Also of other servers.
            if option(SO_ACCEPTCONN, of: descriptor) == 1 { turnAway(descriptor) }
        }
    }

    /// - Parameter most: a bound, for clients that connect again and again.
    package static func turnAway(_ listener: Int32, most: Int = 10_000) {
        _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
        for _ in 0..<most {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 || errno == EINTR || errno == ECONNABORTED else { return }
            if connection >= 0 { close(connection) }
        }
    }
}
