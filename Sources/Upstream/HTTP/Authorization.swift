import Model

/// The credentials that userd sends to an upstream (RFC 9110, section 11.6.2).
package struct Authorization: Sendable {
    package var scheme = "Bearer"
    /// The token; nil for none. Throws `UpstreamError`.
    /// - Parameter refused: the token that upstream answered 401 to. Returning it again means that there is
    ///   no other.
    package var token: @Sendable (_ refused: String?) async throws -> String?
    /// Further headers, with secrets of any kind. Throws `UpstreamError`.
    package var headers: @Sendable () throws -> HTTPHeaders = { [:] }
    /// A login with this password, if it is one that the settings name.
    package var login: (@Sendable (_ password: String) -> Login)?
    package var personAsks: @Sendable () -> Void = {}

    package init(
        scheme: String = "Bearer", token: @escaping @Sendable (_ refused: String?) async throws -> String?
    ) {
        self.scheme = scheme
        self.token = token
    }

    package static let none = Authorization { _ in nil }

    /// What messages call the secret that follows the scheme.
    package static func noun(_ scheme: String) -> String { scheme == "Basic" ? "password" : "token" }

    /// Reads the token for each request, because it may change while userd runs.
    package static func token(
        scheme: String = "Bearer", _ read: @escaping @Sendable () throws -> String
    ) -> Authorization {
        Authorization(scheme: scheme) { _ in
            do { return try read() } catch {
                throw UpstreamError(
                    .credentials, "there is no \(noun(scheme)) for users.url: \("\(error)".shown(upTo: 300))")
            }
        }
    }
}
