import Model

/// The collection of facts, from upstream. Failures are thrown as `UpstreamError`.
package struct FactsService: Sendable {
    package var fetchPage: FetchPage<NewFact>
    package var fetchOne: @Sendable () async throws -> NewFact
    /// See `UpstreamFormat`.
    package var isStrict = false
    /// See `UsersService`.
    package var source: String?

    package init(
        fetchPage: @escaping FetchPage<NewFact>, fetchOne: @escaping @Sendable () async throws -> NewFact
    ) {
        self.fetchPage = fetchPage
        self.fetchOne = fetchOne
    }

    /// From an upstream that sends every page each time.
    package init(
        fetchPage: @escaping @Sendable (PageRequest) async throws -> Page<NewFact>,
        fetchOne: @escaping @Sendable () async throws -> NewFact
    ) {
        self.init(fetchPage: { page, _ in .page(try await fetchPage(page)) }, fetchOne: fetchOne)
    }
}

/// A fact from upstream; the cache adds when it was first seen.
package struct NewFact: Hashable, Sendable, Identifiable {
    /// A digest of the text.
    package var id: String
    package var text: String
    /// In characters, counted here.
    package var length: Int

    package init(id: String, text: String, length: Int) {
        self.id = id
        self.text = text
        self.length = length
    }

    /// Computes ID and length.
    package init(text: String) {
        self.init(id: Digest.factID(text), text: text, length: text.count)
    }
}
