import FoundationEssentials
import HTTP
import Model

/// The organisation's users, from upstream. Failures are thrown as `UpstreamError`.
package struct UsersService: Sendable {
    package var fetchPage: FetchPage<User>
    /// See `PageReader`.
    package var requiresConsistentPages = false
    /// Whether a failed page can be requested again. If not, pages belong to a connection, and the list
    /// begins again.
    package var canRetryPages = true
    /// Identifies the directory: the format and the address without its query, such as `scim https://idp.example:443/Users`.
    package var source = ""

    /// Nil if the directory can't say what changed.
    package var changes: ChangesService?

    /// Called if a person asks for a sync, before it begins.
    package var onManualSync: @Sendable () -> Void = {}

    package init(fetchPage: @escaping FetchPage<User>) {
        self.fetchPage = fetchPage
    }

    package static let mockSource = "mock"

    package static func source(format: String, _ url: URL) -> String {
        "\(format) \(HTTPOrigin(url)?.text ?? "")\(url.path(percentEncoded: true))"
    }
}
