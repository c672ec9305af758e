import FoundationEssentials
import Model
import Synchronization

/// Answers from a recording in the place of upstreams, each request in the order in which it was answered, and each entry
/// once.
package final class Replay: Sendable {
    private struct Progress {
        /// Of each request, how many entries have been handed out.
        var handedOut: [RecordedRequest: Int] = [:]
        var now: Timestamp
    }

    private let exchanges: [Recording.Exchange]
    /// The places of a request's entries.
    private let entries: [RecordedRequest: [Int]]
    private let sorted: [RecordedRequest]
    private let speed: Double
    private let progress: Mutex<Progress>

    /// - Parameter speed: of the delays, 1 as recorded and 2 in half the time; 0: there are none.
    package init(_ recording: Recording, speed: Double = 0) {
        exchanges = recording.exchanges
        entries = Dictionary(
            grouping: exchanges.indices,
            by: { [exchanges] in RecordedRequest(exchanges[$0].method, redacted(url: exchanges[$0].url)) })
        sorted = entries.keys.sorted()
        self.speed = speed
        progress = Mutex(Progress(now: exchanges.first?.began ?? Timestamp(milliseconds: 0)))
    }

    /// The wall clock of the recording: its first moment, and then the end of the last exchange that was handed out over a
    /// transport that moves it.
    package var now: Timestamp { progress.withLock { $0.now } }

    /// The same for the same recording, and another for any other.
    package var digest: String { Digest.recording(exchanges) }

    /// What nobody has asked for: how many entries, and the first of them.
    package var leftOver: (count: Int, first: [String]) {
        let handedOut = progress.withLock { $0.handedOut }
        let rest = entries.flatMap { request, places in
            places.dropFirst(handedOut[request] ?? 0).map { (place: $0, request) }
        }
        return (rest.count, rest.sorted { $0.place < $1.place }.prefix(5).map(\.1.description))
    }

    /// One exchange, as over the network: redirects and the deadline are for others.
    /// - Parameter movesClock: whether what is handed out has happened when it was recorded. Only where one is asked for after
    ///   the other is it the same each time.
    package func transport(
        maxResponseBytes: Int, movesClock: Bool,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) -> HTTPTransport {
        HTTPTransport { [self] request in
            let wanted = RecordedRequest("GET", redacted(url: request.url))
            let sync = SyncRequests.current
            if sync?.isOver == true { throw try await cancellation(of: wanted, sleep) }
            if speed > 0, let next = next(wanted), !next.wasCancelled { try await wait(next, sleep) }
            guard let exchange = take(wanted, movesClock: movesClock) else { throw noAnswer(to: wanted) }
            try sync?.begin()
            if sync?.isOver == true { throw try await cancellation(of: wanted, sleep) }
            switch exchange.outcome {
            case .answer(let response):
                let limit = min(request.maximumBodyBytes ?? .max, maxResponseBytes)
                guard response.body.count <= limit else {
                    throw UpstreamError.tooLarge(request.url, limit)
                }
                return try exchange.answer(response, to: request, wanted)
            case .failure where exchange.wasCancelled: throw try await cancellation(of: wanted, sleep)
            case .failure(let error):
                throw error.replayed(wanted)
            case .missing(let reason):
                throw UpstreamError(
                    .replay, "the recording has no answer to \(wanted): \(reason.shown(upTo: 300))")
            }
        }
    }

    /// Whoever asked is to be cancelled again; else the deadline is what ends it.
    private func cancellation(
        of wanted: RecordedRequest, _ sleep: (Duration) async throws -> Void
    ) async throws -> UpstreamError {
        try await sleep(.seconds(86_400))
        return noAnswer(to: wanted)
    }

    private func wait(
        _ exchange: Recording.Exchange, _ sleep: (Duration) async throws -> Void
    ) async throws {
        do {
            try await sleep(.seconds(min(exchange.took.inSeconds / speed, 86_400)))
        } catch {
            // A failure that was a deadline's is cut off by the same deadline, and knows better what had come by then.
            guard case .failure = exchange.outcome,
                DeadlinePassed.current?.hasPassed.load(ordering: .acquiring) == true
            else { throw error }
        }
    }

    private func next(_ request: RecordedRequest) -> Recording.Exchange? {
        progress.withLock { exchange(request, $0) }
    }

    /// One whose asker has gone before it was there is the next one's.
    private func take(_ request: RecordedRequest, movesClock: Bool) -> Recording.Exchange? {
        progress.withLock { progress in
            guard let exchange = exchange(request, progress) else { return nil }
            progress.handedOut[request, default: 0] += 1
            if movesClock { progress.now = max(progress.now, exchange.began + exchange.took) }
            return exchange
        }
    }

    private func exchange(_ request: RecordedRequest, _ progress: Progress) -> Recording.Exchange? {
        let handedOut = progress.handedOut[request] ?? 0
        return entries[request].flatMap { $0.count > handedOut ? exchanges[$0[handedOut]] : nil }
    }

    private func noAnswer(to wanted: RecordedRequest) -> UpstreamError {
        let beginning = "the recording has no answer to \(wanted)"
        if let count = entries[wanted]?.count {
            let used = count == 1 ? "its one answer has" : "its \(count) answers have"
            return UpstreamError(.replay, "\(beginning): \(used) been used; for more, record for longer")
        }
        guard let nearest = nearest(to: wanted) else {
            return UpstreamError(
                .replay,
                """
                \(beginning), nor to anything else: it holds no exchange over HTTP at all; \
                record anew, or name another with --replay
                """)
        }
        let found =
            nearest.place == wanted.place
            ? "the nearest entry has \(wanted.difference(from: nearest))" : "the nearest is \(nearest)"
        return UpstreamError(
            .replay, "\(beginning): \(found); ask with the settings that it was made with, or record anew")
    }

    /// In their order, those that begin alike are neighbours.
    private func nearest(to wanted: RecordedRequest) -> RecordedRequest? {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return sorted[max(low - 1, 0)..<min(low + 1, sorted.count)].max {
            $0.sharedLength(with: wanted) < $1.sharedLength(with: wanted)
        }
    }
}

extension Recording.Exchange {
    fileprivate var wasCancelled: Bool {
        if case .failure(let error) = outcome { error.failure.kind == .cancelled } else { false }
    }

    /// - Parameter request: what is asked now, where it may be asked whether something has changed or not.
    fileprivate func answer(
        _ response: HTTPResponse, to request: HTTPRequest, _ wanted: RecordedRequest
    ) throws(UpstreamError) -> HTTPResponse {
        guard response.status == 304, !request.headers.isConditional, requestHeaders.isConditional else {
            return response
        }
        guard response.body.isEmpty else {
            // Browsers write down what they had.
            var whole = response
            whole.status = 200
            return whole
        }
        throw UpstreamError(
            .replay,
            """
            the recording has no answer to \(wanted) but that it has not changed, since it was made with a cache that had it: \
            name a copy of that with --database, or record with an empty one
            """)
    }
}

extension HTTPHeaders {
    fileprivate var isConditional: Bool {
        self["If-None-Match"] != nil || self["If-Modified-Since"] != nil
    }
}

extension UpstreamError {
    /// What a file says that upstream did, which may be anything.
    fileprivate func replayed(_ request: RecordedRequest) -> UpstreamError {
        switch failure.kind {
        case .offline, .timeout, .tls, .http, .rateLimited, .decode, .tooLarge, .redirect, .replay:
            var error = self
            error.failure.message = failure.message.shown(upTo: 1000)
            return error
        case .removalGuard, .storage, .cancelled, .interrupted:
            return UpstreamError(
                .replay,
                "the recording answers \(request) with a failure that is none of an upstream's: \(failure.kind.rawValue)"
            )
        }
    }
}
