import Foundation
import Glibc
import Synchronization

/// A loopback server whose connections are handled by the test, as HTTP or not.
package final class RawServer: Sendable {
    package let port: Int
    private let listener: CInt
    private let log = Log()
    private let isStopped = Mutex(false)

    private final class Log: Sendable {
        let heads = Mutex<[String]>([])
    }

    /// - Parameter serve: runs on a new thread for each connection, which is closed afterwards.
    package init(_ serve: @escaping @Sendable (RawConnection) -> Void) throws {
        let (listener, port) = try listenOnLoopback(backlog: 16)
        (self.listener, self.port) = (listener, port)
        Thread.detachNewThread { [log] in
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                let connection = RawConnection(descriptor: descriptor) { head in
                    log.heads.withLock { $0.append(head) }
                }
                Thread.detachNewThread {
                    serve(connection)
                    close(descriptor)
                }
            }
            // Not earlier: while this thread waits on it, another server could get the same descriptor.
            close(listener)
        }
    }

    /// Answers each request with these bytes, then closes.
    package convenience init(answer: [UInt8]) throws {
        try self.init { connection in
            connection.readHead()
            connection.send(answer)
        }
    }

    package convenience init(answer: String) throws { try self.init(answer: Array(answer.utf8)) }

    /// Requests so far: request line and headers.
    package var requests: [String] { log.heads.withLock { $0 } }

    package func url(_ path: String = "/api/") -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    /// Refuses connections from now on.
    package func stop() {
        isStopped.withLock { isStopped in
            // A closed descriptor may be in use again.
            if !isStopped { shutdown(listener, CInt(SHUT_RDWR)) }
            isStopped = true
        }
    }

    deinit { stop() }
}

/// A listening socket on a free port.
func listenOnLoopback(backlog: CInt) throws -> (descriptor: CInt, port: Int) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
        }
    }
    guard isBound, listen(listener, backlog) == 0 else { throw CocoaError(.fileReadUnknown) }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
}

func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return address
}

package struct RawConnection: Sendable {
    let descriptor: CInt
    let remember: @Sendable (String) -> Void

    /// Reads up to the empty line.
    @discardableResult
    package func readHead() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8), recv(descriptor, &byte, 1, 0) == 1 {
            bytes.append(byte)
        }
        let head = String(decoding: bytes, as: UTF8.self)
        remember(head)
        return head
    }

    /// Reads what is available, or waits for the next bytes.
    package func readSome() {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        _ = recv(descriptor, &bytes, bytes.count, 0)
    }

    /// Reads the head, and the body that it announces.
    package func readRequest() -> (head: String, body: String) {
        let head = readHead()
        let length = head.firstMatch(of: /(?i)content-length: *([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
        return (head, String(decoding: read(length), as: UTF8.self))
    }

    /// False if the peer is gone.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Waits until the peer closes or resets.
    package func waitForEnd() {
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) > 0 {}
    }

    /// Whether the peer closes or resets within that time.
    package func hasEnded(within milliseconds: CInt) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, milliseconds) > 0
    }

    /// Makes close send a reset.
    package func resetOnClose() {
        var hard = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    }
}
