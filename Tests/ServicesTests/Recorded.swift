import Foundation
import HTTP
import Model
import Upstream

/// Services whose exchanges are recorded.
struct RecordedServices {
    var users: UsersService
    var facts: FactsService
    var pictures: PicturesService
}

/// Records the exchanges of this work.
/// - Parameter token: for requests for users.
func record(
    _ transport: HTTPTransport, isRaw: Bool = false, token bearer: String? = nil, query: String = "",
    pages: Int? = 1, _ work: (RecordedServices) async throws -> Void
) async throws -> Recording {
    var session = Recording.Session(version: "1")
    session.isRaw = isRaw
    let redactor = SecretRedactor()
    let recorder = Recorder(session: session, redactor: redactor, now: { now }, monotonic: { .zero })
    let transport = transport.recorded(by: recorder).followingRedirects()
    try await work(.over(transport, recorder, redactor, bearer, query, pages))
    return try Recording(har: Array(recorder.har().joined()))
}

func record(_ stub: Stub, _ work: (RecordedServices) async throws -> Void) async throws -> Recording {
    try await record(stub.transport, work)
}

/// The same services, answered from the recording.
func replayed(_ recording: Recording, query: String = "", pages: Int? = 1) -> RecordedServices {
    .over(
        Replay(recording).transport(maxResponseBytes: 1 << 20).followingRedirects(), nil, SecretRedactor(),
        nil,
        query, pages)
}

extension RecordedServices {
    fileprivate static func over(
        _ transport: HTTPTransport, _ recorder: Recorder?, _ redactor: SecretRedactor, _ bearer: String?,
        _ query: String, _ pages: Int?
    ) -> RecordedServices {
        RecordedServices(
            users: .live(
                randomuser(UpstreamSettings(url: api, query: query, pageSize: 2, pages: pages)),
                transport: transport,
                authorization: Authorization { _ in bearer }, redactor: redactor, recorder: recorder,
                now: { now }),
            facts: .live(
                catfact(UpstreamSettings(url: URL(string: "https://facts.example/facts")!, pageSize: 3)),
                transport: transport,
                one: URL(string: "https://facts.example/fact?max_length=90")!,
                redactor: redactor,
                recorder: recorder, now: { now }),
            pictures: .live(
                transport: transport, upstream: api, redactor: redactor, recorder: recorder, now: { now }))
    }
}
