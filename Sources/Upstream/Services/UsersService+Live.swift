import DirectoryFormats
import FoundationEssentials
import HTTP
import Model
import Recordings

extension UsersService {
    /// Users from an upstream of that format.
    ///
    /// - Parameters:
    ///   - probe: sent once, before the first page.
    ///   - authorization: called for each request; its secrets are sent only to the origin of the settings'
    ///     address.
    ///   - redactor: removes secrets from messages.
    ///   - recorder: records each exchange; nil for no recording.
    ///   - now: for dates in `Retry-After`.
    package static func live(
        _ format: UpstreamFormat<User>, probe: FormatProbe<User>? = nil,
        transport: HTTPTransport, settings: UpstreamSettings,
        authorization: Authorization = .none,
        redactor: SecretRedactor = SecretRedactor(), recorder: Recorder? = nil,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> UsersService {
        let upstream = Upstream(
            transport: transport, authorization: authorization, redactor: redactor, recorder: recorder,
            now: now)
        redactor.learn(words: settings.body?.words ?? [])
        let settled = SettledFormat((format, settings), probe)
        var service = UsersService(fetchPage: { page, known in
            let listing = try await settled.listing(page, from: upstream)
            return try await upstream.fetchPage(page, of: listing.format, listing.settings, known: known)
        })
        service.requiresConsistentPages = format.requiresConsistentPages
        service.source = UsersService.source(format: format.name, settings.url)
        return service
    }
}
