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
        let (users, oauth) = (settings.users, settings.users.oauth)
        let scheme = users.tokenScheme
        if let endpoint = oauth.tokenURL, let client = oauth.clientID, let path = oauth.clientSecretFile {
            self = .clientCredentials(
                ClientCredentials(
                    endpoint: try url(endpoint), client: client,
                    secret: Secret.reader(.clientSecret, path, logger), scope: oauth.scope,
                    method: oauth.auth == .basic ? .basic : .post),
                scheme: scheme, transport: transport, own: own, now: now)
        } else if let path = users.tokenFile {
            self = .token(scheme: scheme, Secret.reader(.token, path, logger))
        } else {
            self = .none
        }
    }
}

extension Secret {
    /// Reads the file each time. What is wrong with its mode is told at once, and only then.
    static func reader(_ use: Use, _ path: String, _ logger: Logger) -> @Sendable () throws -> String {
        for warning in (try? read(use, fromFile: path))?.warnings ?? [] { logger.warning("\(warning)") }
        return { try read(use, fromFile: path).secret.value }
    }
}
