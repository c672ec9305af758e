import NIOCore
import NIOHTTP1
import Synchronization

/// The state of the upstream: its content, the faults and the log of requests.
final class Site: Sendable {
    private struct State {
        var population: Population
        var faults = FaultTable()
        var log = RequestLog()
        var factRequests = 0
        var observers: [Int: AsyncStream<RequestRecord>.Continuation] = [:]
        var nextObserver = 0
    }

    private let configuration: DemoUpstream.Configuration
    private let base: String
    private let facts: [CatFact]
    let tokens: DirectoryTokens
    private let state: Mutex<State>

    init(_ configuration: DemoUpstream.Configuration, base: String) {
        self.configuration = configuration
        self.base = base
        facts = CatFact.collection(configuration.facts)
        tokens = DirectoryTokens(configuration)
        state = Mutex(State(population: Population(size: configuration.users)))
    }

    // MARK: State

    var faults: [Fault] { state.withLock { $0.faults.faults } }
    var isDown: Bool { state.withLock { $0.faults.isDown } }
    var population: Population { state.withLock { $0.population } }
    var requestCounts: [String: Int] { state.withLock { $0.log.counts } }
    var recentRequests: [RequestRecord] { state.withLock { $0.log.recent } }

    func setFaults(_ faults: [Fault]) throws(ControlError) {
        try state.withLock { state throws(ControlError) in try state.faults.set(faults) }
    }

    func setDown(_ isDown: Bool) { state.withLock { $0.faults.setDown(isDown) } }

    func edit(_ edit: Edit) throws(ControlError) {
        try state.withLock { state throws(ControlError) in try state.population.apply(edit) }
    }

    func requestCount(for scope: String) -> Int { state.withLock { $0.log.count(for: scope) } }

    var unchangedCount: Int { state.withLock { $0.log.unchanged } }

    func forgetRequests() { state.withLock { $0.log = RequestLog() } }

    func arrivals() -> AsyncStream<RequestRecord> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RequestRecord.self, bufferingPolicy: .bufferingNewest(1000))
        let key = state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = continuation
            return state.nextObserver
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: key) }
        }
        return stream
    }

    func endArrivals() {
        let observers = state.withLock { state in
            defer { state.observers = [:] }
            return state.observers.values
        }
        for observer in observers { observer.finish() }
    }

    // MARK: Answers

    func respond(to request: Request) -> Response {
        let record = RequestRecord(request)
        let (effects, observers) = state.withLock { state in
            state.log.append(record)
            return (state.faults.take(for: request.path), Array(state.observers.values))
        }
        for observer in observers { observer.yield(record) }
        var response = Response { self.reaction(to: request, effects) }
        response.milliseconds = effects.milliseconds ?? 0
        response.bytesPerSecond = effects.bytesPerSecond
        response.truncates = effects.outcome == .truncate
        return response
    }

    private func reaction(to request: Request, _ effects: FaultEffects) -> Reaction {
        var reply: Reply
        switch effects.outcome {
        case .reset: return .reset
        case .rubbish(.bytes):
            return .raw(ByteBuffer(bytes: (0..<512).map { UInt8(truncatingIfNeeded: $0 * 37 + 129) }))
        case .stall: return .stall(properReply(to: request, effects))
        case .gzipBomb: return .reply(.gzipBomb())
        case .some(let outcome): reply = Reply(outcome: outcome) ?? properReply(to: request, effects)
        case nil: reply = properReply(to: request, effects)
        }
        if effects.gzips, reply.mayHaveBody {
            reply.headers.replaceOrAdd(name: "content-encoding", value: "gzip")
            reply.body = reply.body.gzipped()
        }
        return .reply(reply)
    }

    private func properReply(to request: Request, _ effects: FaultEffects) -> Reply {
        if request.path == "/oauth2/token" { return tokens.reply(to: request) }
        guard request.method == .GET || request.method == .HEAD else {
            return Reply(.methodNotAllowed, ["allow": "GET, HEAD"])
        }
        var reply: Reply
        // Nil if the answer is random.
        let edition: Int?
        switch request.path {
        case "/api", "/api/1.4": (reply, edition) = users(request, effects)
        case "/fact":
            (reply, edition) = (fact(request, effects), nil)
        case "/facts": (reply, edition) = (factsPage(request, effects), 0)
        case let path where Directory.serves(path): (reply, edition) = directory(request, effects)
        default: (reply, edition) = (portrait(request) ?? notFound(), 0)
        }
        if reply.status == .ok, let edition {
            let version = Version(of: request, edition, isEmpty: effects.outcome == .empty)
            version.tell(effects, in: &reply, to: request)
            if reply.status == .notModified { state.withLock { $0.log.unchanged += 1 } }
        }
        return reply
    }

    private func users(_ request: Request, _ effects: FaultEffects) -> (Reply, edition: Int?) {
        let query = UsersQuery(
            request.parameters, maxResults: configuration.maxResults, ignoresPage: effects.ignoresPage)
        let population = self.population
        let seed = query.seed ?? String(configuration.random(), radix: 16)
        let page = UsersPage(
            query: query, seed: seed, people: people(population, query, seed: seed),
            writer: PersonWriter(fields: query.fields, base: base))
        var body = page.body(effects)
        if query.isPretty { body = body.pretty() }
        let headers: HTTPHeaders = [
            "content-type": "application/json; charset=utf-8", "access-control-allow-origin": "*",
            "cache-control": "no-cache",
        ]
        let edition = population.edition(of: query.start..<query.start + query.results)
        return (Reply(.ok, headers, body), query.seed == nil ? nil : edition)
    }

    private func people(_ population: Population, _ query: UsersQuery, seed: String) -> People {
        People(population, seed: seed, query, hard: configuration.hard)
    }

    /// The people of the same `seed`, `nat` and `gender` as those of `/api`.
    private func directory(_ request: Request, _ effects: FaultEffects) -> (Reply, edition: Int?) {
        guard tokens.allows(request) else { return (Directory.unauthorized(), nil) }
        let query = UsersQuery(request.parameters, maxResults: 1)
        let population = self.population
        let directory = Directory(
            request: request, settings: tokens.settings,
            people: people(population, query, seed: query.seed ?? "999"), base: base, effects: effects)
        return (directory.reply(), population.edition)
    }

    private func fact(_ request: Request, _ effects: FaultEffects) -> Reply {
        let fitting = CatFact.fitting(facts, maxLength: request.parameters["max_length"].flatMap { Int($0) })
        if fitting.isEmpty || effects.outcome == .empty { return Reply(.ok, factHeaders(), Body("{}")) }
        let fact = fitting[Int(configuration.random() % UInt64(fitting.count))]
        return Reply(.ok, factHeaders(), Body(fact.json))
    }

    private func factsPage(_ request: Request, _ effects: FaultEffects) -> Reply {
        let facts = effects.outcome == .empty ? [] : facts
        let json = FactsPage(request.parameters, ignoresPage: effects.ignoresPage).json(
            facts, grows: effects.lastPageGrows, path: "\(base)/facts")
        return Reply(.ok, factHeaders(), Body(json))
    }

    /// The remaining number counts from 99 to 0 and starts again; it is not enforced.
    private func factHeaders() -> HTTPHeaders {
        let used = state.withLock { state in
            state.factRequests = state.factRequests % 100 + 1
            return state.factRequests
        }
        return [
            "content-type": "application/json", "cache-control": "no-cache, private",
            "x-ratelimit-limit": "100",
            "x-ratelimit-remaining": String(100 - used), "access-control-allow-origin": "*",
            "set-cookie": "XSRF-TOKEN=demo; Max-Age=7200; path=/; samesite=lax",
            "Set-Cookie": "catfacts_session=demo; Max-Age=7200; path=/; httponly; samesite=lax",
        ]
    }

    private func portrait(_ request: Request) -> Reply? {
        Portrait(path: request.path).map { Reply(.ok, ["content-type": "image/png"], Body($0.png())) }
    }

    private func notFound() -> Reply {
        Reply(.notFound, .json, Body(#"{"message":"Not Found","code":404}"#))
    }
}
