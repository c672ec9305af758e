import Foundation
import Model
import Services
import Synchronization
import TestSupport
import Testing

@Suite("The recorder")
struct RecorderTests {
    private let clock = VirtualClock()
    private let warnings = Warnings()

    private final class Warnings: Sendable {
        let count = Mutex(0)
    }

    private func makeRecorder(
        maximumBytes: Int = 1 << 20, settings: [String: String] = [:],
        queue: DispatchQueue = DispatchQueue(label: "redaction")
    ) -> Recorder {
        Recorder(
            session: .init(version: "1", settings: settings), maximumBytes: maximumBytes,
            now: { now + clock.now }, monotonic: { clock.now },
            whenFull: { warnings.count.withLock { $0 += 1 } }, queue: queue)
    }

    private func recording(of recorder: Recorder) throws -> Recording {
        try Recording(har: Array(recorder.har().joined()))
    }

    @Test(
        "A sync that somebody cancels asks for nothing more: as many requests as are told of it are recorded")
    func endOfRequests() async throws {
        let recorder = makeRecorder()
        let transport = HTTPTransport { _ in HTTPResponse(status: 200) }.recorded(by: recorder) { $0 }
        let requests = SyncRequests()
        let send = {
            try await SyncRequests.$current.withValue(requests) {
                try await transport.send(HTTPRequest(url: api))
            }
        }
        _ = try await send()
        #expect(requests.end() == 1)
        await #expect(throws: CancellationError.self) { try await send() }
        #expect(try recording(of: recorder).exchanges.count == 1)
    }

    @Test("Each exchange is one, redirects too, in the order in which it was asked")
    func order() async throws {
        let recorder = makeRecorder()
        let (gate, asked) = (Channel<Void>(), Channel<String>())
        let transport = HTTPTransport { request in
            asked.send(request.url.path())
            clock.advance(by: .milliseconds(5))
            switch request.url.path() {
            case "/first":
                try await gate.receive()
                return HTTPResponse(status: 200, headers: ["ETag": "\"1\""], body: [0xFF])
            case "/moved":
                return HTTPResponse(status: 302, headers: ["Location": "/there?token=canary-of-it"])
            default: throw UpstreamError(.offline, "reset by canary-of-it", retryAfter: .seconds(3))
            }
        }
        .recorded(by: recorder) { $0.followingRedirects() }
        let first = Task {
            try await transport.send(HTTPRequest(url: try #require(URL(string: "http://a.example/first"))))
        }
        #expect(try await asked.receive() == "/first")
        _ = try await thrown {
            try await transport.send(
                HTTPRequest(
                    url: try #require(URL(string: "http://a.example/moved")), headers: ["Accept": "a"]))
        }
        #expect(try recording(of: recorder).exchanges.map(\.url.path) == ["/moved", "/there"])
        gate.send(())
        _ = try await first.value

        let exchanges = try recording(of: recorder).exchanges
        try #require(exchanges.count == 3)
        #expect(
            exchanges.map(\.url.absoluteString) == [
                "http://a.example/first", "http://a.example/moved", "http://a.example/there?token=redacted",
            ])
        #expect(exchanges.map(\.began) == [now, now + .milliseconds(5), now + .milliseconds(10)])
        #expect(exchanges.map(\.took) == [.milliseconds(15), .milliseconds(5), .milliseconds(5)])
        #expect(
            exchanges[0].outcome
                == .answer(HTTPResponse(status: 200, headers: ["ETag": "\"1\""], body: [0xFF])))
        #expect(exchanges[1].requestHeaders == ["Accept": "a"])
        #expect(
            exchanges[2].outcome
                == .failure(UpstreamError(.offline, "reset by redacted", retryAfter: .seconds(3))))
    }

    /// A transport that never answers, and says how far it was when it was cancelled.
    private var silent: HTTPTransport {
        HTTPTransport { request in
            do { try await Task.sleep(for: .seconds(3600)) } catch {
                throw AnswerCutOff(url: request.url, progress: .body(bytes: 7, of: 9))
            }
            return HTTPResponse(status: 200)
        }
    }

    @Test("What the deadline cuts off is the timeout that the service sees")
    func deadline() async throws {
        let recorder = makeRecorder()
        let transport = silent.recorded(by: recorder) { $0.within(.milliseconds(1)) }
        let error = try await thrown { try await transport.send(HTTPRequest(url: api)) }
        #expect(error.failure.message.contains("7 of 9 bytes"))
        #expect(try recording(of: recorder).exchanges.map(\.outcome) == [.failure(error)])
    }

    @Test("What somebody cancels is recorded as that, and in a replay goes on until it is cancelled again")
    func cancelled() async throws {
        let recorder = makeRecorder()
        let started = Channel<Void>()
        let transport = HTTPTransport { request in
            started.send(())
            return try await silent.send(request)
        }
        .recorded(by: recorder) { $0.within(.seconds(600)) }
        let task = Task { try await transport.send(HTTPRequest(url: api)) }
        try await started.receive()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let recording = try recording(of: recorder)
        try #require(recording.exchanges.count == 1)
        guard case .failure(let error) = recording.exchanges[0].outcome else {
            return #expect(Bool(false), "\(recording.exchanges[0].outcome)")
        }
        #expect(error.failure.kind == .cancelled)

        let (waiting, waits) = AsyncStream.makeStream(of: Never.self)
        let replay = Replay(recording, speed: 1).transport(maxResponseBytes: 9, movesClock: true) { _ in
            waits.finish()
            try await Task.sleep(for: .seconds(3600))
        }
        let asker = Task { try await replay.send(HTTPRequest(url: api)) }
        for await _ in waiting {}
        asker.cancel()
        await #expect(throws: CancellationError.self) { try await asker.value }
        // It has been asked for, and the next answer is the next one's.
        let next = try await thrown { try await replay.send(HTTPRequest(url: api)) }
        #expect(next.failure.kind == .replay)
    }

    @Test("Calls are in it in their order, as many as a recording holds")
    func calls() throws {
        let recorder = makeRecorder()
        let calls = (0..<10_001).map { Recording.Call(.setPaused($0.isMultiple(of: 2)), after: $0 / 2) }
        for call in calls { recorder.record(call) }
        #expect(try recording(of: recorder).calls == Array(calls.dropLast()))
    }

    @Test("A redirect of what somebody cancels has been answered, and is in it")
    func cancelledLater() async throws {
        let recorder = makeRecorder()
        let started = Channel<Void>()
        let transport = HTTPTransport { request in
            guard request.url.path() != "/api/" else {
                return HTTPResponse(status: 302, headers: ["Location": "/there"])
            }
            started.send(())
            return try await silent.send(request)
        }
        .recorded(by: recorder) { $0.answeringInFull(within: .seconds(600)) }
        let task = Task { try await transport.send(HTTPRequest(url: api)) }
        try await started.receive()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try recording(of: recorder).exchanges.map(\.url.path) == ["/api", "/there"])
    }

    @Test("A recording that is full says so, once, and in the file, which can be read")
    func full() async throws {
        let recorder = makeRecorder(maximumBytes: 10_000)
        let transport = Stub(String(repeating: "\u{1}", count: 500)).transport.recorded(by: recorder) { $0 }
        for _ in 0..<10 { _ = try await transport.send(HTTPRequest(url: api)) }
        let file = Array(recorder.har().joined())
        let recording = try Recording(har: file)
        #expect(recording.session?.isTruncated == true)
        #expect(recording.exchanges.count == 2)
        #expect(file.count < 10_000)
        #expect(warnings.count.withLock { $0 } == 1)
    }

    @Test("An answer that its own reader would refuse is not in the file, and those after it are")
    func unreadable() async throws {
        let headers = HTTPHeaders(fields: (0...1000).map { .init(name: "X-\($0)", value: "") })
        let recorder = makeRecorder()
        for stub in [Stub("a", headers: headers), Stub("b")] {
            _ = try await stub.transport.recorded(by: recorder) { $0 }.send(HTTPRequest(url: api))
        }
        let recording = try recording(of: recorder)
        try #require(recording.exchanges.count == 2)
        #expect(
            recording.exchanges[0].outcome == .missing("it is nothing that can be read from a recording"))
        guard case .answer(let answer) = recording.exchanges[1].outcome else {
            throw CocoaError(.coderInvalidValue)
        }
        #expect(answer.body == Array("b".utf8))
        #expect(recording.session?.isTruncated == false)
        #expect(warnings.count.withLock { $0 } == 0)
    }

    @Test("What takes secrets out is not under an answer's deadline, and is done before who asked has it")
    func outsideOfTheDeadline() async throws {
        let recorder = makeRecorder()
        let transport = Stub("a").transport.recorded(by: recorder) { inner in
            HTTPTransport { request in
                let response = try await inner.send(request)
                #expect(recorder.isEmpty)
                return response
            }
        }
        _ = try await transport.send(HTTPRequest(url: api))
        #expect(try recording(of: recorder).exchanges.count == 1)
    }

    /// Nothing runs on the queue until it is let, or for twenty seconds: a test that waits for it fails then.
    private func hold(_ queue: DispatchQueue) -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        queue.async { _ = gate.wait(timeout: .now() + .seconds(20)) }
        return gate
    }

    /// Has it recorded for somebody who does not wait for that.
    private func abandon(
        _ result: Result<HTTPResponse, UpstreamError>, _ recorder: Recorder,
        _ request: HTTPRequest = HTTPRequest(url: api)
    ) async {
        let transport = HTTPTransport { _ in try result.get() }.recorded(by: recorder) { $0 }
        let asker = Task { try await transport.send(request) }
        asker.cancel()
        _ = await asker.result
    }

    @Test(
        "Who is cancelled waits for no secret to be taken out; until it is, the file says that the answer is missing"
    )
    func waiting() async throws {
        let queue = DispatchQueue(label: "held")
        let recorder = makeRecorder(queue: queue)
        let request = HTTPRequest(
            url: try #require(URL(string: "http://a.example/canary-T0ken?api_key=canary-of-it")),
            headers: ["Authorization": "Bearer canary-T0ken"])
        let small = HTTPResponse(
            status: 200, headers: ["Set-Cookie": "a=canary-C00kie"], body: Array("canary-T0ken".utf8))
        let large = HTTPResponse(
            status: 200,
            body: Array(
                (String(repeating: "a", count: 100_000) + #" {"password":"canary-of-the-B0dy"}"#).utf8))
        _ = try await Stub("before").transport.recorded(by: recorder) { $0 }.send(HTTPRequest(url: api))
        let gate = hold(queue)
        defer { gate.signal() }
        await abandon(.success(small), recorder, request)
        await abandon(.failure(UpstreamError(.offline, "reset by canary-C00kie")), recorder)
        await abandon(.success(large), recorder, request)
        await abandon(.failure(UpstreamError(.offline, "reset by canary-of-the-B0dy")), recorder)

        let quoting = HTTPResponse(
            status: 200, headers: ["Set-Cookie": "redacted"], body: Array("redacted".utf8))
        let known: [Recording.Outcome] = [
            .answer(HTTPResponse(status: 200, body: Array("before".utf8))), .answer(quoting),
            .failure(UpstreamError(.offline, "reset by redacted")),
        ]
        let early = try recording(of: recorder).exchanges
        #expect(
            early.map(\.outcome)
                == known + [.missing("its secrets had not been taken out when the recording was written")])
        #expect(early.last?.url.absoluteString == "http://a.example/redacted?api_key=redacted")
        #expect(!String(decoding: recorder.har().joined(), as: UTF8.self).contains("canary"))
        gate.signal()
        queue.sync {}
        let exchanges = try recording(of: recorder).exchanges
        try #require(exchanges.count == 5)
        #expect(exchanges.prefix(3).map(\.outcome) == known)
        guard case .answer(let kept) = exchanges[3].outcome else {
            return #expect(Bool(false), "\(exchanges[3].outcome)")
        }
        #expect(kept.body.count > 100_000)
        #expect(!String(decoding: recorder.har().joined(), as: UTF8.self).contains("canary"))
    }

    @Test("What waits for its secrets to be taken out is no more than a recording holds")
    func manyWaiting() async throws {
        let queue = DispatchQueue(label: "held")
        let recorder = makeRecorder(maximumBytes: 20_000, queue: queue)
        // Of what is in memory meanwhile, the file will have one word.
        let secret = String(repeating: "canary-T0ken", count: 600)
        let request = HTTPRequest(url: api, headers: ["Authorization": "Bearer \(secret)"])
        let answer = HTTPResponse(status: 200, body: Array(secret.utf8))
        let gate = hold(queue)
        for _ in 0..<4 {
            await abandon(.success(answer), recorder, request)
        }
        for isLater in [false, true] {
            let recording = try recording(of: recorder)
            #expect(recording.exchanges.count == 2)
            #expect(recording.session?.isTruncated == true)
            #expect(warnings.count.withLock { $0 } == (isLater ? 1 : 0))
            gate.signal()
            queue.sync {}
        }
    }

    @Test("Settings are in the file, without secrets")
    func settings() throws {
        let recorder = makeRecorder(settings: ["users.query": "api_key=canary&nat=us", "paused": "true"])
        #expect(
            try recording(of: recorder).session?.settings
                == ["users.query": "api_key=redacted&nat=us", "paused": "true"])
    }
}
