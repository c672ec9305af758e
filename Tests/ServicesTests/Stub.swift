import Foundation
import HTTP
import Model
import Synchronization
import Testing
import Upstream

/// A transport that answers from a table and remembers its requests.
final class Stub: Sendable {
    private let requests = Mutex<[HTTPRequest]>([])
    private let answer: @Sendable (HTTPRequest) throws -> HTTPResponse

    init(_ answer: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse) {
        self.answer = answer
    }

    convenience init(_ body: String, status: Int = 200, headers: HTTPHeaders = [:]) {
        self.init { _ in HTTPResponse(status: status, headers: headers, body: Array(body.utf8)) }
    }

    var transport: HTTPTransport {
        HTTPTransport { request in
            self.requests.withLock { $0.append(request) }
            return try self.answer(request)
        }
    }

    var asked: [HTTPRequest] { requests.withLock { $0 } }
    var addresses: [String] { asked.map(\.url.absoluteString) }
}

let api = URL(string: "https://users.example/api/")!
let now = Timestamp(rfc3339: "2026-01-02T03:04:05Z")!

/// Read the lists of randomuser.me and catfact.ninja.
func randomuser(_ settings: UpstreamSettings) -> PageReader<UpstreamUserReader> {
    .users(builtIn("randomuser"), settings, now: { now })
}
func catfact(_ settings: UpstreamSettings) -> PageReader<FactReader> { .facts(builtIn("catfact"), settings) }

private func builtIn(_ name: String) -> DirectoryFormat {
    do { return try .builtIn(name) } catch { preconditionFailure("\(error)") }
}

extension UsersService {
    static func stubbed(
        _ stub: Stub, url: URL = api, query: String = "", pageSize: Int = 2, pages: Int? = 1,
        authorization: Authorization = .none
    ) -> UsersService {
        .live(
            randomuser(UpstreamSettings(url: url, query: query, pageSize: pageSize, pages: pages)),
            transport: stub.transport,
            authorization: authorization, now: { now })
    }
}

extension FactsService {
    static func stubbed(_ stub: Stub, url: String = "https://facts.example/facts", pages: Int? = nil)
        -> FactsService
    {
        .live(
            catfact(UpstreamSettings(url: URL(string: url)!, pageSize: 3, pages: pages)),
            transport: stub.transport,
            one: URL(string: "https://facts.example/fact?max_length=90")!, now: { now })
    }
}

extension UsersService {
    /// The page, with nothing known of it.
    func fetchPage(_ page: PageRequest) async throws -> Page<User> {
        try await fetchPage(page, nil).whole
    }
}

extension FactsService {
    func fetchPage(_ page: PageRequest) async throws -> Page<NewFact> {
        try await fetchPage(page, nil).whole
    }
}

extension Page {
    /// The page without its versions.
    var unversioned: Page {
        var page = self
        page.known = nil
        return page
    }

    var isUnchanged: Bool { change == .unchanged }

    var whole: Page {
        get throws {
            if change == .read { self } else { throw Unexpected() }
        }
    }
}

private struct Unexpected: Error {}

/// The users of the first page that has this body.
func users(_ body: String) async throws -> [User] {
    try await UsersService.stubbed(Stub(body)).fetchPage(.first).records
}

/// The one user whose members are these.
func user(_ members: String) async throws -> User {
    try #require(await users(#"{"results": [{\#(members)}]}"#).first)
}

/// The error that the work throws.
func thrown<Value>(_ work: () async throws -> Value) async throws -> UpstreamError {
    try #require(await #expect(throws: UpstreamError.self) { _ = try await work() })
}
