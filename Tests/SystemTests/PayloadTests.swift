import DemoUpstream
import Foundation
import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("Recorded answers of upstreams", .timeLimit(.hang))
struct PayloadTests {
    @Test("Every valid list of users is cached with exactly its fields")
    func valid() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            let recorded = Payload.recorded("randomuser", "v1.0", "v1.1", "v1.2-street", "v1.3", "v1.4")
            for payload in Self.valid + recorded {
                let state = try await machine.sync(users: [payload.text])
                #expect(state.phase == .loaded, "\(payload.name): \(state.failure?.message ?? "")")
                try await expect(machine.users(), are: payload)
            }
        }
    }

    @Test("Pages are joined, and a user on two of them is cached once")
    func pages() async throws {
        let recorded = Payload.recorded("randomuser", "v1.3-seed-abc-page")
        for pages in [[Self.valid[0], Self.valid[0]], recorded] where pages.count == 2 {
            try await onMachine { machine in
                let sizes = try pages.map { try $0.records("results").count }
                try await machine.startUserd([
                    "users.page_size": "\(sizes[0])", "users.pages": "2", "paused": "true",
                ])
                let state = try await machine.sync(users: pages.map(\.text))
                #expect(state.phase == .loaded, "\(state.failure?.message ?? "")")
                let expected = try pages.flatMap { try $0.records("results").map(expectedFields) }
                #expect(try await Set(machine.users().map { try $0.fields }) == Set(expected))
                #expect(try await machine.users().count == Set(expected).count)
            }
        }
    }

    @Test("Half an emoji, a byte order mark or a repeated member does not stop a sync")
    func damagedTexts() async throws {
        let text =
            "\u{FEFF}" + #"""
                {"results":[{"name":{"last":"a\ud83d"},"login":{"uuid":"u-1"}},{"email":"a@x","name":{"last":"b"},
                "login":{"uuid":"u-2"},"email":"b@x"}]}
                """#
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            #expect(try await machine.sync(users: [text]).phase == .loaded)
            let users = try await machine.users().sorted { $0.id < $1.id }
            #expect(users.map(\.name.last) == ["a\u{FFFD}", "b"])
            #expect(users.map(\.email) == [nil, "b@x"])
        }
    }

    @Test("An invalid list of users fails with its place, and changes no row")
    func invalid() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            #expect(try await machine.sync(.users).phase == .loaded)
            let before = try await machine.users()
            let recorded = Payload.recorded("randomuser", "invalid", "v1.2-single")
            for payload in Self.invalid.map(\.payload) + recorded {
                let failure = try #require(try await machine.sync(users: [payload.text]).failure)
                #expect(failure.kind == .decode, "\(payload.name): \(failure.message)")
                #expect(failure.message.contains("page 1 of \(machine.upstream.url("/api"))"))
                #expect(try await machine.state(of: .users).phase == .error)
                #expect(try await machine.users() == before, "\(payload.name)")
            }
            for (payload, words) in Self.invalid {
                let message = try await machine.sync(users: [payload.text]).failure?.message ?? ""
                #expect(message.contains(words), "\(payload.name)")
            }
        }
    }

    @Test("Answers that report an error fail with its kind, and change no row")
    func errors() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["users.page_size": "30"])
            #expect(try await machine.sync(.users).phase == .loaded)
            let before = try await machine.users()
            for (payload, kind) in [
                (Payload.recorded("randomuser", "error-documented"), Failure.Kind.http),
                (Payload.recorded("randomuser", "error-rate-limit"), .rateLimited),
                (Payload.recorded("randomuser", "outage"), .removalGuard),
                ([Payload(name: "words", text: #"{"error":"Too many requests from you"}"#)], .rateLimited),
                ([Payload(name: "empty", text: #"{"results":[]}"#)], .removalGuard),
            ] {
                for payload in payload {
                    let state = try await machine.sync(users: [payload.text], acceptRemovals: false)
                    #expect(state.phase == .error)
                    #expect(state.failure?.kind == kind, "\(payload.name): \(state.failure?.message ?? "")")
                    #expect(try await machine.users() == before)
                }
            }
        }
    }

    @Test("Facts are cached with their counted lengths, each text once")
    func facts() async throws {
        let written = Payload(
            name: "own",
            text: #"""
                {"data":[{"fact":"Two\u00a0words.","length":3},{"fact":"Twice.","length":6},{"fact":"Twice.","length":6}],
                "current_page":1,"per_page":"3","last_page":2,"next_page_url":"http://elsewhere.example/facts?page=2"}
                """#)
        for payload in [written] + Payload.recorded("catfact", "facts") {
            try await onMachine { machine in
                try await machine.startUserd(["paused": "true"])
                try await machine.upstream.setFaults([
                    Fault(.status(200, body: payload.text), path: "/facts", times: 1),
                    Fault(.status(200, body: #"{"data":[],"next_page_url":null}"#), path: "/facts"),
                ])
                #expect(try await machine.sync(.facts).phase == .loaded)
                let facts = try await machine.call(.listFacts, ListFacts(limit: 1000)).facts
                let texts = try payload.records("data").compactMap { $0["fact"] as? String }
                #expect(Set(facts.map(\.text)) == Set(texts), "\(payload.name)")
                #expect(facts.count == Set(texts).count)
                #expect(facts.allSatisfy { $0.length == $0.text.count })
            }
        }
    }

    @Test("A single fact is cached; an answer without a fact is an error")
    func oneFact() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            let written = Payload(name: "own", text: #"{"fact":"Cats nap.","length":100}"#)
            for payload in [written] + Payload.recorded("catfact", "fact-2024.json") {
                try await machine.upstream.setFaults([
                    Fault(.status(200, body: payload.text), path: "/fact")
                ])
                let object = try JSONSerialization.jsonObject(with: Data(payload.text.utf8)) as? [String: Any]
                let fact = try await machine.call(.fetchFact, NoParameters()).fact
                #expect(fact.text == object?["fact"] as? String)
                #expect(fact.length == fact.text.count)
                let cached = try await machine.call(.listFacts, ListFacts()).facts
                #expect(cached.contains(fact))
            }
            let before = try await machine.call(.listFacts, ListFacts()).facts
            let bad = [Payload(name: "none", text: "{}")] + Payload.recorded("catfact", "error")
            for payload in bad {
                try await machine.upstream.setFaults([
                    Fault(.status(200, body: payload.text), path: "/fact")
                ])
                await #expect(throws: VarlinkError.self, "\(payload.name)") {
                    try await machine.call(.fetchFact, NoParameters())
                }
            }
            #expect(try await machine.call(.listFacts, ListFacts()).facts == before)
        }
    }

    private func expect(_ users: [User], are payload: Payload) throws {
        let expected = try payload.records("results").map(expectedFields)
        // Without upstream's id userd makes a unique one.
        let hasIDs = expected.allSatisfy { $0["id"] != nil }
        let fields = try users.map { user in try user.fields.filter { hasIDs || $0.key != "id" } }
        #expect(Set(users.map(\.id)).count == users.count)
        #expect(users.count == expected.count, "\(payload.name)")
        let wrong = Set(fields).symmetricDifference(expected)
        #expect(wrong.isEmpty, "\(payload.name)")
    }
}

extension Machine {
    /// Syncs while upstream answers with these pages in order.
    fileprivate func sync(users pages: [String], acceptRemovals: Bool = true) async throws -> State {
        try await upstream.setFaults(
            pages.map { Fault(.status(200, body: $0), path: "/api", times: 1) } + [
                Fault(.status(500), path: "/api")
            ])
        let sync = Sync(resources: [.users], wait: true, acceptRemovals: acceptRemovals)
        return try await call(.sync, sync).states[0]
    }
}

extension PayloadTests {
    /// Short versions of the recorded answers.
    static let valid = [
        Payload(
            name: "version 1.4, whole",
            text: #"""
                {"results":[{"gender":"female","name":{"title":"Ms","first":"Зоряна","last":"Ґжицька"},"location":{"street":
                {"number":7,"name":"Вулиця Миру"},"city":"Львів","state":"Львівська","country":"Ukraine","postcode":"01001",
                "coordinates":{"latitude":"-69.8246","longitude":"134.8719"},"timezone":{"offset":"+9:30","description":"x"}},
                "email":"z@example.com","login":{"uuid":"u-1","username":"zoryana","password":"p","salt":"s","md5":"m",
                "sha1":"s","sha256":"s"},"dob":{"date":"1964-04-28T03:10:04.811Z","age":59},"registered":{"date":
                "2020-01-16T18:55:07.043Z","age":3},"phone":"(067) P51-8406","cell":"(098) X1","id":{"name":"","value":null},
                "picture":{"large":"https://p.example/1.jpg","medium":"https://p.example/m/1.jpg","thumbnail":
                "https://p.example/t/1.jpg"},"nat":"UA"}],"info":{"seed":"x","results":1,"page":1,"version":"1.4"}}
                """#),
        Payload(
            name: "version 1.2, with a street as text and whole seconds",
            text: #"""
                {"results":[{"name":{"title":"mr","first":"ola","last":"nordmann"},"location":{"street":"1 storgata",
                "city":"oslo","state":"oslo","postcode":"0278"},"login":{"uuid":"u-2","username":"ola"},
                "dob":{"date":"1966-07-30T03:56:49Z","age":53},"registered":{"date":"2002-09-02T04:32:28Z","age":16}}]}
                """#),
        Payload(
            name: "version 1.1, with dates as text, without an id, and an info that is wrong",
            text: #"""
                {"results":[{"gender":"male","name":{"title":"mr","first":"romain","last":"hoogmoed"},
                "location":{"street":"1861 straat","postcode":69217},"email":"r@example.com",
                "dob":"1983-07-14 07:29:45","registered":"2010-09-24 02:10:42","id":7,"nat":"nl"}],"info":{"results":9}}
                """#),
        Payload(
            name: "version 1.0, a bare list with Unix seconds, nulls, and two postcodes",
            text: #"""
                [{"name":{"title":null,"first":"levi","last":"stone"},"location":{"postcode":24560},"registered":1369762060,
                "dob":449536660,"id":"x","cell":null},{"name":{"first":"آدرینا\u200c","last":"علیزاده "},
                "location":{"postcode":"6690 FJ"},"id":{"name":"BSN","value":"NaNundefined"},"picture":null}]
                """#),
    ]

    /// Invalid answers, with words of the message that name the place.
    static let invalid: [(payload: Payload, words: String)] = [
        (Payload(name: "no JSON", text: "Service unavailable"), "begins with 'Service unavailable'"),
        (Payload(name: "nothing", text: ""), "not JSON"),
        (
            Payload(name: "a comma too many", text: #"{"results":[{"name":{"last":"a",}}]}"#),
            "line 1, column 32: trailing comma"
        ),
        (
            Payload(name: "an end too early", text: "{\n\"results\":[{\"name\":{\"last\":\"a\""),
            "line 2, column 31: the text ends"
        ),
        (
            Payload(name: "one user", text: #"{"name":{"first":"a","last":"b"},"email":"a@example.com"}"#),
            "no list at"
        ),
        (
            Payload(name: "no name", text: #"{"results":[{"name":{"last":"a"}},{"name":{"title":"b"}}]}"#),
            "record 2: no name at"
        ),
        (Payload(name: "a list of words", text: #"{"results":["a"]}"#), "record 1: expected an object"),
    ]
}
