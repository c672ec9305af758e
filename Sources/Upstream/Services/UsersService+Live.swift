import FoundationEssentials
import Model

extension UsersService {
    /// Users from an upstream of that format.
    ///
    /// - Parameters:
    ///   - bearerToken: read for each request, and sent only to the origin of the settings' address.
    ///   - token: removed from messages.
    ///   - recorder: records each exchange; nil for no recording.
    ///   - now: for dates in `Retry-After`.
    package static func live(
        _ format: UpstreamFormat<User> = .randomuser, transport: HTTPTransport, settings: UpstreamSettings,
        bearerToken: @escaping @Sendable () throws -> String? = { nil },
        token: OwnToken = OwnToken(), recorder: Recorder? = nil,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> UsersService {
        let upstream = Upstream(
            transport: transport, bearerToken: bearerToken, token: token, recorder: recorder, now: now)
        return UsersService(fetchPage: {
            try await upstream.fetchPage($0, of: format, settings, known: $1)
        })
    }
}
