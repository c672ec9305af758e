import Model
import Services
import Testing

/// What a recording keeps of an answer to a request with these headers.
func kept(_ answer: HTTPResponse, headers: HTTPHeaders = [:]) throws -> HTTPResponse {
    var redaction = Redaction(of: HTTPRequest(url: api, headers: headers), .answer(answer))
    redaction.learn(Redaction.secrets(in: .answer(answer)))
    let exchange = redaction.redacted(
        Recording.Exchange(
            began: now, took: .zero, url: api, requestHeaders: headers, outcome: .answer(answer)))
    guard case .answer(let kept) = exchange.outcome else { throw NoAnswer() }
    return kept
}

private struct NoAnswer: Error {}
