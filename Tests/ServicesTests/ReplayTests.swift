import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite("Replays of recordings")
struct ReplayTests {
    private let url = "http://users.example/api/"

    private func ask(_ replay: Replay, _ url: String, headers: HTTPHeaders = [:]) async throws -> String {
        let request = HTTPRequest(url: try #require(URL(string: url)), headers: headers)
        let response = try await replay.transport(maxResponseBytes: 1000).send(request)
        return "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
    }

    private func refusal(_ replay: Replay, _ url: String, headers: HTTPHeaders = [:]) async throws -> String {
        let error = await #expect(throws: UpstreamError.self) {
            try await ask(replay, url, headers: headers)
        }
        let failure = try #require(error).failure
        #expect(failure.kind == .replay && !failure.retryable)
        return failure.message
    }

    @Test("The spelling of an address and the order of its query do not matter")
    func spellings() async throws {
        let recorded = "HTTP://Users.Example:80/api/?page=1&nat=us%2Cde&seed=a%20b#top"
        let spellings = [
            "http://users.example/api/?seed=a%20b&nat=us,de&page=1",
            "http://USERS.example:80/api/?nat=us%2cde&page=1&seed=a%20b",
            "http://users.example/api/?page=1&&nat=us%2Cd%65&seed=a%20b",
        ]
        let replay = Replay(Recording(exchanges: spellings.map { _ in .recorded(recorded, "yes") }))
        for spelling in spellings { #expect(try await ask(replay, spelling) == "200 yes", "\(spelling)") }
        #expect(
            try await ask(
                Replay(Recording(exchanges: [.recorded("http://a.example", "yes")])), "http://a.example/")
                == "200 yes")
    }

    @Test(
        "Another address does not get the answer",
        arguments: [
            "https://users.example/api/?a=1", "http://users.example:8080/api/?a=1",
            "http://users.example/api?a=1", "http://users.example/API/?a=1",
            "http://users.example/api/?a=1&a=1",
            "http://users.example/api/?a=2", "http://users.example/api/?A=1", "http://users.example/api/",
        ])
    func others(url: String) async throws {
        let replay = Replay(Recording(exchanges: [.recorded("http://users.example/api/?a=1", "yes")]))
        _ = try await refusal(replay, url)
        #expect(replay.leftOver.count == 1)
    }

    @Test("Equal requests get their answers in order, each once, also between other requests")
    func order() async throws {
        let replay = Replay(
            Recording(exchanges: [
                .recorded(url + "?page=1", "1"), .recorded(url + "?page=2", "2"),
                .recorded(url + "?page=1", "3"), .recorded(url + "?page=1", "4"),
            ]))
        #expect(try await ask(replay, url + "?page=1") == "200 1")
        #expect(try await ask(replay, url + "?page=1") == "200 3")
        #expect(try await ask(replay, url + "?page=2") == "200 2")
        #expect(replay.leftOver.first == ["GET http://users.example/api/?page=1"])
        #expect(try await ask(replay, url + "?page=1") == "200 4")
        #expect(replay.leftOver.count == 0)
        #expect(
            try await refusal(replay, url + "?page=1")
                == "the recording has no answer to GET http://users.example/api/?page=1: its 3 answers have been used; record for longer to have more"
        )
        #expect(
            try await refusal(replay, url + "?page=2").contains("its only answer has been used"))
    }

    @Test("A request without an answer fails, and the message names the nearest entry")
    func nearest() async throws {
        let replay = Replay(
            Recording(exchanges: [
                .recorded(url + "?nat=us&page=1&results=5", ""),
                .recorded(url + "?nat=us&page=2&results=5", ""),
                .recorded("http://users.example/portraits/7.jpg", ""),
                .recorded("http://facts.example/facts", ""),
            ]))
        let beginning = "the recording has no answer to GET "
        let end = "; use the settings that it was made with, or record again"
        #expect(
            try await refusal(replay, url + "?results=5&page=2&nat=de")
                == "\(beginning)\(url)?nat=de&page=2&results=5: the nearest entry has nat=us&page=1 instead of nat=de&page=2\(end)"
        )
        #expect(
            try await refusal(replay, url + "?nat=us&page=2").contains(
                ": the nearest entry has results=5 in addition;"))
        #expect(
            try await refusal(replay, url + "?nat=us&page=2&results=5&seed=x").contains(
                ": the nearest entry has nothing instead of seed=x;"))
        #expect(
            try await refusal(replay, "http://users.example/portraits/8.jpg").contains(
                ": the nearest is GET http://users.example/portraits/7.jpg;"))
        #expect(
            try await refusal(Replay(Recording(exchanges: [])), url)
                == "\(beginning)\(url): it holds no exchanges over HTTP; record again, or name another recording with --replay"
        )
    }

    @Test("An exchange other than a GET answers no GET, but can be named as the nearest")
    func post() async throws {
        let replay = Replay(Recording(exchanges: [.recorded(url, "no", method: "POST")]))
        #expect(try await refusal(replay, url).contains(": the nearest is POST \(url);"))
        #expect(replay.leftOver.first == ["POST \(url)"])
    }

    @Test("A recorded failure fails again, and a missing answer fails with its reason")
    func failures() async throws {
        let limited = UpstreamError(.rateLimited, "slow \u{1B}[2Jdown", status: 429, retryAfter: .seconds(3))
        let replay = Replay(
            Recording(exchanges: [
                .recorded(url, outcome: .failure(limited)),
                .recorded(url, outcome: .missing("too \u{1B}large")),
                .recorded(url, outcome: .failure(UpstreamError(.storage, "disk full"))),
            ]))
        var expected = limited
        expected.failure.reason = "slow \\u{1b}[2Jdown"
        await #expect(throws: expected) { try await ask(replay, url) }
        #expect(
            try await refusal(replay, url) == "the recording has no answer to GET \(url): too \\u{1b}large")
        #expect(try await refusal(replay, url).contains("a failure that no upstream causes: storage"))
    }

    @Test("The size limit of a body also holds in a replay")
    func limits() async throws {
        let body = String(repeating: "x", count: 1000)
        let replay = Replay(
            Recording(exchanges: [.recorded(url, body), .recorded(url, body + "x"), .recorded(url, body)]))
        #expect(try await ask(replay, url).count == 1004)
        await #expect(
            throws: UpstreamError(.tooLarge, "the answer of \(url) is larger than 1000 bytes")
        ) { try await ask(replay, url) }
        let small = HTTPRequest(url: try #require(URL(string: url)), maximumBodyBytes: 999)
        await #expect(throws: UpstreamError(.tooLarge, "the answer of \(url) is larger than 999 bytes")) {
            try await replay.transport(maxResponseBytes: 1000).send(small)
        }
    }

    @Test(
        "A recorded 304 does not answer an unconditional request, unless a browser recorded the body")
    func notModified() async throws {
        let known: HTTPHeaders = ["If-None-Match": "\"a\""]
        let replay = Replay(
            Recording(exchanges: [
                .recorded(url, "", status: 304, requestHeaders: known),
                .recorded(url, "", status: 304, requestHeaders: known),
                .recorded(url, "whole", status: 304, requestHeaders: known), .recorded(url, "", status: 304),
            ]))
        #expect(try await ask(replay, url, headers: known) == "304 ")
        #expect(try await refusal(replay, url).contains("because the cache had it when it was made"))
        #expect(try await ask(replay, url) == "200 whole")
        #expect(try await ask(replay, url) == "304 ")
    }

    @Test(
        "Answers take their recorded time only if a speed is given",
        arguments: [(1.0, 3.0), (2, 1.5), (1e-300, 86_400)])
    func speed(speed: Double, seconds: Double) async throws {
        let slept = Mutex<[Duration]>([])
        let recording = Recording(exchanges: [.recorded(url, "yes", took: .seconds(3))])
        let sleep = { @Sendable (duration: Duration) in slept.withLock { $0.append(duration) } }
        let request = HTTPRequest(url: try #require(URL(string: url)))
        _ = try await Replay(recording).transport(maxResponseBytes: 9, sleep: sleep).send(
            request)
        #expect(slept.withLock { $0 } == [])
        _ = try await Replay(recording, speed: speed)
            .transport(maxResponseBytes: 9, sleep: sleep).send(request)
        #expect(slept.withLock { $0 } == [.seconds(seconds)])
    }

    @Test("The answer to a request that is cancelled during its delay stays for the next one")
    func goneAway() async throws {
        let replay = Replay(Recording(exchanges: [.recorded(url, "yes", took: .seconds(3))]), speed: 1)
        let request = HTTPRequest(url: try #require(URL(string: url)))
        await #expect(throws: CancellationError.self) {
            try await replay.transport(maxResponseBytes: 9) { _ in throw CancellationError()
            }
            .send(request)
        }
        let response = try await replay.transport(maxResponseBytes: 9) { _ in }.send(
            request)
        #expect(response.body == Array("yes".utf8))
    }

    @Test("A recorded timeout fails at once, whatever the speed, because its message has the time")
    func timeout() async throws {
        let failure = UpstreamError(.timeout, "3 of 9 bytes had arrived")
        var exchange = Recording.Exchange.recorded(url, outcome: .failure(failure))
        exchange.took = .seconds(3)
        let transport = Replay(Recording(exchanges: [exchange]), speed: 1)
            .transport(maxResponseBytes: 9) { _ in Issue.record("waits") }
        let request = HTTPRequest(url: try #require(URL(string: url)))
        await #expect(throws: failure) { try await transport.send(request) }
    }

    @Test("A recorded cancellation is a missing answer, and the next request gets the next answer")
    func cancelled() async throws {
        let cancelled = UpstreamError(Failure(kind: .cancelled, message: "", retryable: true))
        let replay = Replay(
            Recording(exchanges: [.recorded(url, outcome: .failure(cancelled)), .recorded(url, "2")]))
        #expect(try await refusal(replay, url).hasSuffix("the request was cancelled"))
        #expect(try await ask(replay, url) == "200 2")
    }

    @Test(
        "A redacted value matches any value, and a recorded value only itself")
    func values() async throws {
        let replay = Replay(
            Recording(exchanges: [
                .recorded(url + "?key=REDACTED&page=1", "own"), .recorded(url + "?id=7", "browser's"),
            ]))
        #expect(try await ask(replay, url + "?id=7") == "200 browser's")
        #expect(try await refusal(replay, url + "?id=8").contains("id=REDACTED"))
        #expect(try await ask(replay, url + "?key=s3cret&page=1") == "200 own")
    }

    @Test("The replay knows how many answers of some addresses are left, and the first of them")
    func left() async throws {
        let replay = Replay(
            Recording(exchanges: [
                .recorded(url + "?page=1", ""), .recorded("http://users.example/one", ""),
                .recorded(url + "?page=2", ""), .recorded("http://b.example/api/", ""),
            ]))
        let urls = try [url, "http://users.example/one"].map { try #require(URL(string: $0)) }
        #expect(replay.left(of: urls).count == 3 && replay.left(of: urls).next == urls[0])
        _ = try await ask(replay, url + "?page=1")
        #expect(replay.left(of: urls).count == 2 && replay.left(of: urls).next == urls[1])
        #expect(replay.left(of: [urls[0]]).count == 1)
        _ = try await ask(replay, urls[1].absoluteString)
        _ = try await ask(replay, url + "?page=2")
        #expect(replay.left(of: urls).count == 0 && replay.left(of: urls).next == nil)
    }

    @Test("Redirects follow the real client's rule, and loops are refused")
    func redirects() async throws {
        func redirect(_ from: String, _ to: String) -> Recording.Exchange {
            .recorded(from, outcome: .answer(HTTPResponse(status: 302, headers: ["Location": to])))
        }
        let replay = Replay(
            Recording(exchanges: [
                redirect(url, "/new"), .recorded("http://users.example/new", "yes"),
                redirect("http://users.example/a", "/b"), redirect("http://users.example/b", "/a"),
            ]))
        let transport = replay.transport(maxResponseBytes: 9).answeringInFull(
            within: .seconds(60))
        let first = try await transport.send(HTTPRequest(url: try #require(URL(string: url))))
        #expect(first.body == Array("yes".utf8))
        let loop = try #require(URL(string: "http://users.example/a"))
        let error = await #expect(throws: UpstreamError.self) {
            try await transport.send(HTTPRequest(url: loop))
        }
        #expect(error?.failure.kind == .redirect)
        #expect(replay.leftOver.count == 0)
    }

    @Test("A recorded redirect into a private network is followed in the replay, and no other is")
    func privateRedirects() async throws {
        func redirect(_ from: String, _ to: String) -> Recording.Exchange {
            .recorded(from, outcome: .answer(HTTPResponse(status: 302, headers: ["Location": to])))
        }
        let replay = Replay(
            Recording(exchanges: [
                redirect(url, "http://10.0.0.1/"), .recorded("http://10.0.0.1/", "yes"),
                redirect("http://users.example/a", "http://10.0.0.2/"),
            ]))
        let transport = replay.transport(maxResponseBytes: 9)
            .followingRedirects(RedirectRule(isExempt: replay.holds))
        let followed = try await transport.send(HTTPRequest(url: try #require(URL(string: url))))
        #expect(followed.body == Array("yes".utf8))
        let other = try #require(URL(string: "http://users.example/a"))
        let error = await #expect(throws: UpstreamError.self) {
            try await transport.send(HTTPRequest(url: other))
        }
        #expect(error?.failure.kind == .redirect)
    }

    @Test("Finding an entry among very many takes no longer than among few", .timeLimit(.hang))
    func many() async throws {
        let count = Volume.users / 10
        let replay = Replay(
            Recording(exchanges: (0..<count).map { .recorded("\(url)?page=\($0 / 2)&a=b", "\($0)") }))
        for page in 0..<count / 2 where page.isMultiple(of: 100) {
            #expect(try await ask(replay, "\(url)?a=b&page=\(page)") == "200 \(page * 2)")
            _ = try await refusal(replay, "\(url)?a=b&page=x\(page)")
        }
        #expect(replay.leftOver.count == count - count / 200)
        #expect(replay.leftOver.first.count == 5)
    }
}

extension Recording.Exchange {
    static func recorded(
        _ url: String, _ body: String = "", status: Int = 200, method: String = "GET",
        requestHeaders: HTTPHeaders = [:], began: Timestamp = now, took: Duration = .zero
    ) -> Self {
        var exchange = recorded(
            url, outcome: .answer(HTTPResponse(status: status, body: Array(body.utf8))))
        exchange.method = method
        exchange.requestHeaders = requestHeaders
        exchange.began = began
        exchange.took = took
        return exchange
    }

    static func recorded(_ url: String, outcome: Recording.Outcome) -> Self {
        Self(began: now, took: .zero, url: URL(string: url)!, outcome: outcome)
    }
}
