import Dispatch
import Model
import StrictJSON
import Synchronization

/// Keeps what passes over transports, without its secrets, in the order in which it was asked.
package final class Recorder: Sendable {
    private struct Contents {
        /// An exchange each, as the file will have it; nil while it is under way, and where it is left out.
        var entries: [[UInt8]?] = []
        var calls: [Recording.Call] = []
        var bytes = 0
        var isFull = false
        var redaction = Redaction()
    }

    private let contents = Mutex(Contents())
    private let session: Recording.Session
    private let maximumBytes: Int
    private let now: @Sendable () -> Timestamp
    private let monotonic: @Sendable () -> Duration
    private let whenFull: @Sendable () -> Void
    /// What takes long for a large answer keeps no thread from others.
    private let queue = DispatchQueue(label: "redaction")

    /// - Parameters:
    ///   - maximumBytes: of the exchanges, as the file has them. What would go beyond that ends the recording.
    ///   - monotonic: for how long an exchange takes, whatever is done to the clock.
    ///   - whenFull: called once.
    package init(
        session: Recording.Session, maximumBytes: Int = 192 << 20, now: @escaping @Sendable () -> Timestamp,
        monotonic: @escaping @Sendable () -> Duration, whenFull: @escaping @Sendable () -> Void = {}
    ) {
        self.session = session
        self.maximumBytes = min(maximumBytes, HARLimits.fileBytes - (1 << 20))
        self.now = now
        self.monotonic = monotonic
        self.whenFull = whenFull
    }

    /// The recording so far as a HAR file, in parts.
    package func har() -> [[UInt8]] {
        let contents = contents.withLock { $0 }
        var session = session
        session.isTruncated = contents.isFull
        session.settings = session.settings.mapValues(contents.redaction.redacted(setting:))
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
    }

    fileprivate func end(_ begun: Begun, _ outcome: Recording.Outcome) -> Ended {
        Ended(begun: begun, took: monotonic() - begun.start, outcome: outcome)
    }

    /// Returns once they are in the recording, whoever is cancelled meanwhile.
    fileprivate func keep(_ ended: [Ended]) async {
        guard !ended.isEmpty else { return }
        await withCheckedContinuation { continuation in
            queue.async {
                for exchange in ended { self.keep(exchange) }
                continuation.resume()
            }
        }
    }

    private func keep(_ ended: Ended) {
        let (begun, request) = (ended.begun, ended.begun.request)
        let told = Redaction.secrets(in: ended.outcome)
        let redaction = contents.withLock { contents in
            contents.redaction.learn(from: request, ended.outcome)
            contents.redaction.learn(told)
            return contents.redaction
        }
        var exchange = redaction.redacted(
            Recording.Exchange(
                began: begun.began, took: ended.took, url: request.url, requestHeaders: request.headers,
                outcome: ended.outcome))
        if exchange.outcome.isBroken(from: ended.outcome) {
            exchange.outcome = .missing("without its secrets, the answer would be no JSON any more")
        }
        var missing = exchange
        missing.outcome = .missing("it is nothing that can be read from a recording")
        guard let entry = [exchange, missing].first(where: \.isReadable).map(HARText.entry) else { return }
        let hasFilled = contents.withLock { contents in
            guard !contents.isFull else { return false }
            guard begun.number < HARLimits.entries,
                contents.bytes + entry.count + HARText.separator.count <= maximumBytes
            else {
                contents.isFull = true
                return true
            }
            contents.entries[begun.number] = entry
            contents.bytes += entry.count + HARText.separator.count
            return false
        }
        if hasFilled { whenFull() }
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
