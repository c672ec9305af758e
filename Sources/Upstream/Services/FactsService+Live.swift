import FoundationEssentials
import Model

extension FactsService {
    /// Facts from catfact.ninja or an upstream that answers as it does.
    ///
    /// - Parameters:
    ///   - one: the address of a single fact, a new one each time.
    ///   - secrets: what messages may not tell, whoever has said it.
    ///   - now: to understand dates in `Retry-After`.
    package static func live(
        transport: HTTPTransport, settings: UpstreamSettings, one: URL,
        secrets: SecretMemory = SecretMemory(),
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> FactsService {
        let upstream = Upstream(transport: transport, secrets: secrets, now: now)
        let format = UpstreamFormat.catfact
        return FactsService(
            fetchPage: { try await upstream.fetchPage($0, of: format, settings, known: $1) },
            fetchOne: {
                try await upstream.fetch(
                    one, complaint: format.complaint, decode: UpstreamFormat.catfactOne)
            })
    }
}
