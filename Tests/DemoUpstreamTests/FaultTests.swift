import DemoUpstream
import Foundation
import Testing

@Suite struct FaultTests {
    @Test func delayWaitsFirst() async throws {
        try await withDemoUpstream(faults: [Fault(.delay(milliseconds: 60))]) { upstream in
            let start = ContinuousClock.now
            let status = try await upstream.get("/fact").status
            #expect(status == 200)
            #expect(ContinuousClock.now - start >= .milliseconds(60))
        }
    }

    @Test func stallSendsTheHeadersAlone() async throws {
        try await withDemoUpstream(faults: [Fault(.stall)]) { upstream in
            let connection = try RawConnection(port: upstream.port)
            connection.send("/api/")
            let (head, end) = await connection.read { $0.suffix(4) == [13, 10, 13, 10] }
            #expect(end == .enough)
            #expect(try RawResponse(head, end).header("content-length") == "1000")
            try await upstream.takeDown()
            #expect(await connection.read().bytes == [])
        }
    }

    @Test func statusComesWithItsRetryAfterAndBody() async throws {
        let fault = Fault(.status(503, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT", body: "full"))
        try await withDemoUpstream(faults: [fault]) { upstream in
            let response = try await upstream.get("/facts")
            #expect(response.status == 503)
            #expect(response.header("retry-after") == "Wed, 21 Oct 2026 07:28:00 GMT")
            #expect(response.text == "full")
        }
    }

    @Test func statusHasABodyOfItsOwnUnlessItMayHaveNone() async throws {
        try await withDemoUpstream(
            faults: [Fault(.status(404), times: 1), Fault(.status(204), times: 1), Fault(.status(304))]
        ) { upstream in
            var texts: [String] = []
            for _ in 0..<3 { texts.append(try await upstream.get("/fact").text) }
            #expect(texts == [#"{"message":"Not Found","code":404}"#, "", ""])
        }
    }

    @Test func truncateSendsLessThanItsLength() async throws {
        try await withDemoUpstream(faults: [Fault(.truncate)]) { upstream in
            let whole = try await upstream.get("/api/?seed=s", method: "HEAD")
            let response = try await upstream.get("/api/?seed=s")
            let length = try #require(response.header("content-length").flatMap { Int($0) })
            #expect(whole.status == 200)
            #expect(response.body.count == length / 2)
            #expect(response.end == .closed)
        }
    }

    @Test func resetResetsTheConnection() async throws {
        try await withDemoUpstream(faults: [Fault(.reset)]) { upstream in
            let connection = try RawConnection(port: upstream.port)
            connection.send("/api/")
            let (bytes, end) = await connection.read()
            #expect(bytes == [])
            #expect(end == .reset)
        }
    }

    @Test func rubbishIsAWebPage() async throws {
        try await withDemoUpstream(faults: [Fault(.rubbish(.html))]) { upstream in
            let response = try await upstream.get("/api/")
            #expect(response.status == 200)
            #expect(response.header("content-type") == "text/html; charset=utf-8")
            #expect(response.text.hasPrefix("<!DOCTYPE html>"))
        }
    }

    @Test func rubbishMayBeNoHTTP() async throws {
        try await withDemoUpstream(faults: [Fault(.rubbish(.bytes))]) { upstream in
            let connection = try RawConnection(port: upstream.port)
            connection.send("/api/")
            let (bytes, end) = await connection.read()
            #expect(bytes.count == 512)
            #expect(!bytes.starts(with: "HTTP".utf8))
            #expect(end == .closed)
        }
    }

    @Test func emptyIsASuccessWithNothing() async throws {
        try await withDemoUpstream(faults: [Fault(.empty)]) { upstream in
            let users = try await upstream.get("/api/?seed=d3adb33f")
            #expect(
                users.text
                    == #"{"results":[],"info":{"seed":"d3adb33f","results":1,"page":1,"version":"1.4"}}"#)
            #expect(try await upstream.get("/fact").text == "{}")
            #expect(try await upstream.get("/facts").object["total"] as? Int == 0)
        }
    }

    @Test(arguments: ["/api/?seed=s&results=3", "/api/?seed=s&results=200", "/facts"])
    func gzipIsTheSameBodyInGzip(uri: String) async throws {
        try await withDemoUpstream { upstream in
            let plain = try await upstream.get(uri)
            try await upstream.setFaults([Fault(.gzip)])
            let packed = try await upstream.get(uri)
            #expect(packed.header("content-encoding") == "gzip")
            let unpacked = try await inflated(packed.body)
            #expect(unpacked.isWhole)
            #expect(unpacked.data == plain.body)
        }
    }

    @Test func aGzipBombGrowsAHundredfoldWithoutAnEnd() async throws {
        try await withDemoUpstream(faults: [Fault(.gzipBomb)]) { upstream in
            let connection = try RawConnection(port: upstream.port)
            connection.send("/api/")
            let (bytes, end) = await connection.read { $0.count > 20_000 }
            #expect(end == .enough)
            let response = try RawResponse(bytes, end)
            #expect(response.header("content-encoding") == "gzip")
            let unpacked = try await inflated(response.body)
            #expect(unpacked.data.count > 100 * response.body.count)
            #expect(unpacked.data.allSatisfy { $0 == UInt8(ascii: " ") })
            #expect(!unpacked.isWhole)
        }
    }

    @Test func downRefusesConnectionsUntilItIsLifted() async throws {
        try await withDemoUpstream { upstream in
            let open = try RawConnection(port: upstream.port)
            try await upstream.setFaults([Fault(.down)])
            #expect(throws: POSIXError(.ECONNREFUSED)) { try RawConnection(port: upstream.port) }
            #expect(await open.read().bytes == [])
            try await upstream.setFaults([])
            #expect(try await upstream.get("/fact").status == 200)
        }
    }

    @Test func itMayBeDownFromTheStart() async throws {
        try await withDemoUpstream(faults: [Fault(.down), Fault(.etag)]) { upstream in
            #expect(throws: POSIXError(.ECONNREFUSED)) { try RawConnection(port: upstream.port) }
            try await upstream.bringUp()
            #expect(upstream.faults == [Fault(.etag)])
            #expect(try await upstream.get("/facts").header("etag") != nil)
            try await upstream.takeDown()
            #expect(upstream.faults.contains(Fault(.down)))
        }
    }

    @Test(arguments: [
        (Fault.ErrorBody.documented, 200, "Uh oh"), (.rateLimit, 429, "20340 users in the last minute"),
    ])
    func errorBodiesHaveTheWordsOfTheRealOnes(body: Fault.ErrorBody, status: Int, words: String) async throws
    {
        try await withDemoUpstream(faults: [Fault(.errorBody(body))]) { upstream in
            let response = try await upstream.get("/api/")
            #expect(response.status == status)
            #expect((try response.object["error"] as? String)?.contains(words) == true)
        }
    }

    @Test func slowSendsSoManyBytesASecond() async throws {
        try await withDemoUpstream(faults: [Fault(.slow(bytesPerSecond: 20_000))]) { upstream in
            let start = ContinuousClock.now
            let response = try await upstream.get("/api/?seed=s&results=3")
            let elapsed = ContinuousClock.now - start
            #expect(try response.people.count == 3)
            #expect(elapsed >= .milliseconds(response.body.count / 20 * 9 / 10))
        }
    }

    @Test func redirectPointsElsewhere() async throws {
        let faults = [
            Fault(.redirect(location: "http://example.com/x"), times: 1),
            Fault(.redirect(location: "/y", status: 308)),
        ]
        try await withDemoUpstream(faults: faults) { upstream in
            let first = try await upstream.get("/api/")
            #expect(first.status == 302)
            #expect(first.header("location") == "http://example.com/x")
            let second = try await upstream.get("/api/")
            #expect(second.status == 308)
            #expect(second.header("location") == "/y")
        }
    }

    @Test func endlessDoesNotEnd() async throws {
        try await withDemoUpstream(faults: [Fault(.endless)]) { upstream in
            let connection = try RawConnection(port: upstream.port)
            connection.send("/api/")
            let (bytes, end) = await connection.read { $0.count > 3_000_000 }
            #expect(end == .enough)
            #expect(try RawResponse(bytes, end).text.first == "[")
        }
    }

    @Test func theLastPageGrows() async throws {
        try await withDemoUpstream(faults: [Fault(.lastPageGrows)]) { upstream in
            for page in [1, 13, 1000] {
                let object = try await upstream.get("/facts?page=\(page)").object
                #expect(object["last_page"] as? Int == page + 1)
                #expect((object["data"] as? [Any])?.count == 10)
                #expect(object["next_page_url"] as? String == upstream.url("/facts?page=\(page + 1)"))
            }
        }
    }

    @Test(arguments: ["/api/?seed=s&results=3", "/facts?limit=3"])
    func ignoresPageAnswersWithTheFirst(uri: String) async throws {
        try await withDemoUpstream(faults: [Fault(.ignoresPage)]) { upstream in
            let first = try await upstream.get(uri + "&page=1")
            #expect(try await upstream.get(uri + "&page=2").body == first.body)
            try await upstream.setFaults([])
            #expect(try await upstream.get(uri + "&page=2").body != first.body)
        }
    }

    @Test func aFaultIsForItsPathAndThoseBelow() async throws {
        try await withDemoUpstream(faults: [
            Fault(.status(500), path: "/fact"), Fault(.status(501), path: "/api/"),
        ]) { upstream in
            var statuses: [Int] = []
            for uri in ["/fact?max_length=60", "/facts", "/api?results=3", "/api/1.4/"] {
                statuses.append(try await upstream.get(uri).status)
            }
            #expect(statuses == [500, 200, 501, 501])
        }
    }

    @Test func aListOfFaultsTellsAStory() async throws {
        let faults = [
            Fault(.status(503), times: 2), Fault(.delay(milliseconds: 1), times: 3),
            Fault(.status(429), times: 1),
            Fault(.empty, path: "/facts", times: 1),
        ]
        try await withDemoUpstream(faults: faults) { upstream in
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await upstream.get("/api/").status) }
            #expect(statuses == [503, 503, 429, 200])
            #expect(upstream.faults == [Fault(.empty, path: "/facts", times: 1)])
        }
    }

    @Test func kindsThatDoNotExcludeEachOtherJoin() async throws {
        try await withDemoUpstream(faults: [
            Fault(.gzip), Fault(.etag), Fault(.empty), Fault(.slow(bytesPerSecond: 100_000)),
        ]) {
            upstream in
            let response = try await upstream.get("/facts")
            #expect(response.header("etag") != nil)
            #expect(
                String(decoding: try await inflated(response.body).data, as: UTF8.self).contains(
                    #""data":[]"#))
        }
    }
}

private func withDemoUpstream(faults: [Fault], _ body: (DemoUpstream) async throws -> Void) async throws {
    var configuration = DemoUpstream.Configuration()
    configuration.faults = faults
    try await withDemoUpstream(configuration, body)
}
