import FoundationEssentials
import Model

extension UsersService {
    /// Users from an upstream of that format.
    ///
    /// - Parameters:
    ///   - bearerToken: read for each request, and sent to the origin of the settings' address alone.
    ///   - secrets: what messages may not tell, whoever has said it.
    ///   - now: to understand dates in `Retry-After`.
    package static func live(
        _ format: UpstreamFormat<User> = .randomuser, transport: HTTPTransport, settings: UpstreamSettings,
        bearerToken: @escaping @Sendable () throws -> String? = { nil },
        secrets: SecretMemory = SecretMemory(),
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> UsersService {
        let upstream = Upstream(transport: transport, bearerToken: bearerToken, secrets: secrets, now: now)
        return UsersService(fetchPage: {
            try await upstream.fetchPage($0, of: format, settings, known: $1)
        })
    }
}
