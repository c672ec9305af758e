import Model
import StateRecording
import TestSupport
import Testing

@Suite("StateRecorder and StateHistory", .timeLimit(.hang))
struct StateRecordingTests {
    private func state(_ index: Int, _ phase: Phase, _ cause: Cause = .due, _ kind: Failure.Kind? = nil)
        -> State
    {
        State(
            epoch: "e", index: index, resource: .users, phase: phase, since: Timestamp(milliseconds: 0),
            cause: cause, count: index, stale: true,
            failure: kind.map { Failure(kind: $0, message: "m", retryable: true) })
    }

    /// A recorder of these states, which ends after them.
    private func recorder(_ states: [State?]) -> StateRecorder {
        let channel = Channel<State?>()
        for state in states + [nil] { channel.send(state) }
        return StateRecorder(read: { try await channel.receive() })
    }

    @Test("A recorder keeps all states so far, whoever reads them")
    func history() async throws {
        let recorder = recorder([
            state(0, .initial), state(1, .syncing), state(2, .loaded), state(3, .syncing),
        ])
        let history = try await recorder.states(upTo: .syncing)
        #expect(history.phases == [.initial, .syncing])
        #expect(try await recorder.next()?.index == 2)
        #expect(try await recorder.states(upTo: .syncing).phases == [.initial, .syncing, .loaded, .syncing])
    }

    @Test("A recorder is a sequence of states")
    func sequence() async throws {
        let indexes = try await recorder([state(4, .initial), state(5, .syncing)]).reduce(into: []) {
            $0.append($1.index)
        }
        #expect(indexes == [4, 5])
    }

    @Test("A recorder that ends before the awaited state throws an error with the states until then")
    func ended() async throws {
        let error = await #expect(throws: StateRecorder.Ended.self) {
            try await recorder([state(0, .initial)]).states(upTo: .loaded)
        }
        #expect(error?.description == "it ended before it was loaded, after\n0 users initial (due), 0 rows")
    }

    @Test("A history's text shows resources, causes and failures")
    func text() {
        var facts = state(3, .syncing, .retried)
        facts.resource = .facts
        let history = StateHistory(
            [
                state(0, .initial, .created), state(1, .syncing), state(2, .error, .failed, .http), facts,
                state(4, .error, .cancelled, .cancelled), state(5, .loaded, .committed(Changes(added: 2))),
            ].map(RecordedState.init))
        expect(
            history,
            is: """
                0 users initial (created), 0 rows
                1 users initial → syncing (due), 1 rows
                2 users syncing → error (failed: http), 2 rows
                3 facts syncing (retried), 3 rows
                4 users error → error (cancelled), 4 rows
                5 users error → loaded (committed: 2 added), 5 rows
                """)
    }

    @Test("An unexpected history fails the test with a difference of its lines")
    func differs() {
        let line = #_sourceLocation.line + 2
        withKnownIssue {
            expect(StateHistory([state(0, .initial), state(1, .syncing)].map(RecordedState.init)), is: "0")
        } matching: { issue in
            issue.sourceLocation?.line == line
                && issue.comments.map(\.rawValue) == [
                    """
                    the history differs:
                    - 0
                    + 0 users initial (due), 0 rows
                    + 1 users initial → syncing (due), 1 rows
                    """
                ]
        }
    }

    @Test(
        "A difference shows changed lines among unchanged ones",
        arguments: [
            ("a\nb\nc", "a\nb\nc", nil), ("a\nb\nc", "a\nx\nc", "  a\n- b\n+ x\n  c"),
            ("a", "a\nb", "  a\n+ b"), ("a\nb", "b", "- a\n  b"), ("", "a", "- \n+ a"),
            ("a\nb\nc\nd", "b\nx\nd\ne", "- a\n  b\n- c\n+ x\n  d\n+ e"),
        ])
    func lines(expected: String, actual: String, shown: String?) {
        #expect(difference(from: expected, to: actual) == shown)
    }
}
