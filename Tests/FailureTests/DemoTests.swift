import DemoUpstream
import HTTP
import Model
import Sync
import TestSupport
import Testing

@Suite("Faults of the demo upstream", .timeLimit(.hang))
struct DemoTests {
    struct Failing: Sendable, CustomTestStringConvertible {
        var fault: Fault.Kind
        var row: Row

        init(
            _ fault: Fault.Kind, _ kind: Failure.Kind, _ message: String, status: Int? = nil,
            isRetryable: Bool = true, waits: [Duration]? = nil, limits: HTTPLimits = .generous
        ) {
            self.fault = fault
            row = Row(
                name: "\(fault)", kind: kind, message: message, status: status, isRetryable: isRetryable,
                waits: waits, limits: limits, trouble: { try await .demo(fault) })
        }

        var testDescription: String { row.name }
    }

    static let failing = [
        Failing(
            .delay(milliseconds: 60_000), .timeout,
            "URL has not answered in full after 2.0 seconds: its headers had not arrived", limits: .hasty),
        Failing(
            .stall, .timeout,
            "URL has not answered in full after 2.0 seconds: headers and 0 of 1000 bytes of the body had arrived",
            limits: .hasty),
        Failing(
            .slow(bytesPerSecond: 100), .timeout,
            "URL has not answered in full after 2.0 seconds: headers and * of * bytes of the body had arrived",
            limits: .hasty),
        Failing(.status(400), .http, "URL answered 400: Bad Request", status: 400, isRetryable: false),
        Failing(.status(401), .http, "URL answered 401: Unauthorized", status: 401, isRetryable: false),
        Failing(.status(404), .http, "URL answered 404: Not Found", status: 404, isRetryable: false),
        Failing(.status(408), .http, "URL answered 408: Request Timeout", status: 408),
        Failing(.status(500), .http, "URL answered 500: Internal Server Error", status: 500),
        Failing(.status(503), .http, "URL answered 503: Service Unavailable", status: 503),
        Failing(.status(429), .rateLimited, "URL answered 429: Too Many Requests", status: 429),
        Failing(
            .errorBody(.documented), .http, "URL answered 200: Uh oh, something has gone wrong.*",
            status: 200),
        Failing(
            .errorBody(.rateLimit), .rateLimited, "URL answered 429: Whoa, ease up.*", status: 429),
        Failing(.errorBody(.afterRecords), .http, "URL answered 200: For *", status: 200),
        Failing(.truncate, .offline, "URL closed the connection after * of * bytes of its answer"),
        Failing(.reset, .offline, "URL reset the connection before it had answered in full"),
        Failing(.down, .offline, "could not connect to URL: connection refused"),
        Failing(
            .rubbish(.html), .decode,
            "cannot read page 1 of URL: not JSON but HTML, *; it begins with '<!DOCTYPE html>*'"),
        Failing(.rubbish(.bytes), .http, "URL does not answer in HTTP: *"),
        Failing(
            .empty, .removalGuard,
            "the sync would remove 30 of 30 cached rows, *; nothing was changed; `userctl sync users --accept-removals` *",
            isRetryable: false),
        Failing(
            .gzipBomb, .tooLarge,
            "the answer of URL is larger than the limit after decompression; http.max_response_bytes is the limit",
            isRetryable: false),
        Failing(
            .endless, .tooLarge, "the answer of URL is larger than 1048576 bytes", isRetryable: false),
        Failing(
            .redirect(location: "?seed=a"), .redirect,
            "URL redirects to URL, which was requested before: a loop",
            isRetryable: false),
        Failing(
            .redirect(location: "file:///etc/passwd"), .redirect,
            "URL redirects to file:///etc/passwd, which is not a valid http address", isRetryable: false),
        Failing(
            .redirect(location: "https://127.0.0.1/"), .redirect,
            "URL redirects to https://127.0.0.1/, which changes the scheme; if https:// is right, *",
            isRetryable: false),
    ]

    /// Faults that are not a failure.
    static let harmless: [Fault.Kind] = [
        .gzip, .etag, .lastModified, .lastPageGrows, .ignoresPage, .shortPage, .largeTotal,
        .beyond(status: 404),
        .delay(milliseconds: 20),
    ]

    @Test("Each demo failure has its kind and wait, and a later sync recovers", arguments: failing)
    func failure(_ failing: Failing) async throws { try await failing.row.check() }

    @Test("Harmless faults fail no sync of either resource", arguments: harmless)
    func none(_ fault: Fault.Kind) async throws {
        try await Rig.with(try await .demo(fault)) { rig in
            let users = try await rig.users()
            try await rig.begin()
            try await rig.facts.setFaults([Fault(fault)])
            for _ in 0..<2 {
                #expect(try await rig.due().phase == .loaded)
                #expect(try await rig.users() == users)
                #expect(try await rig.engine.sync([.facts], wait: true).map(\.phase) == [.loaded])
            }
        }
    }

    @Test("The tests cover each fault of the demo upstream")
    func complete() {
        #expect(Set((Self.failing.map(\.fault) + Self.harmless).map(Self.name)) == Set(1...21))
    }

    /// Exhaustive, so that a new kind of fault does not compile without a number.
    private static func name(_ fault: Fault.Kind) -> Int {
        switch fault {
        case .delay: 1
        case .stall: 2
        case .status: 3
        case .truncate: 4
        case .reset: 5
        case .rubbish: 6
        case .empty: 7
        case .gzip: 8
        case .gzipBomb: 9
        case .etag: 10
        case .down: 11
        case .errorBody: 12
        case .slow: 13
        case .redirect: 14
        case .endless: 15
        case .lastPageGrows: 16
        case .lastModified: 17
        case .ignoresPage: 18
        case .shortPage: 19
        case .largeTotal: 20
        case .beyond: 21
        }
    }
}

extension HTTPLimits {
    /// Limits that end a wait for an answer early.
    static let hasty = HTTPLimits(
        connectTimeout: .seconds(20), deadline: .seconds(2), maxResponseBytes: 1 << 20)
}
