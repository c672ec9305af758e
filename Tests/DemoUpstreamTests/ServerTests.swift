import DemoUpstream
import Foundation
import Testing

@Suite struct ServerTests {
    @Test func oneConnectionCarriesManyRequestsInOrder() async throws {
        try await withDemoUpstream { upstream in
            let connection = try RawConnection(port: upstream.port)
            connection.sendRaw(
                "GET /fact?max_length=1 HTTP/1.1\r\nhost: demo\r\n\r\nGET /nix HTTP/1.1\r\nhost: demo\r\n\r\n"
            )
            connection.send("/fact?max_length=2")
            let text = String(decoding: await connection.read().bytes, as: UTF8.self)
            let bodies = text.components(separatedBy: "\r\n\r\n").dropFirst().map {
                $0.components(separatedBy: "HTTP/1.1 ")[0]
            }
            #expect(bodies == ["{}", #"{"message":"Not Found","code":404}"#, "{}"])
        }
    }

    @Test func headGetsTheHeadersOfTheBodyThatIsNotSent() async throws {
        try await withDemoUpstream { upstream in
            let head = try await upstream.get("/facts", method: "HEAD")
            let body = try await upstream.get("/facts").body
            #expect(head.header("content-length") == "\(body.count)")
            #expect(head.body.isEmpty)
        }
    }

    @Test func thePeopleCannotBePosted() async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/api/", method: "POST", body: "{}")
            #expect(response.status == 405)
            #expect(response.header("allow") == "GET, HEAD")
        }
    }

    @Test func whatIsNoRequestEndsTheConnection() async throws {
        try await withDemoUpstream { upstream in
            let connection = try RawConnection(port: upstream.port)
            connection.sendRaw("rubbish\r\n\r\n")
            let (bytes, _) = await connection.read()
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test func aReaderWhoGoesAwayHarmsNobodyElse() async throws {
        try await withDemoUpstream { upstream in
            do {
                let connection = try RawConnection(port: upstream.port)
                connection.send("/api/?results=5000")
                _ = await connection.read { $0.count > 100_000 }
            }
            #expect(try await upstream.get("/fact").status == 200)
        }
    }

    @Test func aSecondOneDoesNotGetThePort() async throws {
        try await withDemoUpstream { upstream in
            var configuration = DemoUpstream.Configuration()
            configuration.port = upstream.port
            await #expect(throws: (any Error).self) { try await DemoUpstream(configuration) }
        }
    }

    @Test func afterTheEndNobodyListens() async throws {
        let upstream = try await DemoUpstream()
        await upstream.stop()
        #expect(throws: POSIXError(.ECONNREFUSED)) { try RawConnection(port: upstream.port) }
    }

    @Test func anErrorOfTheBodyStopsTheServerAndIsPassedOn() async throws {
        var port = 0
        await #expect(throws: CancellationError.self) {
            try await withDemoUpstream { upstream in
                port = upstream.port
                throw CancellationError()
            }
        }
        #expect(throws: POSIXError(.ECONNREFUSED)) { try RawConnection(port: port) }
    }

    @Test func requestsAreKeptWithTheirHeaders() async throws {
        try await withDemoUpstream { upstream in
            _ = try await upstream.get("/api/?seed=s", headers: ["Authorization": "Bearer t"])
            _ = try await upstream.get("/api/1.4/", headers: ["If-None-Match": "\"x\""])
            _ = try await upstream.get("/facts")
            let requests = upstream.recentRequests
            #expect(requests.map(\.uri) == ["/api/?seed=s", "/api/1.4/", "/facts"])
            #expect(requests[0].headers["authorization"] == "Bearer t")
            #expect(requests[1].headers["if-none-match"] == "\"x\"")
            #expect(upstream.requests(for: "/api") == 2 && upstream.requests() == 3)
            upstream.forgetRequests()
            #expect(upstream.requests() == 0)
        }
    }

    @Test func arrivalsAreToldBeforeTheyAreAnswered() async throws {
        try await withDemoUpstream { upstream in
            try await upstream.setFaults([Fault(.delay(milliseconds: 3_600_000))])
            let arrivals = upstream.arrivals()
            let connection = try RawConnection(port: upstream.port)
            connection.send("/fact?x=1")
            var iterator = arrivals.makeAsyncIterator()
            #expect(await iterator.next()?.uri == "/fact?x=1")
            await upstream.stop()
            #expect(await iterator.next() == nil)
        }
    }
}
