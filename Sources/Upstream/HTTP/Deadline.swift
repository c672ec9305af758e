import FoundationEssentials
import Model

extension HTTPTransport {
    /// Throws a `timeout` if the complete answer takes longer. Its message says how much has arrived if the transport
    /// throws `AnswerCutOff`.
    package func within(_ deadline: Duration) -> HTTPTransport {
        HTTPTransport { request in
            try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await send(request) }
                group.addTask {
                    try await Task.sleep(for: deadline)
                    return nil
                }
                // After the deadline, the request's outcome counts if it ended at the same time.
                var isLate = false
                while true {
                    do {
                        guard let outcome = try await group.next() else {
                            throw late(request.url, deadline, nil)
                        }
                        if let outcome { return outcome }
                        isLate = true
                        group.cancelAll()
                    } catch let cut as AnswerCutOff {
                        // If it is not late, the caller cancelled.
                        throw isLate ? late(cut.url, deadline, cut.progress) : CancellationError()
                    } catch  where isLate && !(error is UpstreamError) {
                        throw late(request.url, deadline, nil)
                    }
                }
            }
        }
    }
}

/// Thrown by a transport whose task was cancelled before the answer was complete.
package struct AnswerCutOff: Error, Hashable, Sendable {
    /// After redirects.
    package var url: URL
    package var progress: AnswerProgress

    package init(url: URL, progress: AnswerProgress) {
        self.url = url
        self.progress = progress
    }
}

/// How much of an answer has arrived.
package enum AnswerProgress: Hashable, Sendable {
    /// Not all headers; how much of them arrived is unknown.
    case nothing
    /// The headers, and this much of the body; `of` is the announced length, if any.
    case body(bytes: Int, of: Int?)
}

private func late(_ url: URL, _ deadline: Duration, _ progress: AnswerProgress?) -> UpstreamError {
    let far =
        switch progress {
        case nil: ""
        case .nothing: ": its headers had not arrived"
        case .body(let bytes, nil): ": headers and \(bytes) bytes of the body had arrived"
        case .body(let bytes, let all?): ": headers and \(bytes) of \(all) bytes of the body had arrived"
        }
    return UpstreamError(.timeout, "\(url.shown) has not answered in full after \(deadline)\(far)")
}
