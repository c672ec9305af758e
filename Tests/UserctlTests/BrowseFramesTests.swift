import Model
import TerminalViews
import Testing

@testable import UserctlCommands

@Suite("The frames that browse draws")
struct BrowseFramesTests {
    /// Draws after each state, as the loop does.
    /// - Returns: the number of frames.
    private func frames(_ states: [State]) -> Int {
        var browsing = Browsing.begun([anna, wei])
        var frame = Frame(colour: false)
        func draws() -> Bool {
            let clock = WallClock(now: { noon })
            return !frame.update(to: BrowserScreen(browser: browsing.browser, clock: clock), columns: 60)
                .isEmpty
        }
        _ = draws()
        return states.count { state in
            browsing.send(.state(state))
            return draws()
        }
    }

    private func users(_ phase: Phase, _ index: Int, done: Int? = nil) -> State {
        state(
            .users, phase, index: index, count: 2, syncedAt: time("04T11:57:00"),
            progress: done.map { Progress(done: $0, total: 5000) })
    }

    @Test("A sync with three reports draws five frames, and a repeated report draws none")
    func sync() {
        let states = [
            users(.syncing, 2), users(.syncing, 2, done: 100), users(.syncing, 2, done: 100),
            users(.syncing, 2, done: 3000), users(.syncing, 2, done: 5000), users(.loaded, 3),
        ]
        #expect(frames(states) == 5)
    }

    @Test("A state that is repeated, as after a restart of userd, draws no frame")
    func again() {
        #expect(frames([users(.loaded, 1), users(.loaded, 1)]) == 0)
    }
}
