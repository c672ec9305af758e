import FoundationEssentials
import HTTP
import Model

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
        let settled = SettledFormat(probe)
        let usual: FetchPage<User> = { page, known in
            try await upstream.fetchPage(page, of: format, settings, known: known)
        }
        var service = UsersService(fetchPage: { page, known in
            var first: PageAnswer<User>?
            // A wrong password is sent once: to the list, whose answer shows whether it is right.
            if authorization.login != nil, !settled.isSettled, page.number == 1 {
                do { first = try await usual(page, known) } catch let error as UpstreamError
                    where error.failure.httpStatus.map(HTTPResponse.showsAccess)
                    ?? (error.failure.kind == .decode)
                {}
            }
            guard let other = try await settled.other(page, from: upstream) else {
                return if let first { first } else { try await usual(page, known) }
            }
            return try await upstream.fetchPage(page, of: other.format, other.settings, known: known)
        })
        service.onManualSync = authorization.personAsks
        service.requiresConsistentPages = format.requiresConsistentPages
        service.source = UsersService.source(format: format.name, settings.url)
        return service
    }
}
