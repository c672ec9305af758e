import Model

/// The collection of facts, from upstream. Failures are thrown as `UpstreamError`.
package struct FactsService: Sendable {
    package var fetchPage: FetchPage<NewFact>
    package var fetchOne: @Sendable () async throws -> NewFact
    /// See `PageReader`.
    package var requiresConsistentPages = false
    /// See `UsersService`.
    package var source: String?

    package init(
        fetchPage: @escaping FetchPage<NewFact>, fetchOne: @escaping @Sendable () async throws -> NewFact
    ) {
        self.fetchPage = fetchPage
        self.fetchOne = fetchOne
    }
}
