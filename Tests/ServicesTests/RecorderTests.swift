import Foundation
import HTTP
import Model
import TestSupport
import Testing

@Suite("Recording of exchanges")
struct RecorderTests {
    private let clock = VirtualClock()

    private func makeRecorder(maximumBytes: Int = 1 << 20, settings: [String: String] = [:]) -> Recorder {
        Recorder(
            session: .init(version: "1", settings: settings), maximumBytes: maximumBytes,
            now: { [clock] in now + clock.now }, monotonic: { [clock] in clock.now })
    }

    private func recording(of recorder: Recorder) throws -> Recording {
        try Recording(har: Array(recorder.har().joined()))
    }

    /// Sends a request as a service would.
    private func ask(
        _ transport: HTTPTransport, _ recorder: Recorder, _ url: String = "https://users.example/api/",
        headers: HTTPHeaders = [:]
    ) async throws -> HTTPResponse {
        let request = HTTPRequest(url: try #require(URL(string: url)), headers: headers)
        return try await recorded(by: recorder, reading: .picture) { try await transport.send(request) }
    }

    @Test("Each exchange is recorded by itself, redirects included, in the order of the requests")
    func order() async throws {
        let recorder = makeRecorder()
        let (gate, asked) = (Channel<Void>(), Channel<String>())
        let transport = HTTPTransport { [clock] request in
            // Before the test, which waits for this request, sends another.
            clock.advance(by: .milliseconds(5))
            asked.send(request.url.path())
            switch request.url.path() {
            case "/first":
                try await gate.receive()
                return HTTPResponse(status: 200, headers: ["ETag": "\"1\""], body: [0xFF])
            case "/moved":
                return HTTPResponse(status: 302, headers: ["Location": "/there?key=s3cret&page=2#x"])
            default: throw UpstreamError(.offline, "reset", retryAfter: .seconds(3))
            }
        }
        .recorded(by: recorder).followingRedirects()
        let first = Task { try await ask(transport, recorder, "http://a.example/first") }
        #expect(try await asked.receive() == "/first")
        _ = try await thrown {
            try await ask(transport, recorder, "http://a.example/moved", headers: ["Accept": "a"])
        }
        #expect(try recording(of: recorder).exchanges.map(\.url.path) == ["/moved", "/there"])
        gate.send(())
        _ = try await first.value

        let exchanges = try recording(of: recorder).exchanges
        try #require(exchanges.count == 3)
        #expect(
            exchanges.map(\.url.absoluteString) == [
                "http://a.example/first", "http://a.example/moved",
                "http://a.example/there?key=REDACTED&page=2",
            ])
        #expect(exchanges.map(\.began) == [now, now + .milliseconds(5), now + .milliseconds(10)])
        #expect(exchanges.map(\.took) == [.milliseconds(15), .milliseconds(5), .milliseconds(5)])
        #expect(
            exchanges.map(\.outcome) == [
                .answer(HTTPResponse(status: 200, headers: ["ETag": "\"1\""], body: [0xFF])),
                .answer(HTTPResponse(status: 302, headers: ["Location": "/there?key=REDACTED&page=2"])),
                .failure(UpstreamError(.offline, "reset", retryAfter: .seconds(3))),
            ])
        #expect(exchanges[1].requestHeaders == ["Accept": "a"])
    }

    /// A transport that never answers, and reports its progress if it is cancelled.
    private func silent(_ started: Channel<Void>? = nil) -> HTTPTransport {
        HTTPTransport { request in
            started?.send(())
            do { try await Task.sleep(for: .seconds(3600)) } catch {
                throw AnswerCutOff(url: request.url, progress: .body(bytes: 7, of: 9))
            }
            return HTTPResponse(status: 200)
        }
    }

    @Test("A request that the deadline ends is recorded as the timeout that the service sees")
    func deadline() async throws {
        let recorder = makeRecorder()
        let transport = silent().recorded(by: recorder).within(.milliseconds(1))
        let error = try await thrown { try await ask(transport, recorder) }
        #expect(error.failure.message.contains("7 of 9 bytes"))
        #expect(try recording(of: recorder).exchanges.map(\.outcome) == [.failure(error)])
    }

    @Test("A cancelled request is recorded as cancelled")
    func cancelled() async throws {
        let recorder = makeRecorder()
        let started = Channel<Void>()
        let transport = silent(started).recorded(by: recorder).within(.seconds(600))
        let task = Task { try await ask(transport, recorder) }
        try await started.receive()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        guard case .failure(let error, nil)? = try recording(of: recorder).exchanges.first?.outcome else {
            throw CocoaError(.coderInvalidValue)
        }
        #expect(error.failure.kind == .cancelled)
    }

    @Test("Requests outside of services are not recorded")
    func unread() async throws {
        let recorder = makeRecorder()
        _ = try await Stub("a").transport.recorded(by: recorder).send(HTTPRequest(url: api))
        #expect(recorder.isEmpty)
    }

    @Test("A full recording says so once, and in the file, which stays readable")
    func full() async throws {
        let warnings = Channel<Void>()
        let recorder = Recorder(
            session: .init(version: "1"), maximumBytes: 10_000, now: { now }, monotonic: { .zero },
            whenFull: { warnings.send(()) })
        let transport = Stub(String(repeating: "\u{1}", count: 500)).transport.recorded(by: recorder)
        for _ in 0..<10 { _ = try await ask(transport, recorder) }
        try await warnings.receive()
        let file = Array(recorder.har().joined())
        let recording = try Recording(har: file)
        #expect(recording.session?.isTruncated == true)
        #expect(recording.exchanges.count == 2)
        #expect(file.count < 10_000)
    }

    @Test("The first of many headers with one name is recorded, and no headers of other names")
    func manyHeaders() async throws {
        let recorder = makeRecorder()
        let headers = HTTPHeaders(
            fields: (0...1000).map { .init(name: $0.isMultiple(of: 2) ? "Date" : "X-\($0)", value: "\($0)") })
        _ = try await ask(Stub("a", headers: headers).transport.recorded(by: recorder), recorder)
        guard case .answer(let answer)? = try recording(of: recorder).exchanges.first?.outcome else {
            throw CocoaError(.coderInvalidValue)
        }
        #expect(answer.headers == ["Date": "0"])
    }

    @Test(
        "A recorded setting keeps values only of parameters that choose records",
        arguments: [
            ("users.query", "nat=us&seed=a%20b&results=5", "nat=us&seed=a%20b&results=5"),
            ("users.query", "api_key=s3cret&nat=us", "api_key=REDACTED&nat=us"),
            ("users.query", "s3cret", "s3cret"), ("users.query", "s3cret&nat=us", "REDACTED&nat=us"),
            (
                "users.url", "http://a.example/?token=s3cret&gender=x",
                "http://a.example/?token=REDACTED&gender=x"
            ),
            (
                "facts.one_url", "http://a/fact?max_length=9&Max_Length=8",
                "http://a/fact?max_length=9&Max_Length=REDACTED"
            ),
            ("paused", "true", "true"),
            (
                "users.fields", #"{id: /id, email: ["/emails/[primary=true]/value"]}"#,
                #"{id: /id, email: ["/emails/[primary=true]/value"]}"#
            ), ("users.records", #""/a/[b=c?d=e]""#, #""/a/[b=c?d=e]""#),
        ])
    func settings(name: String, value: String, kept: String) throws {
        let recorder = makeRecorder(settings: [name: value])
        #expect(try recording(of: recorder).session?.settings == [name: kept])
        #expect(redacted(setting: kept) == kept)
    }
}
