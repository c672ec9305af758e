import Foundation
import Synchronization
import TestSupport
import Testing

/// A fake userd with scripted replies. It has its own threads, so that commands can block.
final class StubDaemon: Sendable {
    enum Then: Sendable {
        /// Reads the connection's next call.
        case goOn
        /// Closes the connection.
        case hangUp
        /// Removes the socket first, like a userd that ends.
        case end
    }

    struct Replies: Sendable {
        /// Whole messages, without their NUL.
        let messages: [String]
        let then: Then
    }

    let path: String
    private let listener: Int32
    private let directory: TemporaryDirectory
    private let replies: [String: Replies]
    private let hasEnded = Atomic(false)
    private let connections = Atomic(0)

    /// - Parameter replies: by the methods' short names; other methods get no reply.
    init(_ replies: [String: Replies]) throws {
        directory = try TemporaryDirectory()
        path = directory.file("s")
        self.replies = replies
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(listener, $0.baseAddress!, socklen_t(bytes.count))
            }
        }
        try #require(bound == 0 && listen(listener, 8) == 0)
        Thread.detachNewThread { [listener, weak self] in
            while true {
                let peer = accept(listener, nil, nil)
                guard peer >= 0 else {
                    close(listener)
                    return
                }
                self?.connections.add(1, ordering: .relaxed)
                Thread.detachNewThread { [weak self] in
                    self?.serve(peer)
                    close(peer)
                }
            }
        }
    }

    deinit { end() }

    var connectionCount: Int { connections.load(ordering: .relaxed) }

    /// Ends once: later, the descriptor may belong to another file.
    private func end() {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        unlink(path)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ peer: Int32) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            while let end = pending.firstIndex(of: 0) {
                let call = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                guard let answer = replies.first(where: { call.contains("\"io.userd.\($0.key)\"") })?.value
                else { continue }
                for message in answer.messages {
                    let bytes = Array(message.utf8) + [0]
                    _ = send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                }
                switch answer.then {
                case .goOn: break
                case .hangUp: return
                case .end: return self.end()
                }
            }
            let count = recv(peer, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            pending += buffer[..<count]
        }
    }
}

extension StubDaemon.Replies {
    /// One reply with these parameters.
    static func reply(_ parameters: String) -> Self {
        Self(messages: [#"{"parameters":\#(parameters)}"#], then: .goOn)
    }

    static func error(_ name: String, _ parameters: String = "{}") -> Self {
        Self(messages: [#"{"error":"\#(name)","parameters":\#(parameters)}"#], then: .goOn)
    }

    /// Replies of a call with `more`, then the end of userd.
    static func replies(_ parameters: [String]) -> Self {
        Self(messages: parameters.map { #"{"parameters":\#($0),"continues":true}"# }, then: .end)
    }
}
