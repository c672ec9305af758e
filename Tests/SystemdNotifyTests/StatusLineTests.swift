import Model
import Testing

@testable import Daemon

@Suite("The status in one line")
struct StatusLineTests {
    /// 2026-02-02T02:40:00Z.
    private let now = Timestamp(milliseconds: 1_770_000_000_000)

    private func state(
        _ resource: Resource, _ phase: Phase, count: Int = 0, _ failure: Failure? = nil, next: Duration? = nil
    ) -> State {
        State(
            epoch: "e", index: 1, resource: resource, phase: phase, since: now, cause: .due, count: count,
            stale: false, nextSyncAt: next.map { now + $0 }, progress: Progress(done: 7, total: 9),
            failure: failure)
    }

    private func line(_ states: [State], paused: Bool = false, east: Int = 0) -> String {
        statusLine(of: states, paused: paused, now: now, offset: { _ in east })
    }

    private func failure(_ kind: Failure.Kind, _ status: Int? = nil) -> Failure {
        Failure(kind: kind, message: "said\nby \u{1B}upstream", retryable: true, httpStatus: status)
    }

    @Test("The status line has each resource's phase, with its count, or its failure and next attempt")
    func phases() {
        let users = state(.users, .loaded, count: 20, next: .seconds(900))
        #expect(
            line([users, state(.facts, .error, failure(.offline), next: .seconds(9 * 3600 + 24 * 60))])
                == "users loaded 20, facts error: offline, next attempt 12:04")
        #expect(
            line([state(.users, .error, failure(.http, 503)), state(.facts, .empty)])
                == "users error: http 503, facts empty")
        #expect(line([state(.users, .error, failure(.rateLimited, 503))]) == "users error: unavailable 503")
        #expect(line([state(.users, .error, failure(.rateLimited, 429))]) == "users error: rate limited 429")
        #expect(line([state(.users, .initial), state(.facts, .syncing)]) == "users initial, facts syncing")
        #expect(line([users], paused: true) == "users loaded 20, paused")
    }

    @Test(
        "The status line has local times, with the date if it is not today",
        arguments: [
            (0, Duration.seconds(3600), "03:40"), (3600, .seconds(3600), "04:40"),
            (0, .seconds(86_400), "2026-02-03 02:40"), (-4 * 3600, .seconds(3600), "23:40"),
            (-4 * 3600, .seconds(2 * 3600), "2026-02-02 00:40"),
        ])
    func times(east: Int, next: Duration, shown: String) {
        let line = line([state(.users, .error, failure(.timeout), next: next)], east: east)
        #expect(line == "users error: timeout, next attempt \(shown)")
    }
}
