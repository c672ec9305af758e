import Model
import Services
import StrictJSON
import Testing
import UserdAPI
import UserdReads
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

    @Test("States, facts and failures are written like this")
    func values() throws {
        try expect(fullState, is: fullStateJSON)
        try expect(bareState, is: bareStateJSON)
        try expect(fact, is: factJSON)
        try expect(freshness, is: freshnessJSON)
        try expect(
            Freshness(phase: .initial, syncedAt: nil, age: nil, stale: true),
            is: #"{"phase":"initial","stale":true}"#)
        try expect(
            Failure(kind: .tooLarge, message: "", retryable: false),
            is: #"{"attempts":1,"kind":"too_large","message":"","retryable":false}"#)
    }

    @Test("A whole user is written like this")
    func user() throws {
        try expect(
            User.samples[0],
            is:
                #"{"address":{"city":"Billings","country":"United States","latitude":-69.8246,"longitude":134.8719,"#
                + #""postcode":"06310","state":"Michigan","street":"8929 Valwood Pkwy","utc_offset":"+9:30"},"#
                + #""age":33,"born_at":"1992-03-08T15:13:16.688Z","cell":"(489) 330-2385","#
                + #""email":"jennie.nichols@example.com","gender":"female","id":"sample-full","#
                + #""name":{"first":"Jennie","last":"Nichols","title":"Ms"},"nationality":"US","#
                + #""phone":"(272) 790-0888","picture":{"large":"https://pictures.example/75.jpg","#
                + #""medium":"https://pictures.example/med/75.jpg","#
                + #""thumbnail":"https://pictures.example/thumb/75.jpg"},"#
                + #""registered_at":"2007-07-09T05:51:59.390Z","username":"bigswan571"}"#)
    }

    @Test("What goes into each method is written like this")
    func parameters() throws {
        try expect(NoParameters(), is: "{}")
        try expect(ListUsers(), is: "{}")
        try expect(
            ListUsers(
                search: "a", nationality: "US", gender: "male", order: .registered, descending: true,
                limit: 5,
                cursor: "c"),
            is: #"{"cursor":"c","descending":true,"gender":"male","limit":5,"nationality":"US","#
                + #""order":"registered","search":"a"}"#)
        try expect(GetUser(key: "k"), is: #"{"key":"k"}"#)
        try expect(GetPicture(key: "k", size: .medium), is: #"{"key":"k","size":"medium"}"#)
        try expect(GetPicture(key: "k"), is: #"{"key":"k"}"#)
        try expect(
            ListFacts(search: "a", maxLength: 9, limit: 5, cursor: "c"),
            is: #"{"cursor":"c","limit":5,"max_length":9,"search":"a"}"#)
        try expect(RandomFact(maxLength: 9), is: #"{"max_length":9}"#)
        try expect(RandomFact(), is: "{}")
        try expect(
            Watch(since: 3, epoch: "e", resources: [.users], progress: true),
            is: #"{"epoch":"e","progress":true,"resources":["users"],"since":3}"#)
        try expect(Watch(), is: "{}")
        try expect(History(resource: .facts, limit: 2), is: #"{"limit":2,"resource":"facts"}"#)
        try expect(
            Sync(resources: [.users, .facts], wait: true, acceptRemovals: false),
            is: #"{"accept_removals":false,"resources":["users","facts"],"wait":true}"#)
        try expect(Retry(resources: [], wait: false), is: #"{"resources":[],"wait":false}"#)
        try expect(Cancel(), is: "{}")
        try expect(SetPaused(paused: true), is: #"{"paused":true}"#)
    }

    @Test("What comes out of each method is written like this")
    func outputs() throws {
        try expect(
            DaemonState(states: [fullState, bareState], paused: true, version: "1", startedAt: began),
            is: #"{"paused":true,"started_at":"2026-02-02T02:40:00.000Z","states":[\#(fullStateJSON),"#
                + #"\#(bareStateJSON)],"version":"1"}"#)
        try expect(WatchedState(state: bareState), is: #"{"state":\#(bareStateJSON)}"#)
        try expect(
            PictureReply(content: "+/==", contentType: "image/png", placeholder: false),
            is: #"{"content":"+/==","content_type":"image/png","placeholder":false}"#)
        try expect(States(states: []), is: #"{"states":[]}"#)
        try expect(
            FactReply(fact: fact, freshness: freshness),
            is: #"{"fact":\#(factJSON),"freshness":\#(freshnessJSON)}"#)
    }

    @Test("null reads as absent")
    func null() throws {
        #expect(
            try decoded(ListUsers.self, from: Array(#"{"search":null,"limit":null}"#.utf8)) == ListUsers())
        let json = bareStateJSON.dropLast() + #","failure":null,"progress":null}"#
        #expect(try decoded(State.self, from: Array(json.utf8)) == bareState)
    }

    // MARK: Against the interface

    @Test("Values with all their fields have the fields of the interface's types, no more and no less")
    func fields() throws {
        func expect(_ value: some Encodable, has type: String) throws {
            let interface = try interface.get()
            guard case .structure(let fields)? = interface.type(type) else {
                Issue.record("\(type) is no structure of the interface")
                return
            }
            let json = try JSONValue(validating: try encoded(value), maximumDepth: 9)
            #expect(interface.invalidParameter(in: json, fields: fields) == nil)
            #expect(Set(json.members?.map(\.name) ?? []) == Set(fields.map(\.name)), "\(type)")
        }
        try expect(fullState, has: "State")
        try expect(failure, has: "Failure")
        try expect(Progress(done: 1, total: 2), has: "Progress")
        try expect(freshness, has: "Freshness")
        try expect(fact, has: "Fact")
        try expect(User.samples[0], has: "User")
        try expect(User.samples[0].name, has: "Name")
        try expect(User.samples[0].address, has: "Address")
        try expect(User.samples[0].picture, has: "Picture")
    }

    @Test("What goes into each method has the fields that the interface declares")
    func inputs() throws {
        let all: [(String, any Encodable)] = [
            (
                UserdMethod.listUsers.name,
                ListUsers(
                    search: "", nationality: "", gender: "", order: .age, descending: true, limit: 1,
                    cursor: "")
            ),
            (UserdMethod.getUser.name, GetUser(key: "")),
            (UserdMethod.getPicture.name, GetPicture(key: "", size: .large)),
            (UserdMethod.listFacts.name, ListFacts(search: "", maxLength: 1, limit: 1, cursor: "")),
            (UserdMethod.randomFact.name, RandomFact(maxLength: 1)),
            (UserdMethod.fetchFact.name, NoParameters()),
            (UserdMethod.getState.name, NoParameters()),
            (UserdMethod.watch.name, Watch(since: 1, epoch: "", resources: [.users], progress: true)),
            (UserdMethod.history.name, History(resource: .users, limit: 1)),
            (UserdMethod.sync.name, Sync(resources: [.users], wait: true, acceptRemovals: true)),
            (UserdMethod.retry.name, Retry(resources: [.users], wait: true)),
            (UserdMethod.cancel.name, Cancel(resources: [.users])),
            (UserdMethod.setPaused.name, SetPaused(paused: true)),
        ]
        let interface = try interface.get()
        for (name, parameters) in all {
            let method = try #require(interface.method(name))
            let json = try JSONValue(validating: try encoded(parameters), maximumDepth: 9)
            #expect(interface.invalidParameter(in: json, fields: method.input) == nil)
            #expect(Set(json.members?.map(\.name) ?? []) == Set(method.input.map(\.name)), "\(name)")
        }
        let missing = Set(interface.methods.map(\.name)).subtracting(all.map(\.0))
        #expect(missing.isEmpty, "what the client has no type for is not built yet")
    }

    @Test("The enums of the model are those of the interface")
    func enums() throws {
        let interface = try interface.get()
        #expect(interface.type("Phase") == .enumeration(Phase.allCases.map(\.rawValue)))
        #expect(interface.type("FailureKind") == .enumeration(Failure.Kind.allCases.map(\.rawValue)))
        #expect(interface.type("Resource") == .enumeration(Resource.allCases.map(\.rawValue)))
        #expect(
            interface.type("PictureSize") == .enumeration(PictureSize.allCases.reversed().map(\.rawValue)))
        #expect(interface.type("UserOrder") == .enumeration(UserOrder.allCases.map(\.rawValue)))
    }
}
