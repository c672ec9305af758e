import Foundation
import HTTP
import Model
import TestSupport
import Testing

@Suite("Compressed answers")
struct CompressionTests {
    /// `Hello!`, compressed with gzip.
    private static let hello: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0x04,
        0x00, 0x56, 0xCC, 0x2A, 0x9D, 0x06, 0x00, 0x00, 0x00,
    ]
    /// The beginning of ten megabytes of zeros in gzip: a block of fixed codes (RFC 1951, section 3.2.6) that
    /// keeps repeating the previous byte 258 times.
    private static let bomb: [UInt8] = {
        let start: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
        let repeated: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0]
        let bits = [start] + Array(repeating: repeated, count: 40_000)
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        var (byte, count): (UInt8, UInt8) = (0, 0)
        for bit in bits.joined() {
            byte |= bit << count
            count += 1
            if count == 8 {
                bytes.append(byte)
                (byte, count) = (0, 0)
            }
        }
        return bytes
    }()

    private func server(_ body: [UInt8], encoding: String) throws -> RawServer {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(body.count)\r\n\r\n"
        return try RawServer(answer: Array(head.utf8) + body)
    }

    private func fails(_ server: RawServer) async throws -> Failure {
        try await withHTTP { http in
            try await thrown { try await http.send(HTTPRequest(url: server.url())) }.failure
        }
    }

    @Test(
        "Compressed answers are decompressed",
        arguments: ["gzip", "x-gzip", "GZIP", "identity, gzip", "gzip, utf-8"])
    func gzip(encoding: String) async throws {
        let server = try server(Self.hello, encoding: encoding)
        let body = try await withHTTP { try await $0.send(HTTPRequest(url: server.url())).body }
        #expect(String(decoding: body, as: UTF8.self) == "Hello!")
    }

    @Test(
        "Words that name no encoding leave the content as it is",
        arguments: ["UTF-8", "none", "identity", "", "application/json", "binary\r\nContent-Encoding: utf8"])
    func otherWords(encoding: String) async throws {
        let server = try server(Array("Hello!".utf8), encoding: encoding)
        let body = try await withHTTP { try await $0.send(HTTPRequest(url: server.url())).body }
        #expect(String(decoding: body, as: UTF8.self) == "Hello!")
    }

    @Test(
        "A 304 with Content-Length and Content-Encoding has no body to decompress",
        arguments: ["gzip", "br", "gzip, gzip"])
    func notModified(encoding: String) async throws {
        let server = try RawServer(
            answer:
                "HTTP/1.1 304 Not Modified\r\nContent-Encoding: \(encoding)\r\nContent-Length: 1000\r\n\r\n")
        let response = try await withHTTP { try await $0.send(HTTPRequest(url: server.url())) }
        #expect(response.status == 304 && response.body.isEmpty)
    }

    @Test("Decompression stops at the size limit")
    func bomb() async throws {
        let server = try server(Self.bomb, encoding: "gzip")
        let error = try await withHTTP { http in
            try await thrown { try await http.send(HTTPRequest(url: server.url())) }
        }
        #expect(error.failure.kind == .tooLarge)
        #expect(
            error.failure.reason
                == "the answer of \(server.url().absoluteString) is larger than the limit after decompression"
        )
        #expect(error.failure.advice?.kind == .raiseResponseLimit)
    }

    @Test(
        "Encodings that userd does not support, and double compression, are refused",
        arguments: ["br", "gzip, gzip", "gzip\r\nContent-Encoding: gzip", "zstd", "x-compress", "br, utf-8"])
    func otherEncodings(encoding: String) async throws {
        let failure = try await fails(server(Self.hello, encoding: encoding))
        #expect(failure.kind == .decode)
        #expect(failure.message.contains("used a content encoding that userd does not support: "))
    }

    @Test("A compressed answer that breaks off counts as offline")
    func truncated() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n"
        let server = try RawServer(answer: Array(head.utf8) + Self.hello.dropLast(10))
        let failure = try await fails(server)
        #expect(failure.kind == .offline)
        #expect(
            failure.message
                == "\(server.url().absoluteString) closed the connection before it had answered in full")
    }

    @Test("The message for a damaged or truncated compressed answer says so", arguments: [0, 1])
    func damaged(how: Int) async throws {
        let body = how == 0 ? Array("not gzip at all".utf8) : Array(Self.hello.dropLast(10))
        let failure = try await fails(server(body, encoding: "gzip"))
        #expect(failure.kind == .decode)
        #expect(failure.message.hasPrefix("the compressed answer of "))
    }
}
