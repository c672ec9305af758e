import FoundationEssentials
import HTTP
import Model

extension FactsService {
    /// Facts from an upstream of that format.
    ///
    /// - Parameters:
    ///   - one: the address of a single fact, a new one each time; nil if upstream has no such address.
    ///   - redactor: removes secrets from messages.
    ///   - recorder: records each exchange; nil for no recording.
    ///   - now: for dates in `Retry-After`.
    package static func live(
        _ pages: PageReader<FactReader>, transport: HTTPTransport, one: URL?,
        redactor: SecretRedactor = SecretRedactor(), recorder: Recorder? = nil,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> FactsService {
        let upstream = Upstream(transport: transport, redactor: redactor, recorder: recorder, now: now)
        var service = FactsService(
            fetchPage: { try await upstream.fetchPage($0, with: pages, known: $1) },
            fetchOne: {
                guard let one else { throw noneToAsk }
                let facts = pages.records
                return try await upstream.fetch(
                    one, reading: facts.whole, complaint: facts.complaint, decode: facts.one)
            })
        service.requiresConsistentPages = pages.requiresConsistentPages
        service.source = UsersService.source(format: pages.format.name, pages.settings.url)
        return service
    }

    private static let noneToAsk = UpstreamError(
        Failure(
            kind: .http,
            message: "no address of a single fact is set", retryable: false,
            advice: Advice(.nameAddressOfOneFact)))
}
