import Foundation
import HTTP
import Model
import Stubs
import Synchronization
import TestSupport
import Testing

@testable import Upstream

private struct Trouble: Error {}

@Suite("Stubs", .timeLimit(.hang), .stubs)
struct StubTests {
    @Test("A stub gives its answers in order, each as often as declared, and keeps its inputs")
    func order() async throws {
        let stub = Stub<Int, String>().success("a").failure(Trouble()).success("b", times: 2)
        #expect(try await stub.call(1) == "a")
        await #expect(throws: Trouble.self) { try await stub.call(2) }
        #expect(try await stub.call(3) == "b")
        #expect(try await stub.call(4) == "b")
        #expect(stub.inputs == [1, 2, 3, 4] && stub.callCount == 4)
        #expect(try await stub.called() == 1)
    }

    @Test("A test can wait for a call of a stub, and answer it then")
    func waiting() async throws {
        let stub = Stub<Int, String>(waits: true)
        async let first = stub.call(1)
        #expect(try await stub.called() == 1)
        async let second = stub.call(2)
        #expect(try await stub.called() == 2)
        stub.success("a", times: 2)
        #expect(try await [first, second] == ["a", "a"])
    }

    @Test("A stub answers after a delay on the test's clock")
    func delay() async throws {
        let clock = VirtualClock()
        let stub = Stub<Int, String>().delay(.seconds(5), on: clock).success("late").success("at once")
        async let late = stub.call(1)
        #expect(try await clock.sleeps.receive() == .seconds(5))
        #expect(try await stub.call(2) == "at once")
        clock.advance(by: .seconds(4))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await late == "late")
    }

    @Test("A cancelled call of a stub ends before, during and after its wait for an answer")
    func cancelled() async throws {
        let clock = VirtualClock()
        let stub = Stub<Int, String>(waits: true)
        let waiting = Task { try await stub.call(1) }
        try await stub.called()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        stub.delay(.seconds(5), on: clock).success("a")
        let delayed = Task { try await stub.call(2) }
        _ = try await clock.sleeps.receive()
        delayed.cancel()
        await #expect(throws: CancellationError.self) { try await delayed.value }
        let before = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await Stub<Int, String>().call(3)
        }
        before.cancel()
        await #expect(throws: CancellationError.self) { try await before.value }
    }

    // MARK: Failures of a test

    @Test("A call without an answer fails the test where the stub was made, and says what was asked")
    func unforeseen() async throws {
        let line = #_sourceLocation.line + 1
        let stub = Stub<String, Int>().success(1)
        #expect(try await stub.call("expected") == 1)
        await withKnownIssue {
            await #expect(throws: UnforeseenCall.self) { try await stub.call("one more") }
        } matching: {
            $0.sourceLocation?.line == line && $0.says("there is no answer for call 2: one more")
        }
    }

    @Test("An unused answer fails the test where it was given")
    func leftOver() async throws {
        let line = #_sourceLocation.line + 4
        try await withKnownIssue {
            try await withStubs {
                let stub = Stub<Int, String>()
                    .success("a", times: 3)
                _ = try await stub.call(1)
            }
        } matching: {
            $0.sourceLocation?.line == line && $0.says("1 of 3 calls have come for this answer")
        }
        // Within a range of times, unused answers are allowed.
        try await withStubs {
            let stub = Stub<Int, String>().success("a", times: 1...3)
            _ = try await stub.call(1)
        }
    }

    @Test("Each unused answer fails the test once, including failures")
    func eachLeftOver() async throws {
        let count = Atomic(0)
        try await withKnownIssue {
            try await withStubs {
                Stub<Int, String>().success("a").failure(Trouble())
                Stub<Int, String>(waits: true).success("b", times: 0...2).success("c")
            }
        } matching: { _ in
            count.add(1, ordering: .relaxed)
            return true
        }
        #expect(count.load(ordering: .relaxed) == 3)
    }

    @Test("Unused answers are not reported if the test itself has failed")
    func thrown() async throws {
        await #expect(throws: Trouble.self) {
            try await withStubs {
                Stub<Int, String>().success("a")
                throw Trouble()
            }
        }
    }

    // MARK: Clients and services

    @Test("Stubs can replace the transport and each of the services")
    func services() async throws {
        let http = HTTPStub().success(HTTPResponse(status: 204))
        let request = HTTPRequest(url: try #require(URL(string: "https://a.example/")))
        #expect(try await HTTPTransport(http).send(request).status == 204)
        #expect(http.inputs == [request])

        let people = Page(records: [User(id: "a", name: User.Name(first: "A", last: "B"))])
        let users = UsersService(UsersStub().success(people))
        #expect(try await users.fetchPage(.first, nil) == people)

        let fact = NewFact(id: "1", text: "Cats purr.", length: 10)
        let facts = FactsService(
            FactsStub().success(Page(records: [fact])), one: OneFactStub().success(fact))
        #expect(try await facts.fetchPage(.first, nil) == Page(records: [fact]))
        #expect(try await facts.fetchOne() == fact)

        let pictures = PictureStub().success(.picture(.sample(.large))).success(.unchanged)
        #expect(try await PicturesService(pictures).fetch("a", nil) == .picture(.sample(.large)))
        #expect(try await PicturesService(pictures).fetch("b", nil) == .unchanged)
        #expect(pictures.inputs == ["a", "b"])
    }

    @Test("A stub can be a live service's transport, and answer page after page")
    func live() async throws {
        let body = #"{"results": [{"name": {"first": "A", "last": "B"}, "login": {"uuid": "1"}}]}"#
        let http = HTTPStub().success(HTTPResponse(status: 200, body: Array(body.utf8)), times: 2)
        let users = UsersService.live(
            try .users(
                .builtIn("randomuser"),
                UpstreamSettings(
                    url: try #require(URL(string: "https://a.example/")), pageSize: 1, pages: 2),
                now: { Timestamp(milliseconds: 0) }),
            transport: HTTPTransport(http))
        let first = try await users.fetchPage(.first, nil)
        _ = try await users.fetchPage(try #require(first.next), nil)
        #expect(http.inputs.map { $0.url.query?.contains("page=2") } == [false, true])
    }
}

@Suite("Stubs without the trait .stubs", .timeLimit(.hang))
struct UnverifiedStubTests {
    @Test("A stub without the trait .stubs fails the test at once, since unused answers would go unnoticed")
    func unverified() {
        withKnownIssue {
            _ = Stub<Int, String>()
        } matching: {
            $0.says("the test needs the trait .stubs")
        }
    }
}

extension Issue {
    fileprivate func says(_ words: String) -> Bool { comments.contains { $0.rawValue.contains(words) } }
}
