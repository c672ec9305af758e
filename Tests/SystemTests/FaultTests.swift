import DemoUpstream
import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("Faults of an upstream", .timeLimit(.hang))
struct FaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let fault: Fault.Kind
        let kind: Failure.Kind
        /// Parts of the message, in addition to the address.
        let words: [String]
        var status: Int?
        var isRetryable = true
        var settings: [String: String] = [:]

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "500", fault: .status(500), kind: .http, words: ["answered 500"], status: 500),
        Case(
            name: "404", fault: .status(404), kind: .http, words: ["answered 404"], status: 404,
            isRetryable: false),
        Case(name: "429", fault: .status(429), kind: .rateLimited, words: ["answered 429"], status: 429),
        Case(name: "503", fault: .status(503), kind: .http, words: ["answered 503"], status: 503),
        Case(
            name: "an error in words", fault: .errorBody(.documented), kind: .http,
            words: ["answered 200", "Uh oh"], status: 200),
        Case(
            name: "a rate limit in words", fault: .errorBody(.rateLimit), kind: .rateLimited,
            words: ["answered 429", "ease up"], status: 429),
        Case(name: "half a body", fault: .truncate, kind: .offline, words: ["closed the connection after"]),
        Case(name: "a reset", fault: .reset, kind: .offline, words: ["reset the connection"]),
        Case(
            name: "a web page", fault: .rubbish(.html), kind: .decode,
            words: ["page 1", "not JSON but HTML", "begins with '<!DOCTYPE html>"]),
        Case(
            name: "not HTTP", fault: .rubbish(.bytes), kind: .http,
            words: ["does not answer in HTTP"]),
        Case(
            name: "no users", fault: .empty, kind: .removalGuard, words: ["remove 30 of 30"],
            isRetryable: false),
        Case(
            name: "a redirect in circles", fault: .redirect(location: "?again"), kind: .redirect,
            words: ["redirects", "loop"], isRetryable: false),
        Case(
            name: "a redirect to a file", fault: .redirect(location: "file:///etc/passwd"), kind: .redirect,
            words: ["not a valid http address"], isRetryable: false),
        Case(
            name: "a stall", fault: .stall, kind: .timeout, words: ["has not answered in full"],
            settings: ["http.deadline": "5s"]),
        Case(
            name: "a gzip bomb", fault: .gzipBomb, kind: .tooLarge,
            words: ["larger than the limit after decompression; http.max_response_bytes"], isRetryable: false,
            settings: ["http.max_response_bytes": "200000"]),
        Case(
            name: "a body without end", fault: .endless, kind: .tooLarge,
            words: ["larger than 200000 bytes"], isRetryable: false,
            settings: ["http.max_response_bytes": "200000"]),
        Case(name: "a closed port", fault: .down, kind: .offline, words: ["connection refused"]),
    ]

    @Test(
        "Each fault has its kind and message and changes no row, and a later retry succeeds",
        arguments: cases)
    func faults(_ fault: Case) async throws {
        try await onMachine(users: 30) { machine in
            try await machine.startUserd(fault.settings.merging(["users.page_size": "30"]) { $1 })
            #expect(try await machine.sync(.users).phase == .loaded)
            let before = try await machine.users()

            try await machine.upstream.setFaults([
                Fault(fault.fault, path: fault.fault == .down ? nil : "/api")
            ])
            let state = try await machine.sync(.users)
            let failure = try #require(state.failure)
            #expect(state.phase == .error)
            #expect(state.count == 30)
            #expect(failure.kind == fault.kind, "\(failure.message)")
            #expect(failure.httpStatus == fault.status)
            #expect(failure.retryable == fault.isRetryable)
            #expect(failure.attempts == 1)
            for words in fault.words { #expect(failure.message.contains(words)) }
            if fault.kind != .removalGuard {
                #expect(failure.message.contains("127.0.0.1:\(machine.upstream.port)"), "\(failure.message)")
            }
            // A failure that can't go away by itself is retried at the usual interval.
            let next = try #require(state.nextSyncAt) - state.since
            let planned: ClosedRange<Duration> =
                fault.isRetryable ? .seconds(300)...(.seconds(600)) : .seconds(810)...(.seconds(990))
            #expect(planned ~= next)
            #expect(try await machine.users() == before)
            #expect(try await machine.sync(.users).failure?.attempts == 2)

            try await machine.upstream.setFaults([])
            let healed = try await machine.retry(.users)
            #expect(healed.phase == .loaded)
            #expect(healed.failure == nil)
            #expect(try await machine.users() == before)
        }
    }

    @Test("userd waits for Retry-After, and reports a 503 with it as a rate limit", arguments: [429, 503])
    func retryAfter(_ status: Int) async throws {
        try await onMachine { machine in
            try await machine.upstream.setFaults([Fault(.status(status, retryAfter: "4000"), path: "/api")])
            try await machine.startUserd()
            let state = try await machine.sync(.users)
            #expect(state.failure?.kind == .rateLimited)
            #expect(state.failure?.httpStatus == status)
            #expect(try #require(state.nextSyncAt) - state.since == .seconds(4000))
        }
    }

    @Test("An upstream without users or facts leaves a new cache empty")
    func empty() async throws {
        try await onMachine { machine in
            try await machine.upstream.setFaults([Fault(.empty)])
            try await machine.startUserd()
            for resource in Resource.allCases {
                let state = try await machine.sync(resource)
                #expect(state.phase == .empty)
                #expect(state.failure == nil)
                #expect(state.count == 0)
            }
        }
    }

    @Test("userd reads a compressed answer")
    func compressed() async throws {
        try await onMachine { machine in
            try await machine.upstream.setFaults([Fault(.gzip)])
            try await machine.startUserd()
            #expect(try await machine.sync(.users).phase == .loaded)
            let compressed = try await machine.users()
            #expect(compressed.count == 20)
            try await machine.upstream.setFaults([])
            #expect(try await machine.sync(.users).phase == .loaded)
            #expect(try await machine.users() == compressed)
        }
    }

    @Test("Removals are accepted for one sync, and guarded in the next")
    func removals() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["users.page_size": "30"])
            #expect(try await machine.sync(.users).count == 30)
            try await machine.upstream.setFaults([Fault(.empty, path: "/api")])
            #expect(try await machine.sync(.users).failure?.kind == .removalGuard)
            let accepted = Sync(resources: [.users], wait: true, acceptRemovals: true)
            #expect(try await machine.call(.sync, accepted).states.map(\.phase) == [.empty])

            try await machine.upstream.setFaults([])
            #expect(try await machine.sync(.users).count == 30)
            try await machine.upstream.setFaults([Fault(.empty, path: "/api")])
            #expect(try await machine.sync(.users).failure?.kind == .removalGuard)
            #expect(try await machine.users().count == 30)
        }
    }

    @Test("FetchFact reports why a fact can't be fetched, and the facts stay as they are")
    func oneFact() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            let before = try await machine.sync(.facts).count
            try await machine.upstream.setFaults([Fault(.status(404), path: "/fact")])
            let error = await #expect(throws: VarlinkError.self) {
                try await machine.call(.fetchFact, NoParameters())
            }
            guard case .upstreamFailed(let failure)? = error.flatMap(UserdError.init(wire:)) else {
                Issue.record("\(error.debugDescription)")
                return
            }
            #expect(failure.kind == .http)
            #expect(failure.httpStatus == 404)
            #expect(try await machine.state(of: .facts).count == before)
        }
    }
}
