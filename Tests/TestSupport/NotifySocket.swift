import Foundation
import Glibc

/// Stands in for a service manager: receives what is sent to `NOTIFY_SOCKET`.
package final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    package let name: String
    private let descriptor: Int32
    private let datagrams = Channel<String>()

    /// - Parameters:
    ///   - name: a path, or an abstract name after @.
    ///   - isRead: whether to start reading at once.
    package init(_ name: String, isRead: Bool = true) throws {
        self.name = name
        descriptor = try Self.socket()
        try Self.withAddress(name) { [descriptor] address, length in
            guard bind(descriptor, address, length) == 0 else { throw Self.failure("bind") }
        }
        if isRead { read() }
    }

    /// Sends a datagram to this socket, if there is room.
    /// - Returns: false if there was no room.
    @discardableResult
    package func send(_ datagram: String) throws -> Bool {
        let sender = try Self.socket()
        defer { close(sender) }
        return try Self.withAddress(name) { address, length in
            let flags = Int32(MSG_DONTWAIT)
            if sendto(sender, datagram, datagram.utf8.count, flags, address, length) >= 0 { return true }
            guard errno == EAGAIN else { throw Self.failure("sendto") }
            return false
        }
    }

    /// Starts reading.
    package func read() {
        Thread { [datagrams, descriptor] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0 && errno == EINTR { continue }
                // Zero: shut down. No sender sends empty datagrams.
                guard count > 0 else { break }
                datagrams.send(String(decoding: buffer[..<count], as: UTF8.self))
            }
            close(descriptor)
        }.start()
    }

    private static func socket() throws -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("socket") }
        return descriptor
    }

    private static func withAddress<T>(
        _ name: String, _ body: (UnsafePointer<sockaddr>?, socklen_t) throws -> T
    ) throws -> T {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name.utf8)
            if name.hasPrefix("@") { path[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
        return try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0, length) }
        }
    }

    private static func failure(_ call: String) -> RawPeer.Failure {
        RawPeer.Failure(call: call, errno: errno)
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The next datagram, as lines.
    package func next(within limit: Duration = .seconds(600)) async throws -> [String] {
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

    /// The next datagram with this line; skips others.
    @discardableResult
    package func next(with line: String, within limit: Duration = .seconds(600)) async throws -> [String] {
        while true {
            let lines = try await next(within: limit)
            if lines.contains(line) { return lines }
        }
    }
}
