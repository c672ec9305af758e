import Foundation
import HTTP
import HTTPClient
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("The HTTP client")
struct LiveHTTPTests {
    private func fails(
        _ server: RawServer, path: String = "/api/", deadline: Duration = .seconds(20),
        maxResponseBytes: Int = 1 << 20
    ) async throws -> Failure {
        try await withHTTP(deadline: deadline, maxResponseBytes: maxResponseBytes) { http in
            try await thrown { try await http.send(HTTPRequest(url: server.url(path))) }.failure
        }
    }

    @Test("A request names userd and accepts compressed answers; the answer has status, headers and body")
    func exchange() async throws {
        let server = try RawServer(answer: "HTTP/1.1 201 Made\r\nX-Thing: a\r\nContent-Length: 3\r\n\r\nabc")
        let url = try #require(URL(string: "http://me:pa55@127.0.0.1:\(server.port)/a%20b?q=1#frag"))
        let response = try await withHTTP { http in
            try await http.send(HTTPRequest(url: url, headers: ["Accept": "image/*"]))
        }
        #expect(response.status == 201)
        #expect(response.headers["x-thing"] == "a")
        #expect(response.body == Array("abc".utf8))
        let head = try #require(server.requests.first).lowercased()
        #expect(head.hasPrefix("get /a%20b?q=1 http/1.1\r\n"))
        for line in ["user-agent: userd/1.2", "accept: image/*", "accept-encoding: gzip"] {
            #expect(head.contains("\r\n\(line)\r\n"), "\(line)")
        }
        #expect(!head.contains("authorization") && !head.contains("pa55"))
    }

    @Test("Chunked bodies, and bodies that end with the connection, are read")
    func framings() async throws {
        for framing in ["Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "\r\nabc"] {
            let server = try RawServer(answer: "HTTP/1.1 200 OK\r\n\(framing)")
            let body = try await withHTTP { try await $0.send(HTTPRequest(url: server.url())).body }
            #expect(body == Array("abc".utf8))
        }
    }

    @Test("A refused connection fails at once, and the message names the server")
    func refused() async throws {
        let server = try RawServer(answer: "")
        server.stop()
        // Less time than the client would keep trying.
        let failure = try await fails(server, deadline: .seconds(5))
        #expect(failure.kind == .offline)
        #expect(failure.message == "could not connect to \(server.url().absoluteString): connection refused")
        #expect(failure.retryable)
    }

    @Test("A request to a port that there is not fails", arguments: [99_999, 65_536, 0])
    func invalidPort(port: Int) async throws {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        let failure = try await withHTTP { http in
            try await thrown { try await http.send(HTTPRequest(url: url)) }.failure
        }
        #expect(failure.message == "\(url.absoluteString) is not a valid http or https address")
        #expect(!failure.retryable)
    }

    @Test("A refused connection to a host by name is reported")
    func refusedByName() async throws {
        let server = try RawServer(answer: "")
        server.stop()
        let url = try #require(URL(string: "http://localhost:\(server.port)/"))
        let failure = try await withHTTP { http in
            try await thrown { try await http.send(HTTPRequest(url: url)) }.failure
        }
        #expect(failure.kind == .offline)
        #expect(failure.message == "could not connect to \(url.absoluteString): connection refused")
    }

    @Test("A name that can't be resolved is reported")
    func noSuchName() async throws {
        let url = try #require(URL(string: "http://host.invalid/api/"))
        let failure = try await withHTTP { http in
            try await thrown { try await http.send(HTTPRequest(url: url)) }.failure
        }
        #expect(failure.kind == .offline)
        // Without a network, no name server can say so.
        #expect(
            failure.message == "could not find host.invalid: no host has this name"
                || failure.message == "could not find host.invalid: no name server answered")
    }

    @Test("The message says where a body broke off")
    func truncated() async throws {
        let server = try RawServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
        let failure = try await fails(server)
        #expect(failure.kind == .offline)
        #expect(
            failure.message
                == "\(server.url().absoluteString) closed the connection after 3 of 100 bytes of its answer")
    }

    @Test("A chunked body without an end counts as broken off")
    func truncatedChunks() async throws {
        let server = try RawServer(
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        let failure = try await fails(server)
        #expect(failure.kind == .offline)
    }

    @Test("A reset before or within the answer is offline")
    func reset() async throws {
        for start in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"] {
            let server = try RawServer { connection in
                connection.readHead()
                connection.send(start)
                connection.resetOnClose()
            }
            let failure = try await fails(server)
            #expect(failure.kind == .offline)
            #expect(failure.message.hasPrefix("\(server.url().absoluteString) reset the connection "))
        }
    }

    @Test("A connection that closes without an answer is offline")
    func closed() async throws {
        let server = try RawServer(answer: "")
        let failure = try await fails(server)
        #expect(failure.kind == .offline)
        #expect(
            failure.message
                == "\(server.url().absoluteString) closed the connection before it had answered in full")
    }

    @Test(
        "The deadline ends a request, wherever the answer hangs",
        arguments: [
            ("", "its headers had not arrived"),
            ("HTTP/1.1 200 OK\r\nContent-Le", "its headers had not arrived"),
            ("HTTP/1.1 200 OK\r\n\r\n", "headers and 0 bytes of the body had arrived"),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
                "headers and 3 of 100 bytes of the body had arrived"
            ),
        ])
    func stalled(start: String, far: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send(start)
            connection.waitForEnd()
        }
        let failure = try await fails(server, deadline: .seconds(2))
        #expect(failure.kind == .timeout)
        #expect(
            failure.message
                == "\(server.url().absoluteString) has not answered in full after 2.0 seconds: "
                + far)
        #expect(failure.retryable)
    }

    @Test("The deadline ends a request even if bytes keep coming")
    func dripping() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while !connection.hasEnded(within: 5) { connection.send("x") }
        }
        let failure = try await fails(server, deadline: .seconds(2))
        #expect(failure.kind == .timeout)
        #expect(
            failure.message.hasPrefix(
                "\(server.url().absoluteString) has not answered in full after 2.0 seconds: headers and "
            )
        )
        #expect(failure.message.hasSuffix(" of 1000000 bytes of the body had arrived"))
    }

    @Test(
        "Reading stops at the size limit of an endless body, or of one that announces its length",
        arguments: ["", "Content-Length: 99999\r\n"])
    func endless(header: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n\(header)\r\n")
            while connection.send(Array(repeating: 0x20, count: 4096)) {}
        }
        let failure = try await fails(server, maxResponseBytes: 20_000)
        #expect(failure.kind == .tooLarge)
        #expect(failure.reason == "the answer of \(server.url().absoluteString) is larger than 20000 bytes")
        #expect(!failure.retryable)
    }

    @Test("A body just within the limit is read")
    func limit() async throws {
        let server = try RawServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
        let body = try await withHTTP(maxResponseBytes: 3) {
            try await $0.send(HTTPRequest(url: server.url())).body
        }
        #expect(body.count == 3)
        #expect(try await fails(server, maxResponseBytes: 2).kind == .tooLarge)
    }

    @Test("The parts of a body are joined")
    func limitOfParts() async throws {
        let chunks = "3\r\nabc\r\n3\r\nabc\r\n0\r\n\r\n"
        let server = try RawServer(answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        #expect(try await fails(server, maxResponseBytes: 5).kind == .tooLarge)
    }

    @Test("A request's own limit applies if it is smaller")
    func ownLimit() async throws {
        let server = try RawServer(answer: "HTTP/1.1 200 OK\r\n\r\nabc")
        let error = try await withHTTP { http in
            try await thrown { try await http.send(HTTPRequest(url: server.url(), maximumBodyBytes: 2)) }
        }
        #expect(error.failure.kind == .tooLarge)
    }

    @Test("Reading stops at endless headers")
    func endlessHeaders() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-Header: x\r\n") {}
        }
        #expect(try await fails(server).kind == .http)
    }

    @Test(
        "The message says if the answer is not HTTP",
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        ])
    func notHTTP(answer: String) async throws {
        let server = try RawServer(answer: answer)
        let failure = try await fails(server)
        #expect(failure.kind == .http)
        #expect(failure.message.hasPrefix("\(server.url().absoluteString) does not answer in HTTP: "))
    }

    @Test("Connections to a host are limited; further requests wait for one of them")
    func connections() async throws {
        let open = Mutex((now: 0, most: 0))
        let server = try RawServer { connection in
            connection.readHead()
            open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            // Four connections come; a fifth would come in this time.
            while open.withLock({ $0.most }) < 4, !connection.hasEnded(within: 1) {}
            _ = connection.hasEnded(within: 50)
            open.withLock { $0.now -= 1 }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")
        }
        defer { server.stop() }
        let url = server.url()
        try await withHTTP(connectionsPerHost: 4) { http in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 { group.addTask { try await http.send(HTTPRequest(url: url)).status } }
                for try await status in group { #expect(status == 200) }
            }
        }
        #expect(open.withLock { $0.most } == 4)
    }

    @Test("A 304 ends at once without its body, and is not followed")
    func notModified() async throws {
        let server = try RawServer(
            answer: "HTTP/1.1 304 Not Modified\r\nLocation: /other\r\nContent-Length: 9\r\n\r\n")
        let response = try await withHTTP { try await $0.send(HTTPRequest(url: server.url())) }
        #expect(response.status == 304)
        #expect(server.requests.count == 1)
    }

    @Test("A redirect is followed, and no token goes to another port")
    func tokenLeak() async throws {
        let other = try RawServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
        let otherURL = other.url("/there").absoluteString
        let server = try RawServer(
            answer: "HTTP/1.1 302 Found\r\nLocation: \(otherURL)\r\nContent-Length: 0\r\n\r\n")
        let settings = UpstreamSettings(url: server.url(), pageSize: 1)
        _ = try await withHTTP { http in
            try await UsersService.live(
                randomuser(settings), transport: http, authorization: .token { "t0ken" }
            )
            .fetchPage(.first)
        }
        #expect(server.requests.first?.contains("Authorization: Bearer t0ken\r\n") == true)
        #expect(other.requests.first?.hasPrefix("GET /there HTTP/1.1\r\n") == true)
        #expect(other.requests.first?.contains("t0ken") == false)
    }

    @Test("No message has a token that could not be sent")
    func badToken() async throws {
        let server = try RawServer(answer: "")
        let request = HTTPRequest(url: server.url(), headers: ["Authorization": "Bearer t0\nken"])
        let error = try await withHTTP { http in try await thrown { try await http.send(request) } }
        #expect(error.failure.kind == .http)
        #expect(!error.failure.message.contains("t0"))
        #expect(server.requests.isEmpty)
    }

    @Test("A cancelled task ends its request at once")
    func cancelled() async throws {
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
            continuation.yield()
            connection.waitForEnd()
        }
        try await withHTTP { http in
            let task = Task { try await http.send(HTTPRequest(url: server.url())) }
            for await _ in asked { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
