import Foundation
import Glibc

/// The body of an HTTP server's answer to a GET on loopback, whatever its status; no caching, no redirects.
/// - Parameter target: path and query.
package func fetchBody(port: Int, _ target: String) async throws -> [UInt8] {
    try await onThread {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw WaitedInVain(description: "no process listens at port \(port)") }
        // HTTP/1.0: the body is not chunked and ends with the connection.
        let request = Array("GET \(target) HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw WaitedInVain(description: "port \(port) takes no request")
        }
        var answer = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            answer.append(contentsOf: buffer[..<count])
        }
        guard let headers = answer.range(of: Data("\r\n\r\n".utf8)) else {
            throw WaitedInVain(description: "port \(port) did not answer")
        }
        return Array(answer[headers.upperBound...])
    }
}
