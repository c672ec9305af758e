import FoundationEssentials
import Model
import Synchronization

/// Answers requests from a recording. Equal requests get their answers in the recorded order; each entry is
/// used once.
package final class Replay: Sendable {
    private let exchanges: [Recording.Exchange]
    /// Indices of a request's exchanges.
    private let entries: [RecordedRequest: [Int]]
    private let places: Set<String>
    private let speed: Double
    /// Number of used entries of each request.
    private let handedOut = Mutex<[RecordedRequest: Int]>([:])

    /// - Parameter speed: 1 for the recorded delays, 2 for half of them, 0 for none.
    package init(_ recording: Recording, speed: Double = 0) {
        exchanges = recording.exchanges
        entries = Dictionary(
            grouping: exchanges.indices,
            by: { [exchanges] in RecordedRequest(exchanges[$0].method, exchanges[$0].url) })
        places = Set(entries.keys.map(\.place))
        self.speed = speed
    }

    /// Number of unused entries, and the first five.
    package var leftOver: (count: Int, first: [String]) {
        let handedOut = handedOut.withLock { $0 }
        let rest = entries.flatMap { request, places in
            places.dropFirst(handedOut[request] ?? 0).map { (place: $0, request) }
        }
        return (rest.count, rest.sorted { $0.place < $1.place }.prefix(5).map(\.1.description))
    }

    /// Number of unused answers of these addresses with any query, and the address of the first.
    package func left(of urls: [URL]) -> (count: Int, next: URL?) {
        let handedOut = handedOut.withLock { $0 }
        let places = urls.map { Self.places(of: $0) }
        let rest = entries.flatMap { request, indices in
            places.firstIndex { $0.contains(request.place) }.map { url in
                indices.dropFirst(handedOut[request] ?? 0).map { (index: $0, url: url) }
            } ?? []
        }
        return (rest.count, rest.min { $0.index < $1.index }.map { urls[$0.url] })
    }

    /// Whether the recording has an answer of this address with any query, used or not.
    package func holds(_ url: URL) -> Bool {
        !places.isDisjoint(with: Self.places(of: url))
    }

    /// Pages are requested by GET or POST.
    private static func places(of url: URL) -> Set<String> {
        Set(["GET", "POST"].map { RecordedRequest($0, url).place })
    }

    /// Answers single exchanges. Neither follows redirects nor has a deadline.
    package func transport(
        maxResponseBytes: Int,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) -> HTTPTransport {
        HTTPTransport { [self] request in
            // userd records addresses without secrets (up to 0.2.0 also without pages), browsers whole ones.
            // Pages that differ only by their bodies come in the recorded order.
            let asked = [
                request.url, request.url.recorded(keeping: request.recordedParameters),
                request.url.recorded(),
            ].map { RecordedRequest(request.method, $0) }
            let wanted = asked.first { entries[$0] != nil } ?? asked[1]
            if speed > 0, let next = next(wanted), !next.isTimeout {
                try await sleep(.seconds(min(next.took.inSeconds / speed, 86_400)))
            }
            // A request that is cancelled during the delay uses no entry.
            guard let exchange = next(wanted, takes: true) else { throw noAnswer(to: wanted) }
            switch exchange.outcome {
            case .answer(let response):
                let limit = min(request.maximumBodyBytes ?? .max, maxResponseBytes)
                guard response.body.count <= limit else {
                    throw UpstreamError.tooLarge(request.url, limit)
                }
                return try exchange.answer(response, to: request, wanted)
            case .failure(let error, _):
                throw error.replayed(wanted)
            case .missing(let reason):
                throw UpstreamError(
                    .replay, "the recording has no answer to \(wanted): \(reason.shown(upTo: 300))")
            }
        }
    }

    private func next(_ request: RecordedRequest, takes: Bool = false) -> Recording.Exchange? {
        handedOut.withLock { handedOut in
            let count = handedOut[request] ?? 0
            guard let places = entries[request], places.count > count else { return nil }
            if takes { handedOut[request] = count + 1 }
            return exchanges[places[count]]
        }
    }

    private func noAnswer(to wanted: RecordedRequest) -> UpstreamError {
        let beginning = "the recording has no answer to \(wanted)"
        if let count = entries[wanted]?.count {
            let used = count == 1 ? "its only answer has" : "its \(count) answers have"
            return UpstreamError(.replay, "\(beginning): \(used) been used; record for longer to have more")
        }
        guard let nearest = nearest(to: wanted) else {
            return UpstreamError(
                .replay,
                """
                \(beginning): it holds no exchanges over HTTP; \
                record again, or name another recording with --replay
                """)
        }
        let found =
            nearest.place == wanted.place
            ? "the nearest entry has \(wanted.difference(from: nearest))" : "the nearest is \(nearest)"
        return UpstreamError(
            .replay, "\(beginning): \(found); use the settings that it was made with, or record again")
    }

    private func nearest(to wanted: RecordedRequest) -> RecordedRequest? {
        entries.keys.sorted().max { $0.sharedLength(with: wanted) < $1.sharedLength(with: wanted) }
    }
}

extension Recording.Exchange {
    /// Replayed without the delay, because its message says how long it was.
    fileprivate var isTimeout: Bool {
        if case .failure(let error, _) = outcome { error.failure.kind == .timeout } else { false }
    }

    /// - Parameter request: may be unconditional although the recorded one was conditional, and vice versa.
    fileprivate func answer(
        _ response: HTTPResponse, to request: HTTPRequest, _ wanted: RecordedRequest
    ) throws(UpstreamError) -> HTTPResponse {
        var response = response
        response.scheme = requestHeaders.scheme
        guard response.status == 304, !request.headers.isConditional, requestHeaders.isConditional else {
            return response
        }
        guard response.body.isEmpty else {
            // Browsers record a 304 with the cached body.
            response.status = 200
            return response
        }
        throw UpstreamError(
            .replay,
            """
            the recording's only answer to \(wanted) is 304 (not modified), because the cache had it when it was made: \
            name a copy of that cache with --database, or record with an empty one
            """)
    }
}

extension HTTPHeaders {
    fileprivate var isConditional: Bool {
        self["If-None-Match"] != nil || self["If-Modified-Since"] != nil
    }
}

extension UpstreamError {
    /// The recorded failure; a file may contain kinds that no upstream causes.
    fileprivate func replayed(_ request: RecordedRequest) -> UpstreamError {
        switch failure.kind {
        case .offline, .timeout, .tls, .http, .rateLimited, .decode, .tooLarge, .redirect, .replay, .ldap,
            .credentials:
            var error = self
            error.failure.reason = failure.reason.shown(upTo: 1000)
            return error
        case .cancelled:
            return UpstreamError(
                .replay, "the recording has no answer to \(request): the request was cancelled")
        default:
            return UpstreamError(
                .replay,
                "the recording answers \(request) with a failure that no upstream causes: \(failure.kind.rawValue)"
            )
        }
    }
}
