import Model

/// The organisation's users, from upstream. Failures are thrown as `UpstreamError`.
package struct UsersService: Sendable {
    package var fetchPage: FetchPage<User>

    package init(fetchPage: @escaping FetchPage<User>) {
        self.fetchPage = fetchPage
    }

    /// From an upstream that sends every page each time.
    package init(fetchPage: @escaping @Sendable (PageRequest) async throws -> Page<User>) {
        self.fetchPage = { page, _ in .page(try await fetchPage(page)) }
    }
}
