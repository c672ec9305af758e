import Glibc

/// A listening TCP socket at 127.0.0.1.
package struct LoopbackSocket: Hashable, Sendable {
    package let descriptor: Int32
    package let port: Int

    package struct Failure: Error, Hashable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    /// - Parameter port: 0 for any that is free.
    package static func open(port: Int) throws(Failure) -> LoopbackSocket {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw failure("a socket can't be made") }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard withAddress(port, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 128) == 0 else {
            let failure =
                errno == EADDRINUSE
                ? Failure("another program listens at port \(port)")
                : failure("port \(port) can't be opened")
            close(descriptor)
            throw failure
        }
        return try LoopbackSocket(descriptor)
    }

    /// Throws for any other kind of socket, and for one that others than this machine can reach.
    package init(_ descriptor: Int32) throws(Failure) {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            getsockname(descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
        }
        var listens: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard result == 0, address.sin_family == sa_family_t(AF_INET),
            address.sin_addr.s_addr == Self.loopback,
            getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0, listens != 0
        else {
            throw Failure("the socket does not listen at 127.0.0.1 alone")
        }
        self.descriptor = descriptor
        port = Int(in_port_t(bigEndian: address.sin_port))
    }

    /// The same socket under a new descriptor.
    package func duplicate() throws(Failure) -> LoopbackSocket {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw Self.failure("the socket can't be used") }
        return try LoopbackSocket(copy)
    }

    /// Calls the body with the address of a port at 127.0.0.1.
    package static func withAddress<Result>(
        _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = loopback
        return withUnsafeBytes(of: &address) { bytes in
            body(
                bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }

    private static let loopback = in_addr_t(0x7F00_0001).bigEndian

    private static func failure(_ what: String) -> Failure {
        Failure("\(what): \(String(cString: strerror(errno)))")
    }
}
