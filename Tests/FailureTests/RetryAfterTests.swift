import DemoUpstream
import Foundation
import Model
import TestSupport
import Testing

@Suite("Retry-After headers", .timeLimit(.hang))
struct RetryAfterTests {
    struct Asked: Sendable, CustomTestStringConvertible {
        var status = 429
        var header: String
        /// The waits after the first and the second failure.
        var waits: [Duration]
        var kind = Failure.Kind.rateLimited
        var isRetryable = true

        var testDescription: String { "\(status), Retry-After: \(header)" }
    }

    private static let backoff: [Duration] = [.milliseconds(750), .milliseconds(1500)]
    /// When the first attempt fails.
    private static let first = began + interval

    static let asked = [
        Asked(header: "120", waits: [.seconds(120), .seconds(120)]),
        // Shorter than the backoff of the second attempt.
        Asked(header: "1", waits: [.seconds(1), .milliseconds(1500)]),
        Asked(header: "1000000000", waits: [.seconds(86_400), .seconds(86_400)]),
        Asked(header: "99999999999999999999999", waits: [.seconds(86_400), .seconds(86_400)]),
        Asked(header: "-5", waits: backoff),
        Asked(header: "0", waits: backoff),
        Asked(header: "soon", waits: backoff),
        // Microsoft Graph has been seen to send fractions, which are rounded up.
        Asked(header: "1.5", waits: [.seconds(2), .seconds(2)]),
        // The same time for both failures; it has passed by the second.
        Asked(header: httpDate(first + .seconds(120)), waits: [.seconds(120), .milliseconds(1500)]),
        Asked(header: httpDate(first + .seconds(-120)), waits: backoff),
        Asked(
            header: httpDate(first + .seconds(10 * 86_400)), waits: [.seconds(86_400), .seconds(86_400)]),
        Asked(header: "Fri, 30 Feb 2026 03:05:05 GMT", waits: backoff),
        Asked(status: 503, header: "7", waits: [.seconds(7), .seconds(7)]),
        Asked(status: 503, header: "soon", waits: backoff, kind: .http),
        Asked(status: 500, header: "7", waits: [.seconds(7), .seconds(7)], kind: .http),
        // It also applies to failures that are not retryable.
        Asked(
            status: 403, header: "7", waits: [interval, interval], kind: .http, isRetryable: false),
        Asked(
            status: 403, header: "7200", waits: [.seconds(7200), .seconds(7200)], kind: .http,
            isRetryable: false),
    ]

    @Test("A valid Retry-After is respected up to a day, and an invalid one is ignored", arguments: asked)
    func patience(_ asked: Asked) async throws {
        try await Row(
            name: asked.testDescription, kind: asked.kind, message: "URL answered \(asked.status): *",
            status: asked.status, isRetryable: asked.isRetryable, waits: asked.waits,
            trouble: { try await .demo(.status(asked.status, retryAfter: asked.header)) }
        ).check()
    }
}

/// RFC 9110, section 5.6.7.
private func httpDate(_ time: Timestamp) -> String {
    var seconds = Int(time.milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}
