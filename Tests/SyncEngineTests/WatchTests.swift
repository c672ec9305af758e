import Cache
import Model
import Stubs
import Sync
import TestSupport
import Testing
import Upstream

@Suite(.timeLimit(.hang), .stubs) struct WatchTests {
    private func rig(_ change: (inout Rig.Options) -> Void = { _ in }) async throws -> Rig {
        try await Rig {
            $0.paused = true
            change(&$0)
        }
    }

    /// Starts and cancels this number of syncs, with two transitions each.
    private func toggle(_ rig: Rig, _ count: Int) async throws {
        for _ in 0..<count {
            _ = try await rig.engine.sync([.users])
            _ = try await rig.engine.cancel([.users])
        }
    }

    private func indexes(_ watcher: Watcher, _ count: Int) async throws -> [Int] {
        var indexes: [Int] = []
        while indexes.count < count, let state = try await watcher.next() { indexes.append(state.index) }
        return indexes
    }

    @Test("A watch begins with the state of each resource, and then has each transition once")
    func snapshot() async throws {
        let rig = try await rig { $0.resources = [.users, .facts] }
        try await toggle(rig, 1)
        let watcher = try await rig.engine.watch(
            from: .now, resources: Set(Resource.allCases), progress: false)
        try await toggle(rig, 2)
        var seen: [String] = []
        for _ in 0..<6 { seen.append(try await watcher.next().map { "\($0.resource) \($0.index)" } ?? "") }
        #expect(seen == ["users 2", "facts 0", "users 3", "users 4", "users 5", "users 6"])
        await rig.stop()
    }

    @Test("Watches that begin at any moment have no gap and no repeat")
    func atomic() async throws {
        let rig = try await rig()
        let toggling = Task { try await toggle(rig, 60) }
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<40 {
                group.addTask {
                    let watcher = try await rig.engine.watch(from: .now, resources: [.users], progress: false)
                    var indexes: [Int] = []
                    while indexes.last != 120, let state = try await watcher.next() {
                        indexes.append(state.index)
                    }
                    return indexes
                }
            }
            for try await indexes in group {
                #expect(indexes == Array((indexes.first ?? 0)...120))
            }
        }
        try await toggling.value
        await rig.stop()
    }

    @Test("A watch since an index has all later transitions, past and new")
    func since() async throws {
        let rig = try await rig()
        try await toggle(rig, 3)
        let watcher = try await rig.engine.watch(
            from: .after(index: 2, epoch: "epoch-1"), resources: [.users], progress: false)
        try await toggle(rig, 1)
        #expect(try await indexes(watcher, 6) == [3, 4, 5, 6, 7, 8])
        let atEnd = try await rig.engine.watch(
            from: .after(index: 8, epoch: nil), resources: [.users], progress: false)
        try await toggle(rig, 1)
        #expect(try await indexes(atEnd, 2) == [9, 10])
        await rig.stop()
    }

    @Test("Past transitions are the same as when they were new")
    func pastIsExact() async throws {
        let rig = try await rig()
        let live = try await rig.engine.watch(from: .now, resources: [.users], progress: false)
        _ = try await live.next()
        rig.users.failure(upstreamError())
        _ = try await rig.engine.sync([.users], wait: true)
        try await toggle(rig, 1)
        let later = try await rig.engine.watch(
            from: .after(index: 0, epoch: nil), resources: [.users], progress: false)
        for _ in 0..<4 { #expect(try await live.next() == (try await later.next())) }
        await rig.stop()
    }

    @Test("A watch that resumes while transitions come has no gap and no repeat")
    func sinceAtomic() async throws {
        let rig = try await rig()
        let toggling = Task { try await toggle(rig, 40) }
        for _ in 0..<40 {
            let watcher = try await rig.engine.watch(
                from: .after(index: 0, epoch: nil), resources: [.users], progress: false)
            #expect(try await indexes(watcher, 80) == Array(1...80))
        }
        try await toggling.value
        await rig.stop()
    }

    @Test("A watch survives a restart of the daemon by its index")
    func overRestart() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c/userd.db")
        let first = try await rig { $0.path = path }
        try await toggle(first, 2)
        await first.stop()
        await first.cache.close()
        let second = try await rig { $0.path = path }
        try await toggle(second, 1)
        let watcher = try await second.engine.watch(
            from: .after(index: 3, epoch: "epoch-1"), resources: [.users], progress: false)
        #expect(try await indexes(watcher, 3) == [4, 5, 6])
        await second.stop()
    }

    @Test(
        "An index that is removed, not yet reached or of another cache is an error with the kept range",
        arguments: [
            (0, nil), (5, nil), (11, nil), (-1, nil), (.max, nil), (.min, nil), (10, "epoch-2"),
            (0, "epoch-2"),
        ] as [(Int, String?)])
    func gone(index: Int, epoch: String?) async throws {
        let rig = try await rig { $0.maximumHistory = 4 }
        try await toggle(rig, 5)
        await #expect(throws: WatchError.sequenceGone(epoch: "epoch-1", oldest: 7, newest: 10)) {
            try await rig.engine.watch(
                from: .after(index: index, epoch: epoch), resources: [.users], progress: false)
        }
        // Refused watches leave no watcher.
        try await wait { await rig.engine.watcherCount <= 1 }
        await rig.stop()
    }

    @Test("A watch can resume from the oldest kept index and all later ones", arguments: 6...10)
    func oldest(index: Int) async throws {
        let rig = try await rig { $0.maximumHistory = 4 }
        try await toggle(rig, 5)
        let watcher = try await rig.engine.watch(
            from: .after(index: index, epoch: "epoch-1"), resources: [.users], progress: false)
        try await toggle(rig, 1)
        #expect(try await indexes(watcher, 12 - index) == Array(index + 1...12))
        await rig.stop()
    }

    @Test("A cache without transitions can be watched since 0, but not since 1")
    func sinceNothing() async throws {
        let rig = try await rig()
        let watcher = try await rig.engine.watch(
            from: .after(index: 0, epoch: nil), resources: [.users], progress: false)
        await #expect(throws: WatchError.sequenceGone(epoch: "epoch-1", oldest: 0, newest: 0)) {
            try await rig.engine.watch(
                from: .after(index: 1, epoch: nil), resources: [.users], progress: false)
        }
        try await toggle(rig, 1)
        #expect(try await indexes(watcher, 2) == [1, 2])
        await rig.stop()
    }

    @Test("A watcher that does not read falls behind and learns where to resume; others are not affected")
    func fellBehind() async throws {
        let rig = try await rig { $0.watchQueue = 8 }
        let slow = try await rig.engine.watch(from: .now, resources: [.users], progress: false)
        let quick = try await rig.engine.watch(from: .now, resources: [.users], progress: false)
        #expect(try await quick.next()?.index == 0)
        for index in stride(from: 1, to: 12, by: 2) {
            try await toggle(rig, 1)
            _ = try await rig.next()
            _ = try await rig.next()
            #expect(try await indexes(quick, 2) == [index, index + 1])
        }
        #expect(try await slow.next()?.index == 0)
        await #expect(throws: WatchError.fellBehind(epoch: "epoch-1", index: 0)) { try await slow.next() }
        #expect(try await slow.next() == nil)
        let resumed = try await rig.engine.watch(
            from: .after(index: 0, epoch: "epoch-1"), resources: [.users], progress: false)
        #expect(try await indexes(resumed, 12) == Array(1...12))
        await rig.stop()
    }

    @Test("A watcher that is exactly as far behind as allowed has not fallen behind")
    func barelyBehind() async throws {
        let rig = try await rig { $0.watchQueue = 8 }
        let slow = try await rig.engine.watch(from: .now, resources: [.users], progress: false)
        #expect(try await slow.next()?.index == 0)
        try await toggle(rig, 4)
        #expect(try await indexes(slow, 2) == [1, 2])
        try await toggle(rig, 1)
        #expect(try await indexes(slow, 8) == Array(3...10))
        await rig.stop()
    }

    @Test("Unwanted transitions and reports never make a watcher fall behind")
    func unwanted() async throws {
        let rig = try await rig {
            $0.resources = [.users, .facts]
            $0.watchQueue = 2
        }
        let facts = try await rig.engine.watch(from: .now, resources: [.facts], progress: true)
        #expect(try await facts.next()?.index == 0)
        _ = try await rig.engine.sync([.facts])
        for page in 1...20 {
            rig.facts.success(Page(records: [newFact("\(page)")], next: PageRequest(number: page + 1)))
        }
        // All pages have come when the next one is requested.
        for _ in 1...21 { try await rig.facts.called() }
        try await toggle(rig, 10)
        #expect(try await facts.next()?.index == 1)
        await rig.stop()
    }

    @Test(
        "A long past is read in pages and followed by new transitions, also with a short queue")
    func longPast() async throws {
        let rig = try await rig { $0.watchQueue = 4 }
        try await toggle(rig, 170)
        let watcher = try await rig.engine.watch(
            from: .after(index: 0, epoch: nil), resources: [.users], progress: false)
        #expect(try await indexes(watcher, 150) == Array(1...150))
        try await toggle(rig, 60)
        #expect(try await indexes(watcher, 310) == Array(151...460))
        try await toggle(rig, 1)
        #expect(try await indexes(watcher, 2) == [461, 462])
        await rig.stop()
    }

    @Test("A watcher that reads the past too slowly learns that it is no longer kept")
    func forgottenPast() async throws {
        let rig = try await rig {
            $0.watchQueue = 4
            $0.maximumHistory = 150
        }
        try await toggle(rig, 75)
        let watcher = try await rig.engine.watch(
            from: .after(index: 0, epoch: nil), resources: [.users], progress: false)
        #expect(try await indexes(watcher, 1) == [1])
        try await toggle(rig, 75)
        #expect(try await indexes(watcher, 99) == Array(2...100))
        await #expect(throws: WatchError.sequenceGone(epoch: "epoch-1", oldest: 151, newest: 300)) {
            try await watcher.next()
        }
        #expect(try await watcher.next() == nil)
        await rig.stop()
    }

    @Test("A watch of one resource has no states of the other")
    func resources() async throws {
        let rig = try await rig { $0.resources = [.users, .facts] }
        let watcher = try await rig.engine.watch(from: .now, resources: [.facts], progress: true)
        try await toggle(rig, 2)
        _ = try await rig.engine.sync([.facts])
        #expect(try await watcher.next()?.index == 0)
        let state = try await watcher.next()
        #expect(state?.resource == .facts && state?.index == 5)
        let past = try await rig.engine.watch(
            from: .after(index: 0, epoch: nil), resources: [.facts], progress: false)
        #expect(try await past.next()?.index == 5)
        await rig.stop()
    }

    @Test("A watcher is removed by cancel, by a cancelled task, and when it is released")
    func leaves() async throws {
        let rig = try await rig()
        let cancelled = try await rig.engine.watch(from: .now, resources: [.users], progress: false)
        let waiting = try await rig.engine.watch(from: .now, resources: [.users], progress: false)
        do { _ = try await rig.engine.watch(from: .now, resources: [.users], progress: false) }
        cancelled.cancel()
        _ = try await waiting.next()
        let task = Task { try await waiting.next() }
        task.cancel()
        #expect(try await task.value == nil)
        // The rig's own watcher is left.
        try await wait { await rig.engine.watcherCount <= 1 }
        _ = try await cancelled.next()
        #expect(try await cancelled.next() == nil)
        await rig.stop()
    }

    @Test("A cancel wakes a watcher that waits for the next state")
    func cancelWakes() async throws {
        let rig = try await rig()
        let watcher = try await rig.engine.watch(from: .now, resources: [.users], progress: false)
        _ = try await watcher.next()
        let task = Task { try await watcher.next() }
        watcher.cancel()
        #expect(try await task.value == nil)
        await rig.stop()
    }

    @Test("A watch whose past can't be read is an error and leaves no watcher")
    func pastFails() async throws {
        let rig = try await rig()
        try await toggle(rig, 1)
        await rig.cache.reader.close()
        await #expect(throws: CacheError.self) {
            try await rig.engine.watch(
                from: .after(index: 0, epoch: nil), resources: [.users], progress: false)
        }
        try await wait { await rig.engine.watcherCount <= 1 }
        await rig.stop()
    }
}
