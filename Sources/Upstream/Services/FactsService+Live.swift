import FoundationEssentials
import Model

extension FactsService {
    /// Facts from catfact.ninja or an upstream of its format.
    ///
    /// - Parameters:
    ///   - one: the address of a single fact, a new one each time.
    ///   - token: removed from messages.
    ///   - recorder: records each exchange; nil for no recording.
    ///   - now: for dates in `Retry-After`.
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
