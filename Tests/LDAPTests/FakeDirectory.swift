import Foundation
import Glibc
import Synchronization

/// An LDAP server (RFC 4511) on loopback that answers as a test says. Ends with its creator.
final class FakeDirectory: Sendable {
    struct Request: Sendable {
        var number: UInt8
        /// The base of a search; empty for a bind.
        var base = ""
        var isBind: Bool
        /// The size of paged results (RFC 2696).
        var pageSize: Int?
        var cookie: [UInt8] = []
    }

    let port: Int
    private let listener: CInt
    private let log = Log()

    private final class Log: Sendable {
        let connections = Mutex(0)
        let binds = Mutex(0)
    }

    /// - Parameters:
    ///   - port: 0 for a free one.
    ///   - answer: messages; if empty, the client waits.
    init(
        host: String = "127.0.0.1", port: Int = 0, answer: @escaping @Sendable (Request) -> [[UInt8]]
    ) throws {
        (listener, self.port) = try listen(on: host, port, backlog: 16)
        Thread.detachNewThread { [log, listener] in
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                log.connections.withLock { $0 += 1 }
                Thread.detachNewThread {
                    Self.serve(descriptor) { request in
                        if request.isBind { log.binds.withLock { $0 += 1 } }
                        return answer(request)
                    }
                    close(descriptor)
                }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, CInt(SHUT_RDWR)) }

    var url: String { "ldap://127.0.0.1:\(port)/\(Self.base)" }
    var connections: Int { log.connections.withLock { $0 } }
    var binds: Int { log.binds.withLock { $0 } }

    static let base = "dc=example,dc=org"

    /// Serves until the client closes.
    private static func serve(_ descriptor: CInt, _ answer: (Request) -> [[UInt8]]) {
        var received: [UInt8] = []
        var some = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &some, some.count, 0), count > 0 {
            received += some[..<count]
            while let message = BER(&received) {
                guard let request = Request(message) else { continue }
                let bytes = answer(request).flatMap { $0 }
                _ = send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
            }
        }
    }
}

extension FakeDirectory.Request {
    /// Nil if the message is neither a bind nor a search.
    fileprivate init?(_ message: BER) {
        let parts = message.parts
        guard message.tag == 0x30, parts.count > 1, let number = parts[0].content.last,
            [0x60, 0x63].contains(parts[1].tag)
        else { return nil }
        self.init(number: number, isBind: parts[1].tag == 0x60)
        if !isBind { base = String(decoding: parts[1].parts[0].content, as: UTF8.self) }
        guard let control = parts.dropFirst(2).first?.parts.first?.parts.last else { return }
        var value = control.content
        guard let paging = BER(&value)?.parts, paging.count == 2 else { return }
        pageSize = paging[0].content.reduce(0) { $0 << 8 | Int($1) }
        cookie = paging[1].content
    }

    func entry(_ dn: String, _ attributes: [String: String]) -> [UInt8] {
        let list = attributes.map { name, value in
            BER.value(0x30, BER.value(4, Array(name.utf8)) + BER.value(0x31, BER.value(4, Array(value.utf8))))
        }
        return message(BER.value(0x64, BER.value(4, Array(dn.utf8)) + BER.value(0x30, list.flatMap { $0 })))
    }

    func person(_ number: Int) -> [UInt8] {
        entry(
            "uid=user\(number),\(FakeDirectory.base)",
            ["entryUUID": "\(number)", "uid": "user\(number)", "cn": "User \(number)"])
    }

    /// - Parameter cookie: the next page's.
    func result(_ code: UInt8 = 0, _ said: String = "", cookie: [UInt8] = []) -> [UInt8] {
        let result = BER.value(10, [code]) + BER.value(4, []) + BER.value(4, Array(said.utf8))
        let paging = BER.value(0x30, BER.value(2, [0]) + BER.value(4, cookie))
        let control = BER.value(
            0x30, BER.value(4, Array("1.2.840.113556.1.4.319".utf8)) + BER.value(4, paging))
        return message(
            BER.value(isBind ? 0x61 : 0x65, result) + (pageSize == nil ? [] : BER.value(0xA0, control)))
    }

    private func message(_ content: [UInt8]) -> [UInt8] {
        BER.value(0x30, BER.value(2, [number]) + content)
    }
}

/// A value in LDAP's encoding.
private struct BER {
    var tag: UInt8
    var content: [UInt8]

    /// Takes the first value off the bytes; nil if it is incomplete.
    init?(_ bytes: inout [UInt8]) {
        guard bytes.count >= 2 else { return nil }
        let digits = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
        guard digits < 8, bytes.count >= 2 + digits else { return nil }
        let size = digits == 0 ? Int(bytes[1]) : bytes[2..<2 + digits].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 2 + digits + size else { return nil }
        (tag, content) = (bytes[0], Array(bytes[2 + digits..<2 + digits + size]))
        bytes.removeFirst(2 + digits + size)
    }

    var parts: [BER] {
        var (rest, parts) = (content, [BER]())
        while let part = BER(&rest) { parts.append(part) }
        return parts
    }

    static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let size = content.count
        let digits = [UInt8(size >> 16), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]
        return [tag] + (size < 0x80 ? [UInt8(size)] : [0x83] + digits) + content
    }
}

/// A listening socket at an address of loopback.
func listen(on host: String, _ port: Int, backlog: CInt) throws -> (descriptor: CInt, port: Int) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = place(host, port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listens = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, length) == 0 && Glibc.listen(listener, backlog) == 0
                && getsockname(listener, $0, &length) == 0
        }
    }
    guard listens else { throw CocoaError(.fileReadUnknown) }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
}

func place(_ host: String, _ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    return address
}
