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
            connection.send("/api/?results=1&inc=&noinfo")
            let text = String(decoding: await connection.read().bytes, as: UTF8.self)
            let bodies = text.components(separatedBy: "\r\n\r\n").dropFirst().map {
                $0.components(separatedBy: "HTTP/1.1 ")[0]
            }
            #expect(bodies == ["{}", #"{"message":"Not Found","code":404}"#, #"{"results":[{}]}"#])
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
        var configuration = DemoUpstream.Configuration()
        configuration.maxResults = 1_000_000_000
        try await withDemoUpstream(configuration) { upstream in
            do {
                let connection = try RawConnection(port: upstream.port)
                connection.send("/api/?results=1000000000")
                _ = await connection.read { $0.count > 100_000 }
            }
            #expect(try await upstream.get("/fact").status == 200)
        }
    }

    @Test func aSecondOneDoesNotGetThePort() async throws {
        try await withDemoUpstream { upstream in
            var configuration = DemoUpstream.Configuration()
            configuration.port = upstream.port
            await #expect(throws: (any Error).self) { try await DemoUpstream.start(configuration) }
        }
    }

    @Test func afterTheEndNobodyListens() async throws {
        let upstream = try await DemoUpstream.start()
        await upstream.stop()
        #expect(throws: POSIXError(.ECONNREFUSED)) { try RawConnection(port: upstream.port) }
        #expect(throws: POSIXError(.ECONNREFUSED)) { try RawConnection(port: upstream.controlPort) }
    }

    @Test(arguments: ["facts", "people", "results", "port", "control port"])
    func aSettingOutOfItsRangeIsRefused(setting: String) async {
        var configuration = DemoUpstream.Configuration()
        switch setting {
        case "facts": configuration.facts = 100_001
        case "people": configuration.users = -1
        case "results": configuration.maxResults = 0
        case "port": configuration.port = 65_536
        default: configuration.controlPort = -1
        }
        await #expect(throws: ControlError.self) { try await DemoUpstream.start(configuration) }
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
}
