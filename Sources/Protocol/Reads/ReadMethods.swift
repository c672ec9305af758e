import Cache
import FoundationEssentials
import Model
import StrictJSON
import UserdAPI
import Varlink

/// The methods of io.userd that only need the cache: for the daemon, and for `userctl` without one.
package struct ReadMethods: Sendable {
    private let cache: CacheReader

    package init(_ cache: CacheReader) { self.cache = cache }

    /// The reply's parameters; nil if the method is not one of these. Throws `VarlinkError`.
    ///
    /// - Parameter method: without `io.userd.`.
    package func answer(_ method: String, _ parameters: [UInt8]) async throws -> [UInt8]? {
        try await translatingErrors {
            switch method {
            case .listUsers:
                try await users(try decoded(ListUsers.self, from: parameters)).reply
            case .getUser:
                try found("user", try await user(decoded(GetUser.self, from: parameters)))
            case .listManagers:
                try chain(try await cache.managers(of: decoded(ListManagers.self, from: parameters).key))
            case .listReports:
                try await tree(decoded(ListReports.self, from: parameters))
            case .getPicture:
                try encoded(PictureReply(try await found(decoded(GetPicture.self, from: parameters)).picture))
            case .listFacts:
                try await facts(try decoded(ListFacts.self, from: parameters)).reply
            case .randomFact:
                try found(
                    "fact", try await cache.randomFact(decoded(RandomFact.self, from: parameters).maxLength))
            case .history:
                try await history(try decoded(History.self, from: parameters))
            default: nil
            }
        }
    }

    /// Throws `VarlinkError`.
    package func users(_ query: UserQuery) async throws -> ListReply {
        try await translatingErrors { try ListReply("users", try await cache.users(query)) }
    }

    package func facts(_ query: FactQuery) async throws -> ListReply {
        try await translatingErrors { try ListReply("facts", try await cache.facts(query)) }
    }

    /// The cached picture. Throws `VarlinkError`.
    package func found(_ parameters: GetPicture) async throws -> FoundPicture {
        try await translatingErrors { try await cache.picture(parameters.key, parameters.size) }
    }

    /// Whether users were ever synced. Throws `VarlinkError`, as the next three do.
    package func hasSyncedUsers() async throws -> Bool {
        try await translatingErrors { try await cache.resources()[.users]?.state.syncedAt != nil }
    }

    package func bookChangeToken() async throws -> String {
        try await translatingErrors { try await cache.bookChangeToken() }
    }

    package func book(_ query: BookQuery) async throws -> BookIndex {
        try await translatingErrors { try await cache.book(query) }
    }

    /// The cards of these users, in the order of their ids; those who are not in the book are left out.
    package func cards(of ids: [String], _ query: BookQuery) async throws -> [BookCard] {
        try await translatingErrors { try await cache.cards(ids, query) }
    }

    private func user(_ parameters: GetUser) async throws -> FoundRecord {
        try await cache.user(parameters.key, parameters.kinds)
    }

    private func found(_ name: String, _ found: FoundRecord) throws -> [UInt8] {
        StrictJSON.object([(name, found.record), ("freshness", try encoded(found.freshness))])
    }

    private func chain(_ found: FoundChain) throws -> [UInt8] {
        StrictJSON.object([
            ("user", found.record), ("managers", array(found.managers)), ("end", try encoded(found.end)),
            ("named", try encoded(found.isNamed)), ("freshness", try encoded(found.freshness)),
        ])
    }

    private func tree(_ parameters: ListReports) async throws -> [UInt8] {
        let found = try await cache.tree(
            of: parameters.key, depth: parameters.depth, limit: parameters.limit)
        let positions = try found.positions.map { position in
            StrictJSON.object([
                ("user", position.record), ("depth", try encoded(position.depth)),
                ("reports", try encoded(position.reports)),
            ])
        }
        return StrictJSON.object([
            ("positions", array(positions)), ("total", try encoded(found.total)),
            ("named", try encoded(found.isNamed)), ("freshness", try encoded(found.freshness)),
        ])
    }

    private func array(_ elements: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    private func history(_ parameters: History) async throws -> [UInt8] {
        let limit = parameters.limit ?? 100
        guard limit > 0 else { throw CacheError.invalidParameter("limit") }
        return try encoded(
            States(states: try await cache.history(parameters.resource, min(limit, History.most))))
    }
}

/// One reply of a list, with the next page's cursor. Records are copied from the cache without decoding.
package struct ListReply: Sendable {
    package let reply: [UInt8]
    package let next: String?

    init(_ name: JSONName, _ page: consuming StoredPage) throws {
        let (next, total) = (page.next, page.total)
        let near = try page.near.map { try encoded($0) }
        let freshness = try page.freshness.map { try encoded($0) }
        let writer = JSONObjectWriter(name, of: page.takeRecords()) { json in
            if let freshness { json.member("freshness", json: freshness) }
            if let near { json.member("near", json: near) }
            json.member("next", next)
            json.member("total", total)
        }
        reply = writer.json
        self.next = next
    }
}

extension PictureReply {
    /// - Parameter picture: nil for the placeholder, a grey silhouette.
    package init(_ picture: FetchedPicture?) {
        self.init(
            content: Data(picture?.content ?? PackageResources.placeholder_png).base64EncodedString(),
            contentType: picture?.contentType ?? "image/png", placeholder: picture == nil)
    }
}
