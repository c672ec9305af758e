import Model
import StateRecording
import Stubs
import Sync
import TestSupport
import Testing
import Upstream
import UserdAPI

/// The output of userctl in each phase.
@Suite("States held still", .timeLimit(.hang), .stubs)
struct HeldStateTests {
    private func held(
        in phase: Phase, _ body: @escaping @Sendable (Daemon, UsersStub, StateRecorder) async throws -> Void
    ) async throws {
        let users = UsersStub(waits: true)
        var upstream = Daemon.Upstream()
        upstream.service = UsersService(users)
        try await Daemon.with(synced: false, upstream: upstream) { daemon in
            let recorder = try await StateRecorder(daemon.engine, .users)
            try await recorder.states(upTo: .initial)
            if phase != .initial {
                _ = try await daemon.call(.sync, Sync(resources: [.users]))
                try await users.called()
                switch phase {
                case .initial, .syncing: break
                case .loaded: users.success(Page(records: User.samples))
                case .empty: users.success(Page(records: []))
                case .error: users.failure(UpstreamError(.offline, "the cable is out"))
                }
                try await recorder.states(upTo: phase)
            }
            try await body(daemon, users, recorder)
        }
    }

    @Test(
        "userctl shows the same phase again and again without changing it or asking upstream",
        arguments: [
            (.initial, "they were never synced"), (.syncing, "the first sync is running"),
            (.loaded, "Nichols, Jennie"), (.empty, "upstream has none"), (.error, "the first sync failed"),
        ] as [(Phase, String)])
    func looked(phase: Phase, words: String) async throws {
        try await held(in: phase) { daemon, users, recorder in
            let history = recorder.history
            for _ in 0..<3 {
                let status = try await daemon.userctl("status")
                #expect(status.code == 0, "\(status)")
                #expect(status.outputLines[1].split(separator: " ") == ["Phase", "\(phase)"])
                let list = try await daemon.userctl("list")
                #expect(list.code == 0 && (list.output + list.errors).contains(words), "\(list)")
            }
            #expect(users.callCount == (phase == .initial ? 0 : 1))
            let written = try await daemon.call(.history, History(resource: .users)).states
            #expect(written.count == history.states.count - 1)
        }
    }

    @Test("A held sync ends as usual when it continues, and clients that joined it cause no more requests")
    func goesOn() async throws {
        try await held(in: .syncing) { daemon, users, recorder in
            let waiting = Task { try await daemon.userctl("sync", "users", "--wait") }
            while await daemon.engine.waitingCount == 0 { await Task.yield() }
            users.success(Page(records: User.samples))
            let ended = try await waiting.value
            #expect(ended.code == 0 && ended.output.contains("loaded"), "\(ended)")
            expect(
                try await recorder.states(upTo: .loaded),
                is: """
                    0 users initial (created), 0 rows
                    1 users initial → syncing (requested), 0 rows
                    2 users syncing → loaded (committed: \(User.samples.count) added), \(User.samples.count) rows
                    """)
            #expect(users.callCount == 1)
        }
    }
}

extension Daemon {
    fileprivate func userctl(_ arguments: String...) async throws -> Finished {
        try await run(
            Program.userctl.path, arguments + ["--socket", path],
            environment: ["HOME": "/nonexistent", "TZ": "UTC", "LANG": "C.UTF-8"])
    }
}
