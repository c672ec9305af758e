import DemoUpstream
import Foundation
import Glibc

/// A connection that shows a test its bytes as they arrive. Calls that block run on threads of their own.
final class RawConnection: Sendable {
    enum End { case closed, reset, enough }

    private let descriptor: Int32

    /// Throws `ECONNREFUSED` if the port is closed.
    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { Glibc.close(descriptor) }

    func sendRaw(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Reads until the other side ends it, or until `isEnough` accepts all bytes of this call.
    func read(until isEnough: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }) async -> (
        bytes: [UInt8], end: End
    ) {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                var bytes: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 65_536)
                while !isEnough(bytes) {
                    let count = recv(descriptor, &chunk, chunk.count, 0)
                    guard count > 0 else {
                        continuation.resume(returning: (bytes, count == 0 ? .closed : .reset))
                        return
                    }
                    bytes += chunk[..<count]
                }
                continuation.resume(returning: (bytes, .enough))
            }
        }
    }
}

/// A response as received.
struct RawResponse {
    let status: Int
    let headers: [(name: String, value: String)]
    /// The body without the chunked coding.
    let body: Data
    let end: RawConnection.End

    init(_ bytes: [UInt8], _ end: RawConnection.End) throws {
        let data = Data(bytes)
        guard let gap = data.range(of: Data("\r\n\r\n".utf8)) else { throw POSIXError(.EBADMSG) }
        var lines = String(decoding: data[..<gap.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = Int(lines.removeFirst().split(separator: " ")[1]) else {
            throw POSIXError(.EBADMSG)
        }
        self.status = status
        headers = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
        }
        self.end = end
        var rest = data[gap.upperBound...]
        guard headers.contains(where: { $0.name == "transfer-encoding" && $0.value == "chunked" }) else {
            body = Data(rest)
            return
        }
        var joined = Data()
        while let line = rest.range(of: Data("\r\n".utf8)),
            let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16), size > 0
        {
            joined += rest[line.upperBound...].prefix(size)
            rest = rest[line.upperBound...].dropFirst(size + 2)
        }
        body = joined
    }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }

    var object: [String: Any] {
        get throws {
            guard let object = try JSONSerialization.jsonObject(with: body) as? [String: Any] else {
                throw POSIXError(.EBADMSG)
            }
            return object
        }
    }

    /// The people in an answer to `/api/`.
    var people: [[String: Any]] {
        get throws { try object["results"] as? [[String: Any]] ?? [] }
    }
}

extension DemoUpstream {
    /// Sends one request on a connection of its own, and reads the whole answer.
    func get(
        _ uri: String, method: String = "GET", headers: [String: String] = [:], body: String = ""
    ) async throws -> RawResponse {
        let connection = try RawConnection(port: port)
        connection.send(method: method, uri, headers: headers, body: body)
        let (bytes, end) = await connection.read()
        return try RawResponse(bytes, end)
    }
}

extension RawConnection {
    func send(method: String = "GET", _ uri: String, headers: [String: String] = [:], body: String = "") {
        let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        sendRaw(
            "\(method) \(uri) HTTP/1.1\r\nhost: demo\r\nconnection: close\r\ncontent-length: \(body.utf8.count)\r\n"
                + "\(lines)\r\n\(body)")
    }
}

/// The member at a path such as `name.first`.
func member(_ object: [String: Any], _ path: String) -> Any? {
    path.split(separator: ".").reduce(object as Any?) { ($0 as? [String: Any])?[String($1)] }
}

func strings(_ people: [[String: Any]], _ path: String) -> [String] {
    people.compactMap { member($0, path) as? String }
}

/// The output of `gzip -dc` for the bytes, and whether they were complete.
func inflated(_ data: Data) async throws -> (data: Data, isWhole: Bool) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc"]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    DispatchQueue.global().async {
        try? input.fileHandleForWriting.write(contentsOf: data)
        try? input.fileHandleForWriting.close()
    }
    return await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            let result = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            continuation.resume(returning: (result, process.terminationStatus == 0))
        }
    }
}
