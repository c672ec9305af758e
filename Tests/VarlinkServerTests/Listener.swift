import Glibc
import TestSupport
import Varlink

/// A server that answers one call with bytes of the test's choice.
final class Listener: Sendable {
    private let descriptor: Int32

    init(_ path: String, backlog: Int32) throws {
        guard let address = UnixSocketPath(path) else { throw RawPeer.Failure(call: "path", errno: 0) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard address.withAddress({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0 else {
            throw RawPeer.Failure(call: "bind", errno: errno)
        }
    }

    deinit { close(descriptor) }

    /// Reads one message, answers and closes.
    func accept(answering answer: String) {
        let peer = Glibc.accept(descriptor, nil, nil)
        var byte: UInt8 = 1
        while byte != 0, recv(peer, &byte, 1, 0) == 1 {}
        _ = Array(answer.utf8).withUnsafeBytes { send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        close(peer)
    }
}

/// Leaves a socket file without a listener.
func deadSocket(at path: String) throws {
    _ = try Listener(path, backlog: 1)
}
