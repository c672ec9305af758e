import Dispatch
import Model
import StrictJSON
import Synchronization

/// Keeps what passes over transports, without its secrets, in the order in which it was asked.
package final class Recorder: Sendable {
    private struct Contents {
        /// An exchange each, as the file will have it; nil while it is under way, and where it is left out.
        var entries: [[UInt8]?] = []
        /// What has ended, while its secrets are taken out, or until that is its turn.
        var waiting: [Ended] = []
        var calls: [Recording.Call] = []
        var transitions = 0
        var bytes = 0
        var isFull = false

        /// - Parameter entry: nil where there is no way to have it in a file.
        /// - Returns: whether it is this one that there is no room for.
        mutating func put(_ entry: [UInt8]?, of ended: Ended, maximumBytes: Int) -> Bool {
            guard !isFull else { return false }
            let count = (entry?.count ?? 0) + HARText.separator.count
            guard !ended.isTooMuch, ended.begun.number < HARLimits.entries, bytes + count <= maximumBytes
            else {
                isFull = true
                return true
            }
            guard let entry else { return false }
            entries[ended.begun.number] = entry
            bytes += count
            return false
        }
    }

    /// Of answers: so many bytes have their secrets taken out while somebody waits for the file.
    private static let quickly = 1 << 16

    private let contents = Mutex(Contents())
    package let secrets = SecretMemory()
    private let session: Recording.Session
    private let maximumBytes: Int
    private let now: @Sendable () -> Timestamp
    private let monotonic: @Sendable () -> Duration
    private let whenFull: @Sendable () -> Void
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - maximumBytes: of the exchanges, as the file has them. What would go beyond that ends the recording.
    ///   - monotonic: for how long an exchange takes, whatever is done to the clock.
    ///   - whenFull: called once.
    ///   - queue: where secrets are taken out: for a large answer that takes seconds, and keeps no thread from others.
    package init(
        session: Recording.Session, maximumBytes: Int = 192 << 20, now: @escaping @Sendable () -> Timestamp,
        monotonic: @escaping @Sendable () -> Duration, whenFull: @escaping @Sendable () -> Void = {},
        queue: DispatchQueue = DispatchQueue(label: "redaction")
    ) {
        self.session = session
        self.maximumBytes = min(maximumBytes, HARLimits.fileBytes - (1 << 20))
        self.now = now
        self.monotonic = monotonic
        self.whenFull = whenFull
        self.queue = queue
    }

    /// The recording so far as a HAR file, in parts. Of a large answer that still has its secrets it says no more than that.
    package func har() -> [[UInt8]] {
        var (contents, redaction) = (contents.withLock { $0 }, secrets.redaction)
        var left = Self.quickly
        for var ended in contents.waiting {
            redaction.learn(from: ended.begun.request, ended.outcome)
            left -= ended.bytes
            if left < 0 {
                ended.outcome = .missing("its secrets had not been taken out when the recording was written")
            }
            redaction.learn(Redaction.secrets(in: ended.outcome))
            let entry = Self.entry(ended, redaction)
            _ = contents.put(entry, of: ended, maximumBytes: maximumBytes)
            // What it says to be secret may be in those after it.
            if left < 0 { break }
        }
        var session = session
        session.isTruncated = contents.isFull
        session.transitions = contents.transitions
        session.settings = session.settings.mapValues(redaction.redacted(setting:))
        var parts = [HARText.beginning(session)]
        for entry in contents.entries {
            guard let entry else { continue }
            if parts.count > 1 { parts.append(HARText.separator) }
            parts.append(entry)
        }
        return parts + [HARText.end(contents.calls)]
    }

    /// A call, in the order in which userd takes them up. One that comes when no more are kept has happened after what a replay
    /// shows.
    package func record(_ call: Recording.Call) {
        contents.withLock { contents in
            guard !contents.isFull, contents.calls.count < HARLimits.calls else { return }
            contents.calls.append(call)
        }
    }

    /// So many have there been since userd's start. What comes when no more is kept is not in a replay.
    package func record(transitions: Int) {
        contents.withLock { if !$0.isFull { $0.transitions = transitions } }
    }

    package var isEmpty: Bool { contents.withLock { $0.bytes == 0 } }

    /// An exchange that has begun.
    fileprivate struct Begun: Sendable {
        var number: Int
        var request: HTTPRequest
        var began: Timestamp
        var start: Duration
    }

    /// Nil where nothing more is recorded.
    fileprivate func begin(_ request: HTTPRequest) -> Begun? {
        let (began, start) = (now(), monotonic())
        return contents.withLock { contents in
            guard !contents.isFull else { return nil }
            contents.entries.append(nil)
            return Begun(number: contents.entries.count - 1, request: request, began: began, start: start)
        }
    }

    fileprivate struct Ended: Sendable {
        var begun: Begun
        var took: Duration
        var outcome: Recording.Outcome

        /// There will be no room for it after all that waits for its turn.
        var isTooMuch = false

        var bytes: Int { if case .answer(let response) = outcome { response.body.count } else { 0 } }
    }

    fileprivate func end(_ begun: Begun, _ outcome: Recording.Outcome) -> Ended {
        Ended(begun: begun, took: monotonic() - begun.start, outcome: outcome)
    }

    /// Returns once they are in the recording. Who is cancelled does not wait for that, and so the end of userd does not.
    fileprivate func keep(_ ended: [Ended]) async {
        guard !ended.isEmpty else { return }
        let (keeping, kept) = AsyncStream.makeStream(of: Never.self)
        contents.withLock { contents in
            for var exchange in ended {
                // Those that nobody waits for any more may be many.
                let bytes = contents.waiting.reduce(contents.bytes + exchange.bytes) { $0 + $1.bytes }
                if bytes > maximumBytes { (exchange.isTooMuch, exchange.outcome) = (true, .missing("")) }
                contents.waiting.append(exchange)
                queue.async { [exchange] in self.keep(exchange) }
            }
            queue.async { kept.finish() }
        }
        for await _ in keeping {}
    }

    private func keep(_ ended: Ended) {
        let told = Redaction.secrets(in: ended.outcome)
        let redaction = secrets.learn(from: ended.begun.request, ended.outcome, told: told)
        let entry = Self.entry(ended, redaction)
        let hasFilled = contents.withLock { contents in
            contents.waiting.removeAll { $0.begun.number == ended.begun.number }
            return contents.put(entry, of: ended, maximumBytes: maximumBytes)
        }
        if hasFilled { whenFull() }
    }

    /// Nil where there is no way to have it in a file.
    private static func entry(_ ended: Ended, _ redaction: Redaction) -> [UInt8]? {
        let (begun, request) = (ended.begun, ended.begun.request)
        var exchange = redaction.redacted(
            Recording.Exchange(
                began: begun.began, took: ended.took, url: request.url, requestHeaders: request.headers,
                outcome: ended.outcome))
        if exchange.outcome.isBroken(from: ended.outcome) {
            exchange.outcome = .missing("without its secrets, the answer would be no JSON any more")
        }
        var missing = exchange
        missing.outcome = .missing("it is nothing that can be read from a recording")
        return [exchange, missing].first(where: \.isReadable).map(HARText.entry)
    }
}

extension Recording.Outcome {
    /// Whether redaction has made something else than JSON of JSON, or two members of one name.
    fileprivate func isBroken(from original: Recording.Outcome) -> Bool {
        guard case .answer(let kept) = self, case .answer(let answer) = original, kept.body != answer.body
        else { return false }
        let isJSON = { (body: [UInt8]) in
            (try? StrictJSON.validate(body, maximumDepth: FormatLimits.depth)) != nil
        }
        return !isJSON(kept.body) && isJSON(answer.body)
    }
}

extension Recording.Exchange {
    /// Whether those who read the file would take it: upstreams write what they like, and readers have limits.
    fileprivate var isReadable: Bool {
        var exchange = self
        if case .answer(var response) = outcome {
            response.body = []
            exchange.outcome = .answer(response)
        }
        return (try? Recording(har: Recording(exchanges: [exchange]).har()))?.exchanges.count == 1
    }
}

extension HTTPTransport {
    /// Has each exchange of this transport recorded, before whoever asked is told of any: what he does next comes after it.
    ///
    /// - Parameter whole: puts round it what makes one answer of several exchanges, and what ends those that take too
    ///   long: they are recorded as the failures that are made of them there, and one that was cancelled as that.
    ///   The time that recording takes is not part of theirs.
    package func recorded(
        by recorder: Recorder?, _ whole: (HTTPTransport) -> HTTPTransport
    ) -> HTTPTransport {
        guard let recorder else { return whole(self) }
        let composed = whole(HTTPTransport { request in try await exchange(request, recorder) })
        return HTTPTransport { request in
            let exchanges = Exchanges()
            let result: Result<HTTPResponse, any Error>
            do {
                result = .success(
                    try await Exchanges.$current.withValue(exchanges) { try await composed.send(request) })
            } catch {
                result = .failure(error)
            }
            var (ended, cutOff) = exchanges.all.withLock { $0 }
            if let cutOff, case .failure(let error) = result {
                ended.append(recorder.end(cutOff, .failure(error as? UpstreamError ?? .cancelled)))
            }
            await recorder.keep(ended)
            return try result.get()
        }
    }

    private func exchange(_ request: HTTPRequest, _ recorder: Recorder) async throws -> HTTPResponse {
        try SyncRequests.current?.begin()
        guard let begun = recorder.begin(request) else { return try await send(request) }
        let end = { outcome in
            let ended = recorder.end(begun, outcome)
            Exchanges.current?.all.withLock { $0.ended.append(ended) }
        }
        do {
            let response = try await send(request)
            end(.answer(response))
            return response
        } catch let error as UpstreamError {
            end(.failure(error))
            throw error
        } catch {
            Exchanges.current?.all.withLock { $0.cutOff = begun }
            throw error
        }
    }
}

/// What one answer was made of.
private final class Exchanges: Sendable {
    @TaskLocal static var current: Exchanges?
    /// `cutOff` ended in the middle, while it is not known why.
    let all = Mutex<(ended: [Recorder.Ended], cutOff: Recorder.Begun?)>(([], nil))
}

extension UpstreamError {
    fileprivate static let cancelled = UpstreamError(
        Failure(kind: .cancelled, message: "nobody waited for the answer", retryable: true))
}
