import DemoUpstream
import Foundation
import HTTP
import Model
import Sync
import TestSupport
import Testing

/// A row of the table of failures: a trouble and its effects.
struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var kind: Failure.Kind
    /// URL stands for the requested address, * for any text.
    var message: String
    var status: Int?
    var isRetryable = true
    /// The waits after the first and the second failure; nil for those that follow from `isRetryable`.
    var waits: [Duration]?
    var limits = HTTPLimits.generous
    var trouble: @Sendable () async throws -> Trouble

    var testDescription: String { name }

    /// Three quarters of 1 s and 2 s, since the random draw is 0.5; the interval if the failure is not
    /// retryable.
    var expectedWaits: [Duration] {
        waits ?? (isRetryable ? [.milliseconds(750), .milliseconds(1500)] : [interval, interval])
    }

    /// Checks that two syncs fail as the row says, at their time, without changing users or delaying facts,
    /// and that the next one succeeds.
    func check() async throws {
        let trouble = try await trouble()
        try await Rig.with(trouble, limits: limits) { rig in
            let (before, users) = (try rig.state(.users), try await rig.users())
            #expect(before.count == 30 && before.syncedAt == began && before.nextSyncAt == began + interval)
            try await rig.begin()
            let address = (trouble.detour ?? trouble.url).absoluteString
            for (attempt, wait) in zip(1..., expectedWaits) {
                let state = try await rig.due()
                let failure = try #require(state.failure)
                #expect(state.phase == .error && failure.kind == kind)
                #expect(
                    isMatch(failure.message, message.replacing("URL", with: address)), "\(failure.message)")
                #expect(failure.httpStatus == status)
                #expect(failure.retryable == isRetryable)
                #expect(failure.attempts == attempt)
                #expect(state.nextSyncAt.map { $0 - state.since } == wait)
                #expect(state.count == 30 && state.syncedAt == began)
                #expect(try await rig.users() == users)
                let facts = try await rig.engine.sync([.facts], wait: true)
                #expect(facts.map(\.phase) == [.loaded])
                #expect(try rig.state(.users).failure == failure)
            }
            try await rig.lift()
            let healed = try await rig.due()
            #expect(healed.phase == .loaded && healed.failure == nil && healed.count == 30)
            #expect(healed.nextSyncAt == healed.since + interval)
            #expect(try await rig.users() == users)
        }
    }
}

private func isMatch(_ text: String, _ pattern: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard var rest = text.hasPrefix(parts[0]) ? text.dropFirst(parts[0].count) : nil else { return false }
    for part in parts.dropFirst() {
        if part.isEmpty { continue }
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
    }
    return rest.isEmpty || parts.last?.isEmpty == true && parts.count > 1
}
