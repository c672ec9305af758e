import Foundation
import Glibc

/// Stands in for a service manager: a socket for `NOTIFY_SOCKET`, and what is sent there.
package final class NotifySocket: Sendable {
    /// As `NOTIFY_SOCKET` names it.
    package let name: String
    private let descriptor: Int32
    private let datagrams = Channel<String>()

    /// - Parameter name: a path, or with an @ before it an abstract name.
    package init(_ name: String) throws {
        self.name = name
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name.utf8)
            if name.hasPrefix("@") { path[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress!, length) }
        }
        guard result == 0 else { throw RawPeer.Failure(call: "bind", errno: errno) }
        Thread { [datagrams] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0 && errno == EINTR { continue }
                // Shut down: nobody sends nothing.
                guard count > 0 else { break }
                datagrams.send(String(decoding: buffer[..<count], as: UTF8.self))
            }
            close(descriptor)
        }.start()
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The next datagram, line by line.
    package func next(within limit: Duration = .seconds(30)) async throws -> [String] {
        try await withThrowingTaskGroup { group in
            defer { group.cancelAll() }
            group.addTask { [datagrams] in try await datagrams.receive() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw WaitedInVain(description: "waited in vain for a datagram to NOTIFY_SOCKET")
            }
            return try await group.next()?.split(separator: "\n").map(String.init) ?? []
        }
    }

    /// The next datagram with this line in it; those before are left out.
    @discardableResult
    package func next(with line: String, within limit: Duration = .seconds(30)) async throws -> [String] {
        while true {
            let lines = try await next(within: limit)
            if lines.contains(line) { return lines }
        }
    }
}
