import FoundationEssentials
import Model

extension HTTPTransport {
    /// Gives each answer this long to come whole, whatever it is that takes time; then it is a `timeout`, which says how far
    /// the answer had come where the transport throws `AnswerCutOff`.
    package func within(
        _ deadline: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> HTTPTransport {
        HTTPTransport { request in
            return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await send(request) }
                group.addTask {
                    try await clock.sleep(for: deadline)
                    return nil
                }
                do {
                    if let first = try await group.next(), let response = first { return response }
                } catch is AnswerCutOff {
                    // It was whoever asked that cancelled.
                    throw CancellationError()
                }
                group.cancelAll()
                return try await lastWord(of: &group, to: request, deadline)
            }
        }
    }
}

/// Thrown by a transport whose task was cancelled before the answer was whole.
package struct AnswerCutOff: Error, Hashable, Sendable {
    /// Who was to answer, after redirects.
    package var url: URL
    package var progress: AnswerProgress

    package init(url: URL, progress: AnswerProgress) {
        self.url = url
        self.progress = progress
    }
}

/// What of an answer has come.
package enum AnswerProgress: Hashable, Sendable {
    case nothing
    /// The headers, and so many bytes of the body; `of` where they announced how many there would be.
    case body(bytes: Int, of: Int?)
}

/// What was under way when the deadline passed, and may have ended by itself in the same moment.
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
