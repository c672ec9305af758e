import Model
import Synchronization
import TerminalViews
import Testing

@testable import UserctlCommands

@Suite struct SyncProgressTests {
    private func syncing(_ done: Int?, of total: Int? = nil, index: Int = 2) -> State {
        state(
            .users, .syncing, index: index, cause: .requested,
            progress: done.map { Progress(done: $0, total: total) })
    }

    /// The text after each of these states, a second apart.
    private func words(_ states: [State]) -> [String] {
        var sync = SyncProgress(states[0], at: .zero)
        return states.enumerated().map { second, state in
            sync.take(state, at: .seconds(second))
            return sync.text(at: .seconds(second))
        }
    }

    @Test func `rows, pages, rate and remaining time are shown once known`() {
        #expect(
            words([syncing(nil), syncing(200, of: 1000), syncing(400, of: 1000), syncing(1000, of: 1000)])
                == [
                    "waiting for upstream",
                    "200 of 1,000, page 1 of 5, 200 a second, 4 s left",
                    "400 of 1,000, page 2 of 5, 200 a second, 3 s left",
                    "1,000 of 1,000, saving",
                ])
    }

    @Test func `without a total no remaining time is shown`() {
        #expect(words([syncing(nil), syncing(10), syncing(25)]).last == "25, page 3, 13 a second")
    }

    @Test func `pages are unknown if the start of the sync was not seen`() {
        #expect(
            words([syncing(600, of: 1000), syncing(800, of: 1000)]).last
                == "800 of 1,000, 200 a second, 1 s left")
    }

    @Test func `a new sync resets the progress`() {
        let loaded = state(.users, .loaded, index: 3, count: 1000)
        #expect(
            words([
                syncing(nil), syncing(500, of: 1000), loaded, syncing(nil, index: 4), syncing(100, index: 4),
            ])
            .suffix(2) == ["waiting for upstream", "100, page 1, 100 a second"])
    }

    @Test func `the rate covers the last seconds`() {
        var states = [syncing(nil)]
        for second in 1...40 { states.append(syncing(second < 20 ? second * 1000 : 19_000 + second - 19)) }
        #expect(words(states).last?.hasSuffix(", 1 a second") == true)
    }

    @Test(arguments: [(Int.max, Int.max), (Int.min, Int.min), (Int.max, -1), (1, Int.max)])
    func `numbers beyond all measure are no more than wrong`(done: Int, total: Int) {
        let states = [syncing(nil), syncing(done, of: total), syncing(Int.min, of: total), syncing(Int.max)]
        #expect(words(states).count == 4)
        var sync = SyncProgress(states[0], at: .zero)
        sync.take(states[1], at: .seconds(1))
        #expect(!render(SyncProgressView(syncs: [sync], time: .seconds(2)), width: 80, colour: false).isEmpty)
    }

    @Test func `without reports the rate falls`() {
        var sync = SyncProgress(syncing(nil), at: .zero)
        sync.take(syncing(100, of: 200), at: .seconds(1))
        #expect(sync.text(at: .seconds(10)) == "100 of 200, page 1 of 2, 10 a second, 10 s left")
    }

    @Test(arguments: [
        (
            80,
            """
            users  ━━━━────────  400 of 1,000, page 2 of 5, 200 a second, 3 s left
            facts  loaded   1 fact

            """
        ),
        (
            30,
            """
            users  ━━━━───────  400 of 1,…
            facts  loaded   1 fact

            """
        ),
    ])
    func `a bar takes what room there is`(width: Int, expected: String) {
        var sync = SyncProgress(syncing(nil), at: .zero)
        sync.take(syncing(200, of: 1000), at: .seconds(1))
        sync.take(syncing(400, of: 1000), at: .seconds(2))
        let view = SyncProgressView(syncs: [sync, SyncProgress(loadedFacts, at: .zero)], time: .seconds(2))
        #expect(render(view, width: width, colour: false) == expected)
    }
}

@Suite struct LiveAreaTests {
    private final class Screen: Sendable {
        let written = Mutex<[String]>([])
        let size = Mutex((columns: 20, rows: 4))

        var area: LiveArea {
            LiveArea(
                Console.Output(width: 20, size: { self.size.withLock { $0 } }) { bytes in
                    self.written.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                })
        }
    }

    private struct Lines: View {
        let texts: [String]
        var body: some View { Column { for text in texts { Text(text) } } }
    }

    @Test func `each drawing replaces the last, and nothing is left at the end`() {
        let screen = Screen()
        let area = screen.area
        area.draw(Lines(texts: ["a", "b"]))
        area.draw(Lines(texts: ["c"]))
        area.erase()
        area.draw(Lines(texts: ["too late"]))
        #expect(
            screen.written.withLock { $0 } == [
                "a\u{1B}[K\nb\u{1B}[K\n\u{1B}[J", "\u{1B}[2Fc\u{1B}[K\n\u{1B}[J", "\u{1B}[1F\u{1B}[J",
            ])
    }

    @Test func `lines wrapped by a narrower terminal are replaced, too`() {
        let screen = Screen()
        let area = screen.area
        area.draw(Lines(texts: ["1234567890123456", "a"]))
        screen.size.withLock { $0 = (8, 4) }
        area.draw(Lines(texts: ["b"]))
        #expect(screen.written.withLock { $0.last } == "\u{1B}[3Fb\u{1B}[K\n\u{1B}[J")
    }

    @Test func `nothing is cleared behind a full line, where its last character would go`() {
        let screen = Screen()
        screen.area.draw(Lines(texts: ["12345678901234567890", "a"]))
        #expect(screen.written.withLock { $0 } == ["12345678901234567890\na\u{1B}[K\n\u{1B}[J"])
    }

    @Test func `lines beyond the screen are left out`() {
        let screen = Screen()
        screen.area.draw(Lines(texts: ["1", "2", "3", "4", "5"]))
        #expect(screen.written.withLock { $0 } == ["1\u{1B}[K\n2\u{1B}[K\n3\u{1B}[K\n\u{1B}[J"])
    }
}
