import Synchronization
import TestSupport

/// An upstream of facts that answers in each of these manners in turn.
final class HostileServer: Sendable {
    enum Manner: CaseIterable {
        case drippingHead, drippingBody, endlessHead, endlessLine, tinyChunks, nested, webPage, halfLine
        case redirectLoop, reset, silence
    }

    private let server: RawServer
    private let served: Served

    private final class Served: Sendable {
        let requests = Atomic(0)
    }

    init() throws {
        let served = Served()
        self.served = served
        server = try RawServer { connection in
            connection.readHead()
            let number = served.requests.add(1, ordering: .relaxed).newValue
            Manner.allCases[number % Manner.allCases.count].answer(connection)
        }
    }

    /// The number of requests so far.
    var requests: Int { served.requests.load(ordering: .relaxed) }

    func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

    func stop() { server.stop() }
}

extension HostileServer.Manner {
    /// Continues until the client closes the connection.
    fileprivate func answer(_ connection: RawConnection) {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        switch self {
        case .drippingHead: drip("HTTP/1.1 200 OK\r\nX-Slow: ", to: connection)
        case .drippingBody:
            connection.send(head + "Content-Length: 100000\r\n\r\n{\"data\":[")
            drip("", to: connection)
        case .endlessHead:
            connection.send(head)
            while connection.send(String(repeating: "X-Again: and again\r\n", count: 100)) {}
        case .endlessLine:
            connection.send(head + "X-Long: ")
            while connection.send(String(repeating: "a", count: 10_000)) {}
        case .tinyChunks:
            connection.send(head + "Transfer-Encoding: chunked\r\n\r\n")
            while connection.send(String(repeating: "1\r\n[\r\n", count: 1000)) {}
        case .nested: connection.send(head + "\r\n" + String(repeating: "[", count: 100_000))
        case .webPage: connection.send("HTTP/1.1 200 OK\r\n\r\n<!DOCTYPE html><title>Sign in</title>")
        case .halfLine: connection.send("HTTP/1.1 20")
        case .redirectLoop:
            connection.send("HTTP/1.1 302 Found\r\nLocation: /facts\r\nContent-Length: 0\r\n\r\n")
        case .reset:
            connection.send(head + "Content-Length: 9\r\n\r\n{")
            connection.resetOnClose()
        case .silence: connection.waitForEnd()
        }
    }

    /// Sends a byte every 20 milliseconds.
    private func drip(_ beginning: String, to connection: RawConnection) {
        connection.send(beginning)
        while !connection.hasEnded(within: 20), connection.send(" ") {}
    }
}
