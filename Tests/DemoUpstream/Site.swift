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
        var requests: [RequestRecord] = []
        /// Number of 304 answers to conditional requests.
        var unchanged = 0
        var observers: [AsyncStream<RequestRecord>.Continuation] = []
    }

    let state: Mutex<State>
    /// `http://127.0.0.1:8080`
    private let base: String
    /// Number of facts.
    private let facts: Int
    private let token: String?

    init(_ configuration: DemoUpstream.Configuration, base: String) {
        state = Mutex(State(population: Population(size: configuration.users)))
        (facts, token, self.base) = (configuration.facts, configuration.token, base)
    }

    func answer(_ request: Request) -> (Reply, FaultEffects) {
        // Without faults, and not in the log.
        var none: [Fault] = []
        if request.path == "/control/edit" { return (edit(request), FaultEffects(from: &none, path: "")) }
        let record = RequestRecord(request)
        let (effects, population) = state.withLock { state in
            if state.requests.count == Self.mostRequests { state.requests.removeFirst(Self.mostRequests / 2) }
            state.requests.append(record)
            for observer in state.observers { observer.yield(record) }
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

    /// With what faults change in lists.
    private func properReply(to request: Request, _ population: Population, _ effects: FaultEffects) -> Reply
    {
        guard request.method == .GET || request.method == .HEAD else {
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
                var reply = DirectoryList.failure(request, .unauthorized, "the token is missing or wrong")
                reply.headers.add(
                    name: "www-authenticate", value: #"Bearer realm="demo", error="invalid_token""#)
                return reply
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
        guard let token else { return true }
        let parts = request.headers.first(name: "authorization")?.split(separator: " ", maxSplits: 1) ?? []
        // SSWS is Okta's scheme.
        return parts.count == 2 && ["bearer", "ssws"].contains(parts[0].lowercased()) && parts[1] == token
    }

    /// Adds the validators (RFC 9110, section 8.8) that the faults ask for, which follow from the content; makes the
    /// reply a 304 if the client has this version.
    private func addVersion(to reply: inout Reply, _ request: Request, _ effects: FaultEffects) {
        let hash = SplitMix64.key(of: reply.body.joined().readableBytesView)
        let etag = "\"\(String(hash, radix: 16))\""
        let lastModified = httpDate(978_307_200 + Int(hash % 100_000_000))
        let known = request.headers[canonicalForm: "if-none-match"]
        let isKnown =
            known.isEmpty
            ? effects.has(.lastModified) && request.headers.first(name: "if-modified-since") == lastModified
            : effects.has(.etag) && known.contains { $0 == "*" || $0 == etag || $0 == "W/" + etag }
        if isKnown {
            reply = Reply(.notModified)
            state.withLock { $0.unchanged += 1 }
        }
        if effects.has(.etag) { reply.headers.add(name: "etag", value: etag) }
        if effects.has(.lastModified) {
            reply.headers.add(contentsOf: ["last-modified": lastModified, "date": httpDate(time(nil))])
        }
    }

    private func edit(_ request: Request) -> Reply {
        do {
            let lists = try JSONDecoder().decode(
                [String: [Int]].self, from: Data(request.body.readableBytesView))
            let edit = Edit(
                changed: lists["changed"].map { .records($0) },
                removed: lists["removed"].map { .records($0) },
                inactive: lists["inactive"].map { .records($0) })
            try state.withLock { try $0.population.apply(edit) }
            return .json("{}")
        } catch {
            return .json(#"{"error":\#("\(error)".jsonQuoted)}"#, .badRequest)
        }
    }

    private static let mostRequests = 20_000
}

/// A request without its body.
package struct RequestRecord: Sendable {
    /// With the query, as sent.
    package let uri: String
    /// Without the query and a final slash.
    package let path: String
    /// Names are in lower case. Of several with a name, the last.
    package let headers: [String: String]

    init(_ request: Request) {
        (uri, path) = (request.uri, request.path)
        headers = Dictionary(request.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
///
/// - Parameter seconds: since 1970.
private func httpDate(_ seconds: Int) -> String {
    var (parts, text) = (utc(seconds), [CChar](repeating: 0, count: 40))
    strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
