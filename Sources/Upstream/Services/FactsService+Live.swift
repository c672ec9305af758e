import FoundationEssentials
import Model

extension FactsService {
    /// Facts from catfact.ninja or an upstream that answers as it does.
    ///
    /// - Parameters:
    ///   - one: the address of a single fact, a new one each time.
    ///   - token: what messages do not tell, whoever has said it.
    ///   - recorder: of all that is asked and answered; nil: none is kept.
    ///   - now: to understand dates in `Retry-After`.
    package static func live(
        transport: HTTPTransport, settings: UpstreamSettings, one: URL,
        token: OwnToken = OwnToken(), recorder: Recorder? = nil,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> FactsService {
        let upstream = Upstream(transport: transport, token: token, recorder: recorder, now: now)
        let format = UpstreamFormat.catfact
        return FactsService(
            fetchPage: { try await upstream.fetchPage($0, of: format, settings, known: $1) },
            fetchOne: {
                try await upstream.fetch(
                    one, reading: UpstreamFormat.fact, complaint: format.complaint,
                    decode: UpstreamFormat.catfactOne)
            })
    }
}
