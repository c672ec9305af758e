import Foundation
import Glibc

/// A loopback port whose backlog is full: connections are never accepted.
package final class FullListener: Sendable {
    package let port: Int
    private let descriptors: [CInt]

    package init() throws {
        let (listener, port) = try listenOnLoopback(backlog: 0)
        self.port = port
        // One more than fits; the last ones are not answered.
        descriptors =
            [listener]
            + (0..<3).map { _ in
                let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
                var address = loopback(port: port)
                withUnsafeMutablePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        _ = connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
                return client
            }
    }

    package func stop() { for descriptor in descriptors { close(descriptor) } }
}
