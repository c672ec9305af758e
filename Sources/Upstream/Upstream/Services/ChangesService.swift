import HTTP
import Model

/// Says what changed in a directory since a list of it. Failures are thrown as `UpstreamError`.
package struct ChangesService: Sendable {
    /// A digest of all that a list depends on, besides the directory.
    package var fingerprint: String
    /// Why these settings allow no changes, for people; nil if they do.
    package var obstacle: String?
    /// Asks where the changes after the present begin, before a list is read; nil if the list's last page says it.
    package var begin: @Sendable () async throws -> String?
    /// Whether the last page of a list has a token that takes the place of the one before it. If not, it is only for a
    /// directory without a token, and a list without one shows that there are no changes to be had.
    package var isTokenRenewedByLists = true
    /// Whether the changes name who came and went. If not, lists are not compared with them in that.
    package var namesAll = true
    /// Fetches a page of the changes after a token.
    package var fetchPage: FetchChanges

    package init(
        fingerprint: String, obstacle: String? = nil,
        begin: @escaping @Sendable () async throws -> String? = { nil }, fetchPage: @escaping FetchChanges
    ) {
        (self.fingerprint, self.obstacle, self.begin, self.fetchPage) = (
            fingerprint, obstacle, begin, fetchPage
        )
    }
}

/// - Parameter stamps: the stamps of the cached records with these ids, or with these digests of ids that are left out.
package typealias FetchChanges =
    @Sendable (
        _ token: String, PageRequest, _ stamps: @Sendable ([String]) async throws -> [String: String]
    ) async throws -> Page<User>

/// Thrown if it can't be told what changed since a token, although the directory takes tokens: another server of it answers, or
/// too much changed. The full list tells. The reason is for people.
package struct ChangesUnknown: Error {
    package var reason: String

    package init(_ reason: String) { self.reason = reason }
}

extension Upstream {
    /// The changes of the list that `pages` reads.
    func changes(
        _ changes: ChangesReader, of pages: PageReader<UpstreamUserReader>, identity: String
    ) throws -> ChangesService {
        let key = try pages.key(of: pages.request(.first), now: Timestamp(milliseconds: 0))
        return ChangesService(
            fingerprint: Digest.changesKey(key, identity: identity), obstacle: changes.obstacle,
            begin: {
                guard let (reader, page) = changes.beginning else { return nil }
                let token = try await fetchPage(page, with: reader, known: nil).changeToken
                guard let token else {
                    throw UpstreamError(.decode, "upstream does not say where changes begin")
                }
                return token
            },
            fetchPage: { token, page, _ in
                let (reader, page) = changes.request(after: token, page)
                return try await fetchPage(page, with: reader, known: nil)
            })
    }
}
