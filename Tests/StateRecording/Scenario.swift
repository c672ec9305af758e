import Model
import Testing

/// Something that syncs users and can play a scenario. It has no users at first and never syncs by itself.
package protocol Stage: Sendable {
    var recorder: StateRecorder { get }
    func upstream(_ upstream: Scenario.Upstream) async throws
    /// Starts a sync without waiting for its end.
    func sync() async throws
    func retry() async throws
    func cancel() async throws
}

/// A course of events, and the history that it leaves on each stage.
package struct Scenario: Sendable, CustomTestStringConvertible {
    /// How upstream answers syncs that begin from now on.
    package enum Upstream: Sendable {
        /// Sends `peopleCount` users.
        case people
        case nobody
        case offline
        /// Never answers.
        case hangs

        package static let peopleCount = 3
    }

    package let testDescription: String
    private let play: @Sendable (any Stage) async throws -> Void
    private let phases: [Phase]
    private let history: String

    package static let all = [
        Scenario(
            testDescription: "users",
            play: { stage in
                try await stage.upstream(.people)
                try await stage.sync()
                try await stage.recorder.states(upTo: .loaded)
            },
            phases: [.initial, .syncing, .loaded],
            history: """
                0 users initial (created), 0 rows
                1 users initial → syncing (requested), 0 rows
                2 users syncing → loaded (committed: 3 added), 3 rows
                """),
        Scenario(
            testDescription: "no users",
            play: { stage in
                try await stage.upstream(.nobody)
                try await stage.sync()
                try await stage.recorder.states(upTo: .empty)
            },
            phases: [.initial, .syncing, .empty],
            history: """
                0 users initial (created), 0 rows
                1 users initial → syncing (requested), 0 rows
                2 users syncing → empty (committed), 0 rows
                """),
        Scenario(
            testDescription: "an error and a successful retry",
            play: { stage in
                try await stage.upstream(.offline)
                try await stage.sync()
                try await stage.recorder.states(upTo: .error)
                try await stage.upstream(.people)
                try await stage.retry()
                try await stage.recorder.states(upTo: .loaded)
            },
            phases: [.initial, .syncing, .error, .syncing, .loaded],
            history: """
                0 users initial (created), 0 rows
                1 users initial → syncing (requested), 0 rows
                2 users syncing → error (failed: offline), 0 rows
                3 users error → syncing (retried), 0 rows
                4 users syncing → loaded (committed: 3 added), 3 rows
                """),
        Scenario(
            testDescription: "a cancelled sync of loaded users",
            play: { stage in
                try await stage.upstream(.people)
                try await stage.sync()
                try await stage.recorder.states(upTo: .loaded)
                try await stage.upstream(.hangs)
                try await stage.sync()
                try await stage.recorder.states(upTo: .syncing)
                try await stage.cancel()
                try await stage.recorder.states(upTo: .loaded)
            },
            phases: [.initial, .syncing, .loaded, .syncing, .loaded],
            history: """
                0 users initial (created), 0 rows
                1 users initial → syncing (requested), 0 rows
                2 users syncing → loaded (committed: 3 added), 3 rows
                3 users loaded → syncing (requested), 3 rows
                4 users syncing → loaded (cancelled), 3 rows
                """),
    ]

    /// Plays the scenario and expects its history.
    package func run(on stage: any Stage) async throws {
        try await play(stage)
        #expect(stage.recorder.history.phases == phases)
        expect(stage.recorder.history, is: history)
    }
}
