import FoundationEssentials
import HTTP
import Model

extension UsersService {
    /// Users from an upstream of that format.
    ///
    /// - Parameters:
    ///   - pages: requests and reads the list.
    ///   - changes: requests and reads what changed since; nil if the directory can't say it.
    ///   - identity: who asks; changes of another one's list are not taken.
    ///   - probe: sent once, before the first page.
    ///   - authorization: called for each request; its secrets are sent only to the origin of the list's
    ///     address.
    ///   - redactor: removes secrets from messages.
    ///   - recorder: records each exchange; nil for no recording.
    ///   - now: for dates in `Retry-After`.
    package static func live(
        _ pages: PageReader<UpstreamUserReader>, changes: ChangesReader? = nil, identity: String = "",
        probe: ServiceProviderConfig? = nil,
        transport: HTTPTransport, authorization: Authorization = .none,
        redactor: SecretRedactor = SecretRedactor(), recorder: Recorder? = nil,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> UsersService {
        let upstream = Upstream(
            transport: transport, authorization: authorization, redactor: redactor, recorder: recorder,
            now: now)
        redactor.learn(words: pages.settings.body?.words ?? [])
        let settled = SettledReader(pages, probe)
        var service = UsersService(fetchPage: { page, known in
            var first: Page<User>?
            // A wrong password is sent once: to the list, whose answer shows whether it is right.
            if authorization.login != nil, !settled.isSettled, page.number == 1 {
                do {
                    first = try await upstream.fetchPage(page, with: pages, known: known)
                } catch let error as UpstreamError
                    where error.failure.httpStatus.map(HTTPResponse.showsAccess)
                    ?? (error.failure.kind == .decode)
                {}
            }
            let other = try await settled.other(page, from: upstream)
            if other == nil, let first { return first }
            return try await upstream.fetchPage(page, with: other ?? pages, known: known)
        })
        service.changes = try? changes.map { try upstream.changes($0, of: pages, identity: identity) }
        service.onManualSync = authorization.personAsks
        service.requiresConsistentPages = pages.requiresConsistentPages
        service.source = UsersService.source(format: pages.format.name, pages.settings.url)
        return service
    }
}
