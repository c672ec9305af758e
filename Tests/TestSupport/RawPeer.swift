import Glibc
import Varlink

/// A client that sends arbitrary bytes. Every read has a limit of ten seconds.
package final class RawPeer: Sendable {
    package struct Failure: Error {
        package let call: String
        package let errno: Int32

        package init(call: String, errno: Int32) {
            self.call = call
            self.errno = errno
        }
    }

    private let descriptor: Int32

    /// Takes ownership of a connected socket.
    package init(connected descriptor: Int32) {
        self.descriptor = descriptor
        boundWaits()
    }

    package init(_ path: String) throws {
        guard let address = UnixSocketPath(path) else { throw Failure(call: "path", errno: 0) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        boundWaits()
        guard address.withAddress({ connect(descriptor, $0, $1) }) == 0 else {
            throw Failure(call: "connect", errno: errno)
        }
    }

    deinit { close(descriptor) }

    private func boundWaits() {
        var bound = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &bound, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &bound, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends each text with a NUL.
    package func send(_ texts: String...) throws {
        try send(bytes: texts.flatMap { Array($0.utf8) + [0] })
    }

    package func send(bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { throw Failure(call: "send", errno: errno) }
            rest = rest.dropFirst(sent)
        }
    }

    /// Sends bytes with a descriptor (unix(7), SCM_RIGHTS).
    package func send(bytes: [UInt8], descriptor passed: Int32) throws {
        // A cmsghdr and its descriptor; Swift does not import C's macros for these.
        var control = [UInt64](repeating: 0, count: 3)
        control[0] = UInt64(MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size)
        control[1] = UInt64(UInt32(SOL_SOCKET)) | UInt64(UInt32(SCM_RIGHTS)) << 32
        control[2] = UInt64(UInt32(passed))
        var bytes = bytes
        let sent = control.withUnsafeMutableBytes { control in
            bytes.withUnsafeMutableBytes { bytes in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    return sendmsg(self.descriptor, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
        guard sent == bytes.count else { throw Failure(call: "sendmsg", errno: errno) }
    }

    /// Sends until the kernel's buffer is full; returns the number of bytes.
    package func sendWhileRoom(_ bytes: ArraySlice<UInt8>) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress, min($0.count, 10_000),
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard sent > 0 else { break }
            rest = rest.dropFirst(sent)
        }
        return bytes.count - rest.count
    }

    /// Whether there is something to receive, or the end.
    package var isReadable: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) > 0
    }

    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Waits for bytes; returns how many were received.
    package func receiveBytes() -> Int {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        return max(0, recv(descriptor, &buffer, buffer.count, 0))
    }

    /// The next `count` messages; fewer if the stream ends.
    package func receive(_ count: Int) async throws -> [String] {
        try await onThread { try self.receiveBlocking(count) }
    }

    /// Everything up to the end of the stream.
    package func receiveAll() async throws -> [String] { try await receive(.max) }

    /// The next `count` bytes; fewer if the stream ends.
    package func receive(bytes count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < count {
            let received = recv(descriptor, &buffer, min(buffer.count, count - bytes.count), 0)
            if received == 0 || received < 0 && errno == ECONNRESET { break }
            guard received > 0 else { throw Failure(call: "recv", errno: errno) }
            bytes += buffer[..<received]
        }
        return bytes
    }

    private func receiveBlocking(_ count: Int) throws -> [String] {
        var messages: [String] = []
        var message: [UInt8] = []
        while messages.count < count {
            var byte: UInt8 = 0
            let received = recv(descriptor, &byte, 1, 0)
            if received == 0 || received < 0 && errno == ECONNRESET { break }
            guard received > 0 else { throw Failure(call: "recv", errno: errno) }
            if byte == 0 {
                messages.append(String(decoding: message, as: UTF8.self))
                message = []
            } else {
                message.append(byte)
            }
        }
        return messages
    }
}
