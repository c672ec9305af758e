import Model

/// The organisation's users, from upstream. What goes wrong is thrown as an `UpstreamError`.
package struct UsersService: Sendable {
    package var fetchPage: @Sendable (PageRequest) async throws -> Page<User>

    package init(fetchPage: @escaping @Sendable (PageRequest) async throws -> Page<User>) {
        self.fetchPage = fetchPage
    }
}
