import Model
import Stubs
import Sync
import TestSupport
import Testing
import Upstream

@Suite(.timeLimit(.hang), .stubs) struct ProgressTests {
    /// A sync of a hundred pages with one user each, and its watcher.
    private final class Sync: Sendable {
        let rig: Rig
        let watcher: Watcher

        init() async throws {
            rig = try await Rig { $0.paused = true }
            watcher = try await rig.engine.watch(from: .now, resources: [.users], progress: true)
            _ = try await rig.engine.sync([.users])
            for index in 0...1 { #expect(try await watcher.next()?.index == index) }
        }

        /// Answers for one page, and returns when the engine has reported it.
        func page(_ number: Int) async throws {
            try await rig.users.called()
            rig.users.success(people(number..<number + 1, next: number + 2, total: 100))
            try await rig.reaches { $0.progress?.done == number + 1 }
            // The engine shows the state before it reports it. This call returns after both.
            _ = await rig.engine.watcherCount
        }

        func lastPage(_ number: Int) async throws {
            try await rig.users.called()
            rig.users.success(people(number..<number + 1, total: 100))
        }

        func report() async throws -> Int? {
            let state = try await watcher.next()
            #expect(state?.index == 1 && state?.phase == .syncing)
            return state?.progress?.done
        }

        func end() async throws {
            let state = try await watcher.next()
            #expect(state?.index == 2 && state?.phase == .loaded)
            await rig.stop()
        }
    }

    @Test("The first page is reported at once, and no other page of the same moment before the sync ends")
    func atOnce() async throws {
        let sync = try await Sync()
        for number in 0..<50 { try await sync.page(number) }
        try await sync.lastPage(50)
        #expect(try await sync.report() == 1)
        try await sync.end()
    }

    @Test("With a page every 25 ms, each fourth is reported, which is ten a second")
    func steady() async throws {
        let sync = try await Sync()
        for number in 0..<40 {
            try await sync.page(number)
            if number == 0 { #expect(try await sync.report() == 1) }
            // The first page that must wait sets the alarm.
            if number == 1 || (number > 1 && number % 4 == 0) {
                let delay = try await sync.rig.clock.sleeps.receive()
                #expect(delay == .milliseconds(number == 1 ? 75 : 100))
            }
            sync.rig.clock.advance(by: .milliseconds(25))
            if number % 4 == 3 { #expect(try await sync.report() == number + 1) }
        }
        await sync.rig.stop()
    }

    @Test(
        "A page that waits to be reported is reported in time, even if no other page comes")
    func trailing() async throws {
        let sync = try await Sync()
        for number in 0..<7 { try await sync.page(number) }
        #expect(try await sync.report() == 1)
        #expect(try await sync.rig.clock.sleeps.receive() == .milliseconds(100))
        sync.rig.clock.advance(by: .milliseconds(100))
        #expect(try await sync.report() == 7)
        // No report is left before the next page.
        sync.rig.clock.advance(by: .seconds(10))
        try await sync.lastPage(7)
        #expect(try await sync.report() == 8)
        try await sync.end()
    }

    @Test("A waiting report is dropped when the sync ends")
    func afterTheEnd() async throws {
        let sync = try await Sync()
        for number in 0..<3 { try await sync.page(number) }
        #expect(try await sync.report() == 1)
        #expect(try await sync.rig.clock.sleeps.receive() == .milliseconds(100))
        _ = try await sync.rig.engine.cancel([.users])
        #expect(try await sync.watcher.next()?.phase == .initial)
        // The report's alarm is cancelled.
        try await wait { sync.rig.clock.sleeperCount == 0 }
        _ = try await sync.rig.engine.sync([.users])
        #expect(try await sync.watcher.next()?.index == 3)
        sync.rig.clock.advance(by: .seconds(1))
        _ = try await sync.rig.engine.cancel([.users])
        #expect(try await sync.watcher.next()?.index == 4)
        await sync.rig.stop()
    }

    @Test(
        "A slow watcher gets only the newest report, and gets it before the end of the sync"
    )
    func slow() async throws {
        let sync = try await Sync()
        for number in 0..<5 {
            try await sync.page(number)
            sync.rig.clock.advance(by: .milliseconds(100))
        }
        #expect(try await sync.report() == 5)
        for number in 5..<9 {
            try await sync.page(number)
            sync.rig.clock.advance(by: .milliseconds(100))
        }
        try await sync.lastPage(9)
        _ = try await sync.rig.ended()
        #expect(try await sync.report() == 10)
        try await sync.end()
    }

    @Test(
        "Two syncs are each reported ten times a second, and a slow watcher gets one report of each"
    )
    func two() async throws {
        let rig = try await Rig {
            $0.paused = true
            $0.resources = [.users, .facts]
            $0.watchQueue = 1
        }
        let quick = try await rig.engine.watch(from: .now, resources: [.users, .facts], progress: true)
        let slow = try await rig.engine.watch(from: .now, resources: [.users, .facts], progress: true)
        _ = try await rig.engine.sync([.users])
        _ = try await rig.engine.sync([.facts])
        for watcher in [quick, slow] {
            for index in [0, 0, 1, 2] { #expect(try await watcher.next()?.index == index) }
        }
        for page in 1...1000 { rig.users.success(people(page..<page + 1, next: page + 1)) }
        for page in 1...90 {
            rig.facts.success(Page(records: [newFact("\(page)")], next: PageRequest(number: page + 1)))
        }
        func reports(_ watcher: Watcher) async throws -> [Resource: Int] {
            var reports: [Resource: Int] = [:]
            for _ in 0..<2 {
                let state = try #require(try await watcher.next())
                reports[state.resource] = state.progress?.done
            }
            return reports
        }
        #expect(try await reports(quick) == [.users: 1, .facts: 1])
        try await rig.reaches(.users) { $0.progress?.done == 1000 }
        try await rig.reaches(.facts) { $0.progress?.done == 90 }
        for _ in 0..<2 { #expect(try await rig.clock.sleeps.receive() == .milliseconds(100)) }
        rig.clock.advance(by: .milliseconds(100))
        for watcher in [quick, slow] { #expect(try await reports(watcher) == [.users: 1000, .facts: 90]) }
        _ = try await rig.engine.cancel([.users])
        for watcher in [quick, slow] { #expect(try await watcher.next()?.index == 3) }
        await rig.stop()
    }

    @Test("A watcher that does not ask for progress gets none")
    func unwanted() async throws {
        let sync = try await Sync()
        let other = try await sync.rig.engine.watch(from: .now, resources: [.users], progress: false)
        try await sync.page(0)
        try await sync.lastPage(1)
        for index in 1...2 {
            let state = try await other.next()
            #expect(state?.index == index)
        }
        await sync.rig.stop()
    }
}
