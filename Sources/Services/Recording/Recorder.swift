import Model
import Synchronization

/// Keeps what passes over transports, without its secrets, in the order in which it was asked.
package final class Recorder: Sendable {
    private struct Contents {
        /// An exchange each, as the file will have it; nil while it is under way, and where it is left out.
        var entries: [[UInt8]?] = []
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
        return parts + [HARText.end]
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

    fileprivate func end(_ begun: Begun, _ outcome: Recording.Outcome) {
        let redaction = contents.withLock { contents in
            contents.redaction.learn(from: begun.request, outcome)
            return contents.redaction
        }
        let exchange = redaction.redacted(
            Recording.Exchange(
                began: begun.began, took: monotonic() - begun.start, url: begun.request.url,
                requestHeaders: begun.request.headers, outcome: outcome))
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
    /// Has each exchange of this transport recorded.
    ///
    /// - Parameter whole: puts round it what makes one answer of several exchanges, and what ends those that take too
    ///   long: they are recorded as the failures that are made of them there. One that was cancelled is left out.
    package func recorded(
        by recorder: Recorder?, _ whole: (HTTPTransport) -> HTTPTransport
    ) -> HTTPTransport {
        guard let recorder else { return whole(self) }
        let composed = whole(HTTPTransport { request in try await exchange(request, recorder) })
        return HTTPTransport { request in
            let cutOff = CutOff()
            do {
                return try await CutOff.$current.withValue(cutOff) { try await composed.send(request) }
            } catch let error as UpstreamError {
                if let begun = cutOff.exchange.withLock({ $0 }) { recorder.end(begun, .failure(error)) }
                throw error
            }
        }
    }

    private func exchange(_ request: HTTPRequest, _ recorder: Recorder) async throws -> HTTPResponse {
        guard let begun = recorder.begin(request) else { return try await send(request) }
        do {
            let response = try await send(request)
            recorder.end(begun, .answer(response))
            return response
        } catch let error as UpstreamError {
            recorder.end(begun, .failure(error))
            throw error
        } catch {
            CutOff.current?.exchange.withLock { $0 = begun }
            throw error
        }
    }
}

/// The exchange that ended in the middle, while it is not known why.
private final class CutOff: Sendable {
    @TaskLocal static var current: CutOff?
    let exchange = Mutex<Recorder.Begun?>(nil)
}
