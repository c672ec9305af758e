import Model

/// Who userd says it is to an upstream (RFC 9110, section 11.6.2).
package struct Authorization: Sendable {
    package var scheme = "Bearer"
    /// Nil for none. Throws `UpstreamError`.
    /// - Parameter refused: the token that upstream has answered 401 to. The same again says that there is no other.
    package var token: @Sendable (_ refused: String?) async throws -> String?
    /// Further headers, with secrets of any kind. Throws `UpstreamError`.
    package var headers: @Sendable () throws -> HTTPHeaders = { [:] }

    package init(
        scheme: String = "Bearer", token: @escaping @Sendable (_ refused: String?) async throws -> String?
    ) {
        self.scheme = scheme
        self.token = token
    }

    package static let none = Authorization { _ in nil }

    /// What follows the scheme, for messages.
    package static func noun(_ scheme: String) -> String { scheme == "Basic" ? "password" : "token" }

    /// A token from a file or the like, read each time: it may change while userd runs.
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
