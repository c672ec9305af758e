import FoundationEssentials
import HTTP
import Model
import StrictJSON

extension FactsService {
    /// Facts from an upstream of that format.
    ///
    /// - Parameters:
    ///   - one: the address of a single fact, a new one each time; nil if upstream has no such address.
    ///   - oneFact: reads the answer with it.
    ///   - redactor: removes secrets from messages.
    ///   - recorder: records each exchange; nil for no recording.
    ///   - now: for dates in `Retry-After`.
    package static func live(
        _ format: UpstreamFormat<NewFact>, transport: HTTPTransport, settings: UpstreamSettings,
        one: URL?, reading oneFact: OneFactFormat,
        redactor: SecretRedactor = SecretRedactor(), recorder: Recorder? = nil,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> FactsService {
        let upstream = Upstream(transport: transport, redactor: redactor, recorder: recorder, now: now)
        var service = FactsService(
            fetchPage: { try await upstream.fetchPage($0, of: format, settings, known: $1) },
            fetchOne: {
                guard let one else { throw noneToAsk }
                return try await upstream.fetch(
                    one, reading: oneFact.reader, complaint: oneFact.complaint, decode: oneFact.decode)
            })
        service.requiresConsistentPages = format.requiresConsistentPages
        service.source = UsersService.source(format: format.name, settings.url)
        return service
    }

    private static let noneToAsk = UpstreamError(
        Failure(
            kind: .http,
            message: "no address of a single fact is set", retryable: false,
            advice: Advice(.nameAddressOfOneFact)))
}
