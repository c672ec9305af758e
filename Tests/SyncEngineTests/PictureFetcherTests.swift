import Cache
import Model
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Pictures that are fetched ahead", .timeLimit(.hang))
struct PictureFetcherTests {
    private let day = Duration.seconds(86_400)

    @Test("A due picture without validators is fetched once and never again")
    func once() async throws {
        let rig = try await PictureRig { asked in .picture(portrait("of \(asked.url)")) }
        try await rig.run()
        #expect(rig.takeURLs == ["t/0", "t/1", "t/2"])
        #expect(try await rig.cached(1) == "of t/1")
        try await rig.sync([0, 1, 2, 3], number: 2)
        try await rig.run()
        #expect(rig.takeURLs == ["t/3"])
        rig.clock.advance(by: .seconds(365 * 86_400))
        try await rig.run()
        #expect(rig.takeURLs == [])
        await rig.stop()
    }

    @Test("At most four pictures are fetched at the same time")
    func bounded() async throws {
        let gate = Channel<Void>()
        let busy = Mutex((now: 0, most: 0))
        let rig = try await PictureRig(answer: { _ in
            busy.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            try await gate.receive()
            busy.withLock { $0.now -= 1 }
            return .picture(portrait("x"))
        }) { $0.users = 150 }
        rig.fetcher.wake()
        // The request is sent a moment before it is counted.
        try await wait { busy.withLock { $0.now } == 4 }
        for _ in 0..<150 { gate.send(()) }
        try await rig.ended()
        #expect(rig.takeURLs.count == 150)
        #expect(busy.withLock { $0 } == (now: 0, most: 4))
        await rig.stop()
    }

    @Test("A picture that upstream does not have is removed, and checked again after a week")
    func absent() async throws {
        let rig = try await PictureRig(answer: { _ in .absent }) { $0.users = 1 }
        try await rig.run()
        #expect(rig.takeURLs == ["t/0"])
        rig.clock.advance(by: day * 7)
        try await rig.run()
        #expect(rig.takeURLs == [])
        rig.clock.advance(by: .milliseconds(1))
        rig.answer { _ in .picture(portrait("x", etag: "\"1\"")) }
        try await rig.run()
        #expect(rig.takeURLs == ["t/0"])
        #expect(try await rig.cached(0) == "x")
        rig.clock.advance(by: day * 8)
        rig.answer { _ in .absent }
        try await rig.run()
        #expect(try await rig.cached(0) == nil)
        await rig.stop()
    }

    @Test("A picture with validators is checked after a week, and not before")
    func validators() async throws {
        let known = Validators(etag: "\"1\"")
        let rig = try await PictureRig(answer: { asked in
            asked.known == known ? .unchanged : .picture(portrait("x", etag: "\"1\""))
        }) { $0.users = 1 }
        try await rig.run()
        #expect(rig.takeQuestions() == [PictureRig.Asked(url: "t/0", known: nil)])
        for _ in 0..<2 {
            rig.clock.advance(by: day * 7)
            try await rig.run()
            #expect(rig.takeURLs == [])
            rig.clock.advance(by: .milliseconds(1))
            try await rig.run()
            #expect(rig.takeQuestions() == [PictureRig.Asked(url: "t/0", known: known)])
        }
        #expect(try await rig.cached(0) == "x")
        await rig.stop()
    }

    @Test(
        "A failed picture affects no other, and is tried again after a day",
        arguments: [
            UpstreamError(.http, "404", status: 404), UpstreamError(.decode, "HTML"),
            UpstreamError(.tooLarge, "3 MiB"), UpstreamError(.redirect, "to an internal host"),
        ])
    func ownFailure(error: UpstreamError) async throws {
        let rig = try await PictureRig(answer: { asked in
            if asked.url != "t/19" { throw error }
            return .picture(portrait("x"))
        }) { $0.users = 20 }
        try await rig.run()
        #expect(rig.takeURLs.count == 20)
        #expect(try await rig.cached(19) == "x")
        #expect(try await rig.cached(0) == nil)
        rig.clock.advance(by: day)
        try await rig.run()
        #expect(rig.takeURLs == [])
        rig.clock.advance(by: .milliseconds(1))
        rig.answer { _ in .picture(portrait("y")) }
        try await rig.run()
        #expect(rig.takeURLs.count == 19)
        #expect(try await rig.cached(0) == "y")
        await rig.stop()
    }

    @Test(
        "A run ends after eight failures in a row, and the next run begins with the other pictures",
        arguments: [
            UpstreamError(.offline, "refused"), UpstreamError(.timeout, "slow"),
            UpstreamError(.tls, "expired"),
            UpstreamError(.rateLimited, "429", status: 429), UpstreamError(.http, "500", status: 500),
        ])
    func away(error: UpstreamError) async throws {
        let rig = try await PictureRig(answer: { _ in throw error }) { $0.users = 40 }
        rig.fetcher.wake()
        try await rig.logged("Can't fetch some pictures; trying again after the next sync")
        let first = Set(rig.takeURLs)
        // Up to three more requests were under way.
        #expect((8...11).contains(first.count))
        rig.clock.advance(by: .seconds(60))
        let failing = first
        rig.answer { asked in
            if failing.contains(asked.url) { throw error }
            return .picture(portrait("x"))
        }
        rig.fetcher.wake()
        try await rig.logged("Can't fetch some pictures; trying again after the next sync")
        #expect(rig.takeURLs.count >= 29 + 8)
        let missing = try await (0..<40).asyncFilter { try await rig.cached($0) == nil }
        #expect(Set(missing.map { "t/\($0)" }) == first)
        await rig.stop()
    }

    @Test("Failures that are not consecutive do not end a run")
    func notInARow() async throws {
        let rig = try await PictureRig(answer: { asked in
            // Due addresses are in the order of the users.
            if asked.url.hasSuffix("5") { return .picture(portrait("x")) }
            throw UpstreamError(.offline, "refused")
        }) {
            $0.users = 40
            $0.limits.concurrency = 1
            $0.limits.failuresInARow = 11
        }
        try await rig.run()
        #expect(rig.takeURLs.count == 40)
        await rig.stop()
    }

    @Test("A host with a Retry-After is not used until it ends")
    func retryAfter() async throws {
        let rig = try await PictureRig { _ in
            throw UpstreamError(.rateLimited, "429", status: 429, retryAfter: .seconds(100))
        }
        rig.fetcher.wake()
        try await rig.logged("Can't fetch some pictures; trying again after the next sync")
        _ = rig.takeURLs
        rig.answer { _ in .picture(portrait("x")) }
        rig.clock.advance(by: .seconds(99))
        rig.fetcher.wake()
        try await rig.logged("No picture was fetched")
        #expect(rig.takeURLs == [])
        rig.clock.advance(by: .seconds(1))
        rig.fetcher.wake()
        try await rig.logged("Pictures fetched")
        #expect(rig.takeURLs == ["t/0", "t/1", "t/2"])
        await rig.stop()
    }

    @Test("At the size limit, fetching ahead stops with one warning, and goes on when there is room")
    func full() async throws {
        let rig = try await PictureRig(answer: { _ in .picture(portrait("1234567890")) }) {
            $0.users = 20
            $0.limits.bytes = 35
            $0.limits.concurrency = 1
        }
        let full = "No more pictures are fetched ahead: they have reached their size limit in the cache"
        rig.fetcher.wake()
        #expect(try await rig.logged("Pictures fetched") == [full])
        #expect(rig.takeURLs.count == 4)
        // A new user, while there is no room.
        try await rig.sync(Array(0..<21), number: 2)
        rig.fetcher.wake()
        #expect(try await rig.logged("No picture was fetched") == [])
        try await rig.sync(Array(1..<21), number: 3)
        rig.fetcher.wake()
        #expect(try await rig.logged("Pictures fetched") == [full])
        #expect(rig.takeURLs.count == 1)
        #expect(try await rig.cache.pictures.bytes() == 40)
        await rig.stop()
    }

    @Test("Wakes during a run cause one more run")
    func joins() async throws {
        let gate = Channel<Void>()
        let rig = try await PictureRig(answer: { _ in
            try await gate.receive()
            return .picture(portrait("x"))
        }) { $0.users = 1 }
        rig.fetcher.wake()
        _ = try await rig.asked.receive()
        try await rig.sync([0, 1], number: 2)
        for _ in 0..<5 { rig.fetcher.wake() }
        for _ in 0..<2 { gate.send(()) }
        try await rig.ended()
        // The second run finds nothing, and there is no third.
        try await rig.ended()
        try await rig.sync([0, 1, 2], number: 3)
        gate.send(())
        try await rig.run()
        #expect(rig.takeURLs == ["t/0", "t/1", "t/2"])
        await rig.stop()
    }

    @Test("A picture whose time a clock that was ahead has set is checked in the next run, once")
    func ahead() async throws {
        let rig = try await PictureRig()
        try await rig.run()
        #expect(rig.takeURLs == ["t/0", "t/1", "t/2"])
        try await rig.cache.pictures.settle("t/1", .unchanged, began + day * 365)
        try await rig.cache.pictures.settle("t/2", .unchanged, began + day * 7)
        try await rig.run()
        #expect(rig.takeURLs == ["t/1"])
        try await rig.run()
        #expect(rig.takeURLs == [])
        await rig.stop()
    }

    @Test("A run ends at once with the daemon, and unfetched pictures are due at the next start")
    func ends() async throws {
        let rig = try await PictureRig { asked in
            if asked.url == "t/0" { return .picture(portrait("x")) }
            while true { try await Task.sleep(for: .seconds(60)) }
        }
        rig.fetcher.wake()
        for _ in 0..<3 { _ = try await rig.asked.receive() }
        await rig.stop()
        let due = try await rig.cache.pictures.due(DueQuery(before: began + day, limit: 10)).map(\.url)
        #expect(Set(due).isSuperset(of: ["t/1", "t/2"]))
    }

    @Test("A picture is not cached if its user is removed while it is fetched")
    func goneMeanwhile() async throws {
        let gate = Channel<Void>()
        let rig = try await PictureRig(answer: { _ in
            try await gate.receive()
            return .picture(portrait("x"))
        }) { $0.users = 1 }
        rig.fetcher.wake()
        _ = try await rig.asked.receive()
        try await rig.sync([7], number: 2)
        for _ in 0..<2 { gate.send(()) }
        try await rig.ended()
        #expect(try await rig.cache.pictures.bytes() == 1)
        #expect(try await rig.cached(7) == "x")
        await rig.stop()
    }

    @Test("A cache that can't be written ends the run, and the next one goes on")
    func storage() async throws {
        let isFull = Flag(true)
        let rig = try await PictureRig { options in
            options.pictures = { cache in
                let settle = cache.settle
                cache.settle = { url, outcome, dueAt in
                    if isFull.isOn { throw CacheError.storage("disk full") }
                    try await settle(url, outcome, dueAt)
                }
            }
        }
        rig.fetcher.wake()
        try await rig.logged("Can't save pictures")
        isFull.set(false)
        try await rig.run()
        #expect(try await rig.cached(2) == "x")
        await rig.stop()
    }

    @Test("A reload changes the sizes and the service")
    func adopts() async throws {
        let rig = try await PictureRig { $0.sizes = [] }
        await rig.fetcher.adopt(
            PicturesService { url, _ in .picture(portrait("other \(url)")) },
            sizes: Set(PictureSize.allCases))
        rig.fetcher.wake()
        try await rig.logged("Pictures fetched")
        #expect(rig.takeURLs == [])
        #expect(try await rig.cached(1, .large) == "other l/1")
        #expect(try await rig.cached(1) == "other t/1")
        await rig.fetcher.adopt(
            PicturesService { _, _ in preconditionFailure("no picture is fetched") }, sizes: [])
        try await rig.sync([9], number: 2)
        #expect(try await rig.cache.pictures.due(DueQuery(before: began + day, limit: 10)) == [])
        await rig.stop()
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncFilter(_ isIncluded: (Element) async throws -> Bool) async rethrows -> [Element] {
        var result: [Element] = []
        for element in self where try await isIncluded(element) { result.append(element) }
        return result
    }
}
