import Model
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Cache

@Suite("Pictures on request", .timeLimit(.hang))
struct AskedPictureTests {
    private func rig(
        users: Int = 3, bytes: Int = 100,
        answer: @escaping PictureRig.Answer = { .picture(portrait("of \($0.url)")) }
    ) async throws -> PictureRig {
        try await PictureRig(answer: answer) {
            $0.users = users
            $0.sizes = []
            $0.limits.bytes = bytes
        }
    }

    @Test("A missing picture is fetched and cached, whatever sizes are fetched ahead")
    func fetched() async throws {
        let rig = try await rig()
        #expect(try await rig.ask(1) == "of l/1")
        #expect(try await rig.ask(1) == "of l/1")
        #expect(try await rig.ask(1, .medium) == "of m/1")
        #expect(rig.takeURLs == ["l/1", "m/1"])
        await rig.stop()
    }

    @Test("Concurrent requests for the same picture share one fetch")
    func shared() async throws {
        let gate = Channel<Void>()
        let rig = try await rig { _ in
            try await gate.receive()
            return .picture(portrait("x"))
        }
        let missing = try await rig.cache.reader.picture("u1", .large)
        let tasks = (0..<20).map { _ in Task { await rig.fetcher.fetch(missing) } }
        try await wait { await rig.fetcher.waitingCount == 20 }
        gate.send(())
        for task in tasks { #expect(await task.value == portrait("x")) }
        #expect(rig.takeURLs == ["l/1"])
        #expect(try await rig.cached(1, .large) == "x")
        await rig.stop()
    }

    @Test("At most eight pictures are fetched at the same time, and other requests wait")
    func bounded() async throws {
        let gate = Channel<Void>()
        let rig = try await rig(users: 20) { _ in
            try await gate.receive()
            return .picture(portrait("x"))
        }
        let tasks = (0..<20).map { number in Task { try await rig.ask(number) } }
        for _ in 0..<8 { _ = try await rig.asked.receive() }
        #expect(rig.takeURLs.count == 8)
        for _ in 0..<20 { gate.send(()) }
        for task in tasks { #expect(try await task.value == "x") }
        await rig.stop()
    }

    @Test("A request waits at most eight seconds, for upstream and for its turn together")
    func patience() async throws {
        let rig = try await rig(users: 9) { _ in
            while true { try await Task.sleep(for: .seconds(60)) }
        }
        let tasks = (0..<9).map { number in Task { try await rig.ask(number) } }
        for _ in 0..<9 { #expect(try await rig.clock.sleeps.receive() == .seconds(8)) }
        rig.clock.advance(by: .seconds(8))
        for task in tasks { #expect(try await task.value == nil) }
        rig.answer { _ in .picture(portrait("x")) }
        #expect(try await rig.ask(8) == "x")
        await rig.stop()
    }

    @Test(
        "An address without a picture is skipped for five minutes, but an unreachable upstream is tried again"
    )
    func refused() async throws {
        let rig = try await rig { _ in throw UpstreamError(.http, "404", status: 404) }
        #expect(try await rig.ask(1) == nil)
        rig.answer { _ in .picture(portrait("x")) }
        rig.clock.advance(by: .seconds(299))
        #expect(try await rig.ask(1) == nil)
        #expect(rig.takeURLs == ["l/1"])
        rig.clock.advance(by: .seconds(1))
        #expect(try await rig.ask(1) == "x")
        rig.answer { _ in throw UpstreamError(.offline, "refused") }
        #expect(try await rig.ask(2) == nil)
        rig.answer { _ in .picture(portrait("y")) }
        #expect(try await rig.ask(2) == "y")
        await rig.stop()
    }

    @Test("A picture with a new version is fetched again, and the old one is returned if that fails")
    func version() async throws {
        let version = Mutex(1)
        let rig = try await PictureRig {
            $0.sizes = []
            $0.thumbnail = { user in
                "ldap://h/\(user)?photo?base?(a=*)?x-changed=\(version.withLock { $0 })"
            }
        }
        #expect(try await rig.ask(1, .thumbnail) == "x")
        version.withLock { $0 = 2 }
        try await rig.sync([0, 1, 2], number: 2)
        rig.answer { _ in throw UpstreamError(.offline, "refused") }
        #expect(try await rig.ask(1, .thumbnail) == "x")
        rig.answer { _ in .picture(portrait("y")) }
        #expect(try await rig.ask(1, .thumbnail) == "y")
        #expect(try await rig.cached(1) == "y")
        rig.answer { _ in throw UpstreamError(.offline, "refused") }
        #expect(try await rig.ask(1, .thumbnail) == "y")
        #expect(rig.takeURLs.count == 3)
        version.withLock { $0 = 3 }
        try await rig.sync([0, 1, 2], number: 3)
        rig.answer { _ in .absent }
        #expect(try await rig.ask(1, .thumbnail) == nil)
        #expect(try await rig.cached(1) == nil)
        await rig.stop()
    }

    @Test("A picture that upstream does not have is not requested again at once")
    func absent() async throws {
        let rig = try await rig { _ in .absent }
        #expect(try await rig.ask(1) == nil)
        #expect(try await rig.ask(1) == nil)
        #expect(rig.takeURLs.count == 1)
        await rig.stop()
    }

    @Test("A picture is returned but not cached if the cache is full")
    func full() async throws {
        let rig = try await rig(bytes: 5)
        #expect(try await rig.ask(1) == "of l/1")
        #expect(try await rig.cached(1, .large) == nil)
        await rig.stop()
    }

    @Test("A picture that the cache can't save is still returned, and the failure is logged")
    func unkept() async throws {
        let rig = try await PictureRig {
            $0.sizes = []
            $0.pictures = { $0.keep = { _, _, _ in throw CacheError.storage("disk full") } }
        }
        #expect(try await rig.ask(1) == "x")
        #expect(try await rig.cached(1, .large) == nil)
        try await rig.logged("Can't save a picture")
        await rig.stop()
    }

    @Test("A user without a picture address has no picture")
    func none() async throws {
        let rig = try await rig()
        let missing = FoundPicture(userID: "u1", size: .large, url: nil)
        #expect(await rig.fetcher.fetch(missing) == nil)
        #expect(rig.takeURLs == [])
        await rig.stop()
    }

    @Test("When the daemon ends, all fetches end and no other begins")
    func ended() async throws {
        let rig = try await rig { _ in
            while true { try await Task.sleep(for: .seconds(60)) }
        }
        let task = Task { try await rig.ask(1) }
        _ = try await rig.asked.receive()
        await rig.stop()
        #expect(try await task.value == nil)
        #expect(try await rig.ask(2) == nil)
        #expect(rig.takeURLs == ["l/1"])
    }
}
