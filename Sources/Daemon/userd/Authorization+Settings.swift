import FoundationEssentials
import Logging
import Model
import Services
import Settings

extension Authorization {
    /// As the settings of users say: with a token from a file, or from an endpoint.
    ///
    /// - Parameters:
    ///   - transport: to the endpoint.
    ///   - own: learns all secrets, those of proxies included.
    init(
        _ settings: Settings, transport: HTTPTransport, own: OwnToken,
        now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) throws {
        @Sendable func read(_ use: Secret.Use, _ path: String) throws -> String {
            let (secret, warnings) = try Secret.read(use, fromFile: path)
            for warning in warnings { logger.warning("\(warning)") }
            return secret.value
        }
        let (users, oauth) = (settings.users, settings.users.oauth)
        let scheme = users.tokenScheme
        if let endpoint = oauth.tokenURL, let client = oauth.clientID, let path = oauth.clientSecretFile {
            self = .clientCredentials(
                ClientCredentials(
                    endpoint: try url(endpoint), client: client, secret: { try read(.clientSecret, path) },
                    scope: oauth.scope, method: oauth.auth == .basic ? .basic : .post),
                scheme: scheme, transport: transport, own: own, now: now)
        } else if let path = users.tokenFile {
            self = .token(scheme: scheme) { try read(.token, path) }
        } else {
            self = .none
        }
    }
}
