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
                do {
                    if let first = try await group.next(), let response = first { return response }
                } catch is AnswerCutOff {
                    // The caller cancelled, not the deadline.
                    throw CancellationError()
                }
                group.cancelAll()
                return try await lastWord(of: &group, to: request, deadline)
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
    case nothing
    /// The headers, and this much of the body; `of` is the announced length, if any.
    case body(bytes: Int, of: Int?)
}

/// The request's own outcome if it ended together with the deadline; otherwise the timeout.
private func lastWord(
    of group: inout ThrowingTaskGroup<HTTPResponse?, any Error>, to request: HTTPRequest, _ deadline: Duration
) async throws -> HTTPResponse {
    do {
        if let last = try await group.next(), let response = last { return response }
    } catch let cut as AnswerCutOff {
        throw late(cut.url, deadline, cut.progress)
    } catch let error as UpstreamError {
        throw error
    } catch {}
    throw late(request.url, deadline, nil)
}

private func late(_ url: URL, _ deadline: Duration, _ progress: AnswerProgress?) -> UpstreamError {
    let far =
        switch progress {
        case nil: ""
        case .nothing: ": nothing had come"
        case .body(let bytes, nil): ": headers had come, and \(bytes) bytes of the body"
        case .body(let bytes, let all?): ": headers had come, and \(bytes) of \(all) bytes of the body"
        }
    return UpstreamError(.timeout, "\(url.shown) has not answered in full after \(deadline)\(far)")
}
