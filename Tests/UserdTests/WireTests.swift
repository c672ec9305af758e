import HTTP
import Model
import StrictJSON
import Testing
import UserdAPI
import Varlink

private let failure = Failure(
    kind: .rateLimited, message: "429", retryable: true, httpStatus: 429, attempts: 2)
private let fullState = State(
    epoch: "e", index: 7, resource: .users, phase: .error, since: began, cause: .failed, count: 3,
    syncedAt: began, stale: false, nextSyncAt: began + .seconds(1), progress: Progress(done: 1, total: 2),
    failure: failure)
private let bareState = State(
    epoch: "e", index: 0, resource: .facts, phase: .initial, since: began, cause: .created, count: 0,
    stale: true)
private let fact = Fact(id: "f", text: "Cats “purr”/🐈.", length: 14, firstSeenAt: began)
private let freshness = Freshness(phase: .loaded, syncedAt: began, age: 1.5, stale: false)

private let failureJSON =
    #"{"attempts":2,"http_status":429,"kind":"rate_limited","message":"429","retryable":true}"#
private let fullStateJSON =
    #"{"cause":"failed","count":3,"epoch":"e","failure":"# + failureJSON
    + #","index":7,"next_sync_at":"2026-02-02T02:40:01.000Z","phase":"error","progress":{"done":1,"total":2},"#
    + #""resource":"users","since":"2026-02-02T02:40:00.000Z","stale":false,"synced_at":"2026-02-02T02:40:00.000Z"}"#
private let bareStateJSON =
    #"{"cause":"created","count":0,"epoch":"e","index":0,"phase":"initial","resource":"facts","#
    + #""since":"2026-02-02T02:40:00.000Z","stale":true}"#
private let factJSON =
    #"{"first_seen_at":"2026-02-02T02:40:00.000Z","id":"f","length":14,"text":"Cats “purr”/🐈."}"#
private let freshnessJSON =
    #"{"age":1.5,"phase":"loaded","stale":false,"synced_at":"2026-02-02T02:40:00.000Z"}"#

@Suite struct WireTests {
    private func expect<Value: Codable & Equatable>(_ value: Value, is json: String) throws {
        #expect(try String(decoding: encoded(value), as: UTF8.self) == json)
        #expect(try decoded(Value.self, from: Array(json.utf8)) == value)
    }

    @Test("States, facts and failures have this JSON")
    func values() throws {
        try expect(fullState, is: fullStateJSON)
        try expect(bareState, is: bareStateJSON)
        try expect(fact, is: factJSON)
        try expect(freshness, is: freshnessJSON)
        try expect(
            Freshness(phase: .initial, syncedAt: nil, age: nil, stale: true),
            is: #"{"phase":"initial","stale":true}"#)
        try expect(
            Freshness(phase: .error, syncedAt: nil, age: nil, stale: true, failure: failure),
            is: #"{"failure":\#(failureJSON),"phase":"error","stale":true}"#)
        try expect(
            Failure(kind: .tooLarge, message: "", retryable: false),
            is: #"{"attempts":1,"kind":"too_large","message":"","retryable":false}"#)
    }

    @Test("The code of a failure's advice is on the wire, and its words are at the end of the message")
    func advice() throws {
        let failure = Failure(
            kind: .decode, message: "no list", retryable: true,
            advice: Advice(.tryFormat, about: "okta"))
        let message = "no list; it looks like okta: set users.format to that"
        #expect(failure.message == message)
        try expect(
            failure,
            is:
                #"{"advice":"try-format:okta","attempts":1,"kind":"decode","message":"\#(message)","retryable":true}"#
        )
        /// A failure, as 0.3.0 reads it.
        struct Earlier: Decodable {
            var kind, message: String
            var retryable: Bool
            var attempts: Int
        }
        #expect(try decoded(Earlier.self, from: encoded(failure)).message == message)
    }

    @Test(
        "A failure of another version keeps its message and its code, and has no words of advice",
        arguments: [
            (nil, "no list; it looks like okta: set users.format to that"),
            ("try-format:okta", "no list; set users.format to okta"), ("try-format", "; it looks like : set"),
            ("buy-a-cat", "no list; buy a cat"), ("buy-a-cat", ""), ("", "no list; "), (":", "no list"),
        ] as [(String?, String)])
    func otherVersions(code: String?, message: String) throws {
        let advice = code.map { #""advice":"\#($0)","# } ?? ""
        let json = #"{\#(advice)"attempts":1,"kind":"decode","message":"\#(message)","retryable":true}"#
        let failure = try decoded(Failure.self, from: Array(json.utf8))
        #expect(failure.message == message && failure.reason == message)
        #expect(failure.advice?.code == code && failure.advice?.words == nil)
        #expect(try String(decoding: encoded(failure), as: UTF8.self) == json)
    }

    @Test("A kind of failure that this version does not know is read as other")
    func otherKinds() throws {
        let json = failureJSON.replacing("rate_limited", with: "flooded")
        #expect(try decoded(Failure.self, from: Array(json.utf8)).kind == .other)
    }

    @Test("A complete user has this JSON")
    func user() throws {
        try expect(
            User.samples[0],
            is:
                #"{"address":{"city":"Billings","country":"United States","latitude":-69.8246,"longitude":134.8719,"#
                + #""postcode":"06310","state":"Michigan","street":"8929 Valwood Pkwy","utc_offset":"+9:30"},"#
                + #""age":33,"born_at":"1992-03-08T15:13:16.688Z","cell":"(489) 330-2385","#
                + #""company":"Example News","department":"Editing","display_name":"Jennie Nichols (Editing)","#
                + #""email":"jennie.nichols@example.com","#
                + #""emails":[{"kind":"work","value":"jennie.nichols@example.com"},"#
                + #"{"kind":"home","value":"bigswan571@example.org"}],"employee_number":"00417","#
                + #""gender":"female","id":"sample-full","job_title":"Editor in Chief","#
                + #""manager":{"id":"sample-wide","name":"髙橋花子"},"#
                + #""name":{"first":"Jennie","last":"Nichols","title":"Ms"},"nationality":"US","office":"Room 4.12","#
                + #""phone":"(272) 790-0888","phones":[{"kind":"work","value":"(272) 790-0888"},"#
                + #"{"kind":"mobile","value":"(489) 330-2385"},{"kind":"fax","value":"+1 272 790 0889"},"#
                + #"{"value":"(406) 555-0142"}],"picture":{"large":"https://mock.invalid/jennie.large.png","#
                + #""medium":"https://mock.invalid/jennie.medium.png","#
                + #""thumbnail":"https://mock.invalid/jennie.thumbnail.png"},"#
                + #""registered_at":"2007-07-09T05:51:59.390Z","updated_at":"2026-01-02T00:00:00.000Z","username":"bigswan571"}"#
        )
    }

    @Test("A null member is read as absent")
    func null() throws {
        #expect(
            try decoded(ListUsers.self, from: Array(#"{"search":null,"limit":null}"#.utf8)) == ListUsers())
        let json = bareStateJSON.dropLast() + #","failure":null,"progress":null}"#
        #expect(try decoded(State.self, from: Array(json.utf8)) == bareState)
    }
}
