import Model
import StrictJSON
import Synchronization

/// Records exchanges in the order of their requests, with only those parts of answers that userd reads.
package final class Recorder: Sendable {
    /// Says how an answer's body is read.
    package enum Reading: Sendable {
        /// - Parameter kept: the parts of an answer to record.
        case json(_ kept: @Sendable (JSONValue) -> [UInt8])
        case picture
    }

    private struct Contents {
        /// Encoded exchanges; nil if under way or left out.
        var entries: [[UInt8]?] = []
        var bytes = 0
        var isFull = false
    }

    private let contents = Mutex(Contents())
    private let session: Recording.Session
    private let redactor: SecretRedactor
    private let maximumBytes: Int
    private let now: @Sendable () -> Timestamp
    fileprivate let monotonic: @Sendable () -> Duration
    private let whenFull: @Sendable () -> Void

    /// - Parameters:
    ///   - session: if it is raw, answers are recorded whole.
    ///   - redactor: removes secrets from the file, even if it is raw.
    ///   - maximumBytes: limits the encoded exchanges; the recording ends before the exchange that exceeds
    ///     it.
    ///   - monotonic: measures exchanges, independent of clock changes.
    ///   - whenFull: called once.
    package init(
        session: Recording.Session, redactor: SecretRedactor = SecretRedactor(),
        maximumBytes: Int = 192 << 20,
        now: @escaping @Sendable () -> Timestamp, monotonic: @escaping @Sendable () -> Duration,
        whenFull: @escaping @Sendable () -> Void = {}
    ) {
        var session = session
        if !session.isRaw { session.settings = session.settings.mapValues(redacted(setting:)) }
        self.session = session
        self.redactor = redactor
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
        let entries = contents.entries.compactMap(\.self)
        return [redactor.removed(from: HARText.beginning(session))]
            + entries.enumerated().flatMap { $0 == 0 ? [$1] : [HARText.separator, $1] } + [HARText.end]
    }

    package var isEmpty: Bool { contents.withLock { $0.bytes == 0 } }

    // MARK: Exchanges

    fileprivate struct Exchange: Sendable {
        var number: Int
        var request: HTTPRequest
        var began: Timestamp
        var start: Duration
        var took = Duration.zero
        /// Nil if there was no complete answer.
        var answer: HTTPResponse?
    }

    /// Nil if the recording has ended.
    fileprivate func begin(_ request: HTTPRequest) -> Exchange? {
        let (began, start) = (now(), monotonic())
        return contents.withLock { contents in
            guard !contents.isFull else { return nil }
            contents.entries.append(nil)
            return Exchange(number: contents.entries.count - 1, request: request, began: began, start: start)
        }
    }

    /// - Parameter failure: the last exchange's failure; nil if its answer could be read.
    fileprivate func keep(_ exchanges: [Exchange], _ reading: Reading, failure: UpstreamError?) {
        for (index, exchange) in exchanges.enumerated() {
            let isLast = index == exchanges.count - 1
            let outcome = outcome(of: exchange, isLast ? reading : nil, failure: isLast ? failure : nil)
            keep(exchange, outcome)
        }
    }

    private func outcome(
        of exchange: Exchange, _ reading: Reading?, failure: UpstreamError?
    ) -> Recording.Outcome {
        guard var answer = exchange.answer else {
            return failure.map { .failure($0) } ?? .missing("there was no answer")
        }
        // Reading a raw answer again leads to the same failure.
        if session.isRaw {
            // A body may quote the request, and what is not text is recorded in base64. Errors are redacted as text.
            answer.body =
                answer.status >= 400
                ? Array(redactor.removed(from: String(decoding: answer.body, as: UTF8.self)).utf8)
                : redactor.removed(from: answer.body)
            return .answer(answer)
        }
        answer.headers = answer.headers.recorded(
            keeping: exchange.request.recordedParameters, exchange.request.recordedHeaders)
        if let failure {
            return .failure(
                failure,
                answer: .init(status: answer.status, headers: answer.headers, length: answer.body.count))
        }
        switch reading {
        case .json(let kept)? where 200...299 ~= answer.status && !answer.isBlank:
            answer.body = kept(JSONValue(trusting: answer.body))
        case .picture? where 200...299 ~= answer.status: break
        default: answer.body = []
        }
        return .answer(answer)
    }

    private func keep(_ exchange: Exchange, _ outcome: Recording.Outcome) {
        let request = exchange.request
        let entry = HARText.entry(
            Recording.Exchange(
                began: exchange.began, took: exchange.took, method: request.method,
                url: session.isRaw ? request.url : request.url.recorded(keeping: request.recordedParameters),
                requestHeaders: session.isRaw ? request.headers : request.headers.recorded(keeping: []),
                outcome: outcome))
        let kept = redactor.removed(from: entry)
        let count = kept.count + HARText.separator.count
        let isNowFull = contents.withLock { contents in
            guard !contents.isFull else { return false }
            guard exchange.number < HARLimits.entries, contents.bytes + count <= maximumBytes else {
                contents.isFull = true
                return true
            }
            contents.entries[exchange.number] = kept
            contents.bytes += count
            return false
        }
        if isNowFull { whenFull() }
    }
}

/// The exchanges of one piece of work.
private final class Exchanges: Sendable {
    @TaskLocal static var current: Exchanges?
    let all = Mutex<[Recorder.Exchange]>([])
}

/// Does the work, and records its exchanges over a recorded transport before it returns, so that exchanges of
/// later work follow them. A failed exchange is recorded as its failure.
package func recorded<Value>(
    by recorder: Recorder?, reading: Recorder.Reading, _ work: () async throws -> Value
) async throws -> Value {
    guard let recorder else { return try await work() }
    let exchanges = Exchanges()
    func keep(_ failure: UpstreamError?) {
        recorder.keep(exchanges.all.withLock { $0 }, reading, failure: failure)
    }
    do {
        let value = try await Exchanges.$current.withValue(exchanges, operation: work)
        keep(nil)
        return value
    } catch {
        keep(error as? UpstreamError ?? .cancelled)
        throw error
    }
}

/// Does work whose answers are secrets, without recording it.
package func withoutRecording<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
    try await Exchanges.$current.withValue(nil, operation: work)
}

/// Removes the exchanges so far of the current work from the recording.
package func leaveOutOfRecording() {
    Exchanges.current?.all.withLock { $0 = [] }
}

extension HTTPTransport {
    /// Records the exchanges of ``recorded(by:reading:_:)``. Neither follows redirects nor has a deadline.
    package func recorded(by recorder: Recorder?) -> HTTPTransport {
        guard let recorder else { return self }
        return HTTPTransport { request in
            guard let exchanges = Exchanges.current, var exchange = recorder.begin(request) else {
                return try await send(request)
            }
            defer {
                exchange.took = recorder.monotonic() - exchange.start
                exchanges.all.withLock { $0.append(exchange) }
            }
            let answer = try await send(request)
            exchange.answer = answer
            return answer
        }
    }
}

extension UpstreamError {
    fileprivate static let cancelled = UpstreamError(
        Failure(kind: .cancelled, message: "the request was cancelled", retryable: true))
}
