import Glibc
import NIOCore
import Synchronization

/// Reserves a port with a bound socket that does not listen: while the upstream is down, connections are refused and
/// no other process gets the port. The listening socket shares it by `SO_REUSEADDR` (socket(7)).
final class PortReservation: Sendable {
    let host: String
    let port: Int
    private let descriptor: Mutex<Int32?>

    init(host: String, port: Int) throws {
        let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        let socket = Glibc.socket(
            Int32(address.protocol.rawValue), Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        var on: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard address.withSockAddr({ bind(socket, $0, socklen_t($1)) }) == 0 else {
            let error = IOError(errnoCode: errno, reason: "bind to \(host), port \(port)")
            Glibc.close(socket)
            throw error
        }
        self.host = host
        self.port = Self.port(of: socket)
        descriptor = Mutex(socket)
    }

    var url: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    func release() {
        let socket = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        if let socket { Glibc.close(socket) }
    }

    deinit { release() }

    /// The port is in the third and fourth byte of both IPv4 and IPv6 addresses.
    private static func port(of socket: Int32) -> Int {
        var bytes = [UInt8](repeating: 0, count: 128)
        var size = socklen_t(bytes.count)
        bytes.withUnsafeMutableBytes { raw in
            _ = raw.withMemoryRebound(to: sockaddr.self) { getsockname(socket, $0.baseAddress, &size) }
        }
        return Int(bytes[2]) << 8 | Int(bytes[3])
    }
}
