import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import Synchronization

/// The state of the upstream: its content, the faults and the log of requests.
final class Site: Sendable {
    struct State {
        var population: Population
        var faults: [Fault] = []
        /// Newest last.
        var requests: [Request] = []
        var unchanged = 0
        var observers: [AsyncStream<Request>.Continuation] = []
    }

    let state: Mutex<State>
    private let base: String
    private let facts: Int
    private let token: String?

    init(_ configuration: DemoUpstream.Configuration, base: String) {
        state = Mutex(State(population: Population(size: configuration.users)))
        (facts, token, self.base) = (configuration.facts, configuration.token, base)
    }

    func answer(_ request: Request) -> (Reply, FaultEffects) {
        // Edits have no faults, and are not in the log.
        var none: [Fault] = []
        if request.path == "/control/edit" { return (edit(request), FaultEffects(from: &none, path: "")) }
        let (effects, population) = state.withLock { state in
            if state.requests.count == 20_000 { state.requests.removeFirst(10_000) }
            state.requests.append(request)
            for observer in state.observers { observer.yield(request) }
            return (FaultEffects(from: &state.faults, path: request.path), state.population)
        }
        return (reply(to: request, population, effects), effects)
    }

    private func reply(to request: Request, _ population: Population, _ effects: FaultEffects) -> Reply {
        switch effects.answer {
        case .rubbish:
            let page = "<!DOCTYPE html>\n<title>Sign in</title>\n<p>Sign in to use this network.\n"
            return Reply(.ok, ["content-type": "text/html; charset=utf-8"], Body(page))
        case .status(let code, let retryAfter, let body):
            let status = HTTPResponseStatus(statusCode: code)
            var reply = Reply.json(body ?? #"{"message":"\#(status.reasonPhrase)","code":\#(code)}"#, status)
            if let retryAfter { reply.headers.add(name: "retry-after", value: retryAfter) }
            return reply
        case .errorBody(let body) where body != .afterRecords:
            return .json(body.json, body == .rateLimit ? .tooManyRequests : .ok)
        case .redirect(let location, let code):
            return Reply(HTTPResponseStatus(statusCode: code), ["location": location])
        case .endless:
            let blanks = ByteBuffer(repeating: UInt8(ascii: " "), count: Body.pieceSize)
            return Reply(
                .ok, ["content-type": "application/json"], .endless(ByteBuffer(string: "[\n"), then: blanks))
        case .gzipBomb:
            return Reply(.ok, ["content-type": "application/json", "content-encoding": "gzip"], .gzipBomb)
        default: break
        }
        var reply = properReply(to: request, population, effects)
        if reply.status == .ok, effects.has(.etag) || effects.has(.lastModified) {
            addVersion(to: &reply, request, effects)
        }
        if effects.has(.gzip), reply.mayHaveBody {
            reply.headers.replaceOrAdd(name: "content-encoding", value: "gzip")
            reply.body = Body(gzipped([reply.body.joined()])[0])
        }
        return reply
    }

    private func properReply(to request: Request, _ population: Population, _ effects: FaultEffects) -> Reply
    {
        let isPosted = isWithin(request.path, "/directory") && request.method == .POST
        guard isPosted || [.GET, .HEAD].contains(request.method) else {
            return Reply(.methodNotAllowed, ["allow": "GET, HEAD"])
        }
        switch request.path {
        case "/api", "/api/1.4": return usersReply(request, population, base: base, effects)
        case "/fact": return .json(CatFact.fitting(facts, request, effects).randomElement()?.json ?? "{}")
        case "/facts":
            let facts = CatFact.fitting(facts, request, effects)
            return CatFact.page(of: facts, url: "\(base)/facts", request, effects)
        case let path where isWithin(path, "/scim") || isWithin(path, "/directory"):
            guard allows(request) else {
                return .json(#"{"detail":"the token is missing or wrong"}"#, .unauthorized)
            }
            let people = People(population, request, seed: request.parameters["seed"] ?? "999", base: base)
            return DirectoryList.reply(to: request, people, base: base, effects)
        default:
            guard let portrait = Portrait(path: request.path) else {
                return .json(#"{"message":"Not Found","code":404}"#, .notFound)
            }
            return Reply(.ok, ["content-type": "image/png"], Body(portrait.png()))
        }
    }

    private func allows(_ request: Request) -> Bool {
        guard let token, request.headers["x-api-key"] != token else { return true }
        let parts = request.headers["authorization"]?.split(separator: " ", maxSplits: 1) ?? []
        return parts.count == 2 && ["bearer", "ssws"].contains(parts[0].lowercased()) && parts[1] == token
    }

    /// Adds the validators (RFC 9110, section 8.8) that the faults ask for, calculated from the content;
    /// makes the reply a 304 if the client has this version.
    private func addVersion(to reply: inout Reply, _ request: Request, _ effects: FaultEffects) {
        let hash = SplitMix64.key(of: reply.body.joined().readableBytesView)
        let etag = "\"\(String(hash, radix: 16))\""
        // RFC 9110, section 5.6.7.
        let format = "%a, %d %b %Y %T GMT"
        let lastModified = formatted(978_307_200 + Int(hash % 100_000_000), format)
        let isKnown =
            request.headers["if-none-match"].map { effects.has(.etag) && $0.contains(etag) }
            ?? (effects.has(.lastModified) && request.headers["if-modified-since"] == lastModified)
        if isKnown {
            reply = Reply(.notModified)
            state.withLock { $0.unchanged += 1 }
        }
        if effects.has(.etag) { reply.headers.add(name: "etag", value: etag) }
        if effects.has(.lastModified) {
            reply.headers.add(contentsOf: [
                "last-modified": lastModified, "date": formatted(time(nil), format),
            ])
        }
    }

    private func edit(_ request: Request) -> Reply {
        do {
            let lists = try JSONDecoder().decode(
                [String: [Int]].self, from: Data(request.body.readableBytesView))
            let (changed, inactive) = (lists["changed"] ?? [], lists["inactive"] ?? [])
            let edit = Edit(changed: .records(changed), inactive: .records(inactive))
            try state.withLock { try $0.population.apply(edit) }
            return .json("{}")
        } catch {
            return .json(#"{"error":\#("\(error)".jsonQuoted)}"#, .badRequest)
        }
    }
}
