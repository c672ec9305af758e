import DemoUpstream
import Foundation
import Testing

@Suite struct ControlTests {
    @Test func faultsAreSetReadAndLifted() async throws {
        try await withDemoUpstream { upstream in
            let faults =
                #"[{"fault":"status","retry_after":"9","status":503,"times":2},{"fault":"gzip","path":"/facts"}]"#
            let set = try await upstream.get("/control/faults", method: "PUT", body: faults, control: true)
            #expect(set.status == 200)
            #expect(set.text == faults)
            #expect(upstream.faults.count == 2)
            #expect(try await upstream.get("/api/").header("retry-after") == "9")
            let left = try await upstream.get("/control/faults", control: true)
            #expect(left.text == faults.replacingOccurrences(of: #""times":2"#, with: #""times":1"#))
            let lifted = try await upstream.get("/control/faults", method: "DELETE", control: true)
            #expect(lifted.text == "[]")
            #expect(try await upstream.get("/api/").status == 200)
        }
    }

    @Test func oneFaultNeedsNoList() async throws {
        try await withDemoUpstream { upstream in
            let body = #"{"fault": "delay", "milliseconds": "7"}"#
            _ = try await upstream.get("/control/faults", method: "PUT", body: body, control: true)
            #expect(upstream.faults == [Fault(.delay(milliseconds: 7))])
        }
    }

    @Test func theControlPortIsThereWhileTheUpstreamIsDown() async throws {
        try await withDemoUpstream { upstream in
            _ = try await upstream.get(
                "/control/faults", method: "PUT", body: #"{"fault":"down"}"#, control: true)
            #expect(throws: POSIXError(.ECONNREFUSED)) { try RawConnection(port: upstream.port) }
            _ = try await upstream.get("/control/faults", method: "DELETE", control: true)
            #expect(try await upstream.get("/fact").status == 200)
        }
    }

    @Test(
        arguments: [
            ("{", "the body is not valid"),
            (#"{"fault":true}"#, "the body is not valid"),
            (#"{"fault":"nix"}"#, "fault: unknown name nix"),
            (
                "[" + Array(repeating: #"{"fault":"gzip"}"#, count: 101).joined(separator: ",") + "]",
                "fault: at most 100"
            ),
        ])
    func badFaultsAreRefusedAndChangeNothing(body: String, reason: String) async throws {
        try await withDemoUpstream { upstream in
            try await upstream.setFaults([Fault(.etag)])
            let response = try await upstream.get("/control/faults", method: "PUT", body: body, control: true)
            #expect(response.status == 400)
            #expect((try response.object["error"] as? String)?.hasPrefix(reason) == true, "\(response.text)")
            #expect(upstream.faults == [Fault(.etag)])
        }
    }

    @Test func peopleAreEdited() async throws {
        var configuration = DemoUpstream.Configuration()
        configuration.users = 10
        try await withDemoUpstream(configuration) { upstream in
            let body = #"{"added": 5, "changed": [0, 7], "removed": 2}"#
            let response = try await upstream.get("/control/edit", method: "POST", body: body, control: true)
            #expect(response.text == #"{"users":13}"#)
            #expect(upstream.users == 13)
            let bad = try await upstream.get(
                "/control/edit", method: "POST", body: #"{"removed":[99]}"#, control: true)
            #expect(bad.status == 400)
            #expect(bad.text == #"{"error":"removed: there is no record 99"}"#)
        }
    }

    @Test func requestsAreCountedAndKeptWithSomeHeaders() async throws {
        try await withDemoUpstream { upstream in
            _ = try await upstream.get("/api/?seed=s", headers: ["Authorization": "Bearer t", "Cookie": "c"])
            _ = try await upstream.get("/api/1.4/", headers: ["If-None-Match": "\"x\""])
            _ = try await upstream.get("/facts")
            let log = try await upstream.get("/control/requests", control: true).object
            #expect(log["counts"] as? [String: Int] == ["/api": 1, "/api/1.4": 1, "/facts": 1])
            let requests = try #require(log["requests"] as? [[String: Any]])
            #expect(strings(requests, "uri") == ["/api/?seed=s", "/api/1.4/", "/facts"])
            #expect(requests[0]["headers"] as? [String: String] == ["authorization": "Bearer t"])
            #expect(requests[1]["headers"] as? [String: String] == ["if-none-match": "\"x\""])
            #expect(upstream.requests(for: "/api") == 2)
            #expect(upstream.requests() == 3)
            _ = try await upstream.get("/control/requests", method: "DELETE", control: true)
            #expect(upstream.requests() == 0)
            #expect(upstream.recentRequests.isEmpty)
        }
    }

    @Test func onlyTheLastThousandRequestsAreKept() async throws {
        try await withDemoUpstream { upstream in
            let connection = try RawConnection(port: upstream.port)
            connection.sendRaw((0..<2500).map { "HEAD /x\($0) HTTP/1.1\r\nhost: demo\r\n\r\n" }.joined())
            connection.send("/end")
            _ = await connection.read()
            #expect(upstream.requests() == 2501)
            #expect(upstream.recentRequests.count == 1000)
            #expect(upstream.recentRequests.last?.path == "/end")
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

    @Test func otherPathsAndMethodsAreRefused() async throws {
        try await withDemoUpstream { upstream in
            let notFound = try await upstream.get("/api/", control: true).status
            #expect(notFound == 404)
            let notAllowed = try await upstream.get("/control/edit", control: true).status
            #expect(notAllowed == 405)
        }
    }

    @Test func aBodyOverAMebibyteIsRefused() async throws {
        try await withDemoUpstream { upstream in
            let body = String(repeating: " ", count: 1 << 20) + "[]"
            let response = try await upstream.get("/control/faults", method: "PUT", body: body, control: true)
            #expect(response.status == 413)
        }
    }
}
