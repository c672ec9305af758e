import Glibc
import Synchronization

/// A proxy on loopback that connects to this machine for every name.
package final class TunnelProxy: Sendable {
    package enum Speech: Sendable {
        /// CONNECT (RFC 9110, section 9.3.6).
        case http
        /// RFC 1928, without authentication.
        case socks
    }

    package let server: RawServer
    private let log: Targets

    private final class Targets: Sendable {
        let all = Mutex<[String]>([])
    }

    package init(_ speech: Speech) throws {
        let log = Targets()
        self.log = log
        server = try RawServer { connection in
            guard let (host, port) = speech == .http ? connection.readCONNECT() : connection.readSOCKS()
            else {
                return
            }
            log.all.withLock { $0.append("\(host):\(port)") }
            connection.send(
                speech == .http
                    ? Array("HTTP/1.1 200 Connected\r\n\r\n".utf8) : [5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
            connection.relay(toPort: port)
        }
    }

    package var port: Int { server.port }

    /// The requested targets: `host:port`.
    package var targets: [String] { log.all.withLock { $0 } }
}

extension RawConnection {
    fileprivate func readCONNECT() -> (String, Int)? {
        let parts = readHead().split(separator: " ")
        guard parts.first == "CONNECT", parts.count > 1, let colon = parts[1].lastIndex(of: ":"),
            let port = Int(parts[1][colon...].dropFirst())
        else { return nil }
        return (String(parts[1][..<colon]), port)
    }

    fileprivate func readSOCKS() -> (String, Int)? {
        let greeting = read(2)
        guard greeting.first == 5, !read(Int(greeting[1])).isEmpty else { return nil }
        send([5, 0])
        let request = read(4)
        guard request.count == 4 else { return nil }
        let host: String
        switch request[3] {
        case 1: host = read(4).map(String.init).joined(separator: ".")
        case 3: host = String(decoding: read(Int(read(1)[0])), as: UTF8.self)
        default: return nil
        }
        let port = read(2)
        return (host, Int(port[0]) << 8 | Int(port[1]))
    }

    /// Empty if the peer ends before.
    package func read(_ count: Int) -> [UInt8] {
        // Linux would wait for a byte, even for none.
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(descriptor, &bytes, count, CInt(MSG_WAITALL)) == count ? bytes : []
    }

    /// Passes bytes on in both directions until one side closes.
    fileprivate func relay(toPort port: Int) {
        let other = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        defer { close(other) }
        var address = loopback(port: port)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return }
        let far = RawConnection(descriptor: other) { _ in }
        var watched = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while poll(&watched, 2, 20_000) > 0 {
            for (from, to) in [(0, far), (1, self)] where watched[from].revents != 0 {
                let count = recv(watched[from].fd, &bytes, bytes.count, 0)
                guard count > 0, to.send(Array(bytes[..<count])) else { return }
            }
        }
    }
}
