import Cache
import Model
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Hosts of pictures, and pauses", .timeLimit(.hang))
struct PictureHostTests {
    private let left = "Can't fetch some pictures; trying again after the next sync"

    @Test("After eight failures of a host in a row, only that host is left out")
    func oneOfTwo() async throws {
        let rig = try await PictureRig(answer: { asked in
            if asked.url.hasPrefix("l/") { throw UpstreamError(.offline, "refused") }
            return .picture(portrait("x"))
        }) {
            $0.users = 100
            $0.sizes = [.large, .thumbnail]
        }
        rig.fetcher.wake()
        try await rig.logged(left)
        let urls = rig.takeURLs
        #expect(urls.count { $0.hasPrefix("t/") } == 100)
        #expect((8...11).contains(urls.count { $0.hasPrefix("l/") }))
        await rig.stop()
    }

    @Test("A host that is away is one host in each spelling")
    func spellings() async throws {
        let rig = try await PictureRig(answer: { _ in throw UpstreamError(.offline, "refused") }) {
            $0.users = 40
            $0.limits.concurrency = 1
            $0.thumbnail = { user in
                let hosts = ["p.example", "P.example:80", "p.example.", "a@p.example"]
                return "http://\(hosts[user % 4])/\(user)"
            }
        }
        rig.fetcher.wake()
        try await rig.logged(left)
        #expect(rig.takeURLs.count == 8)
        await rig.stop()
    }

    @Test("A run ends when all pictures fail, whatever their hosts")
    func nowhere() async throws {
        let rig = try await PictureRig(answer: { _ in throw UpstreamError(.offline, "refused") }) {
            $0.users = 100
            $0.sizes = [.large, .thumbnail]
            $0.limits.failuresInARow = 1000
            $0.limits.concurrency = 1
        }
        rig.fetcher.wake()
        try await rig.logged(left)
        #expect(rig.takeURLs.count == 64)
        await rig.stop()
    }

    @Test(
        "A Retry-After that is not positive, or comes with 404, does not end a run",
        arguments: [
            UpstreamError(.http, "404", status: 404, retryAfter: .seconds(100)),
            UpstreamError(.rateLimited, "429", status: 429, retryAfter: .zero),
            UpstreamError(.http, "503", status: 503, retryAfter: .seconds(-100)),
        ])
    func noRest(error: UpstreamError) async throws {
        let rig = try await PictureRig(answer: { asked in
            if asked.url == "t/0" { throw error }
            return .picture(portrait("x"))
        }) {
            $0.users = 20
            $0.limits.concurrency = 1
        }
        try await rig.run()
        #expect(rig.takeURLs.count == 20)
        #expect(try await rig.cached(19) == "x")
        await rig.stop()
    }

    @Test("A Retry-After of a host also applies to requests, for a day at most, but not to other hosts")
    func restWhenAsked() async throws {
        let rig = try await PictureRig(answer: { _ in
            throw UpstreamError(.http, "503", status: 503, retryAfter: .seconds(1_000_000))
        }) { $0.users = 3 }
        #expect(try await rig.ask(1) == nil)
        rig.answer { _ in .picture(portrait("x")) }
        #expect(try await rig.ask(1) == nil)
        #expect(try await rig.ask(2) == nil)
        #expect(rig.takeURLs == ["l/1"])
        #expect(try await rig.ask(2, .medium) == "x")
        try await rig.run()
        #expect(rig.takeURLs == ["m/2", "t/0", "t/1", "t/2"])
        rig.clock.advance(by: .seconds(86_400))
        #expect(try await rig.ask(2) == "x")
        await rig.stop()
    }

    @Test(
        "A run ends if all other pictures are on a host with a Retry-After, whatever follows the host",
        arguments: ["", "/", "?u=", "#", "/?u="])
    func restOfAddresses(separator: String) async throws {
        let rig = try await PictureRig(answer: { asked in
            if asked.url.hasPrefix("https://h.example") {
                throw UpstreamError(.rateLimited, "429", status: 429, retryAfter: .seconds(100))
            }
            return .picture(portrait("x"))
        }) {
            $0.users = 20
            $0.limits.concurrency = 1
            $0.limits.batch = 4
            $0.thumbnail = { number in
                let host = number == 19 ? "https://h.example.org" : "https://h.example"
                return "\(host)\(separator)\(separator.isEmpty || number == 19 ? "" : String(number))"
            }
        }
        try await rig.run()
        let urls = rig.takeURLs
        #expect(urls.count == 2)
        #expect(urls.contains { $0.hasPrefix("https://h.example.org") })
        await rig.stop()
    }

    @Test("A run that can't start any fetch ends")
    func nothingStarted() async throws {
        let rig = try await PictureRig(answer: { _ in
            throw UpstreamError(.rateLimited, "429", status: 429, retryAfter: .seconds(100))
        }) { options in
            options.limits.concurrency = 1
            options.pictures = { cache in
                let due = cache.due
                // This cache does not leave out hosts.
                cache.due = { query in
                    var query = query
                    query.leftOut = []
                    return try await due(query)
                }
            }
        }
        rig.fetcher.wake()
        try await rig.logged("Pictures fetched")
        #expect(rig.takeURLs.count == 1)
        await rig.stop()
    }

    @Test("A pause stops fetching ahead, but requests are still answered")
    func paused() async throws {
        let gate = Channel<Void>()
        let rig = try await PictureRig(answer: { _ in
            try await gate.receive()
            return .picture(portrait("x"))
        }) {
            $0.users = 20
            $0.limits.concurrency = 1
        }
        rig.fetcher.wake()
        _ = try await rig.asked.receive()
        rig.isPaused.set(true)
        gate.send(())
        try await rig.logged("Pictures fetched")
        #expect(rig.takeURLs == ["t/0"])
        #expect(try await rig.cached(0) == "x")
        rig.fetcher.wake()
        try await rig.logged("Pictures wait for the end of the pause")
        gate.send(())
        #expect(try await rig.ask(1) == "x")
        #expect(rig.takeURLs == ["l/1"])
        rig.isPaused.set(false)
        for _ in 1..<20 { gate.send(()) }
        rig.fetcher.wake()
        try await rig.logged("Pictures fetched")
        #expect(rig.takeURLs.count == 19)
        await rig.stop()
    }

    @Test("The sizes to fetch are written before a run if that failed at the start")
    func wanted() async throws {
        let isFull = Flag(true)
        let rig = try await PictureRig { options in
            options.sizes = [.thumbnail]
            options.pictures = { cache in
                let prefetch = cache.prefetch
                cache.prefetch = { sizes in
                    if isFull.isOn { throw CacheError.storage("disk full") }
                    try await prefetch(sizes)
                }
            }
        }
        try await rig.logged("Can't save which pictures to fetch")
        try await rig.cache.pictures.prefetch([])
        rig.fetcher.wake()
        try await rig.logged("Can't save pictures")
        isFull.set(false)
        rig.fetcher.wake()
        try await rig.logged("Pictures fetched")
        #expect(try await rig.cached(2) == "x")
        await rig.stop()
    }

    @Test("In a full cache, pictures are checked again, and replaced only by ones that are not larger")
    func fullIsRechecked() async throws {
        let rig = try await PictureRig(answer: { _ in .picture(portrait("1234567890", etag: "\"1\"")) }) {
            $0.users = 20
            $0.limits.bytes = 35
            $0.limits.concurrency = 1
        }
        rig.fetcher.wake()
        try await rig.logged("Pictures fetched")
        let cached = rig.takeURLs
        rig.clock.advance(by: .seconds(8 * 86_400))
        rig.answer { asked in
            switch asked.url {
            case cached[0]: .unchanged
            case cached[1]: .picture(portrait("another one", etag: "\"2\""))
            default: .picture(portrait("9876543210", etag: "\"2\""))
            }
        }
        rig.fetcher.wake()
        try await rig.logged("Pictures fetched")
        #expect(rig.takeURLs == cached)
        #expect(try await rig.cache.pictures.bytes() == 40)
        var contents: [String?] = []
        for number in 0..<20 { contents.append(try await rig.cached(number)) }
        #expect(contents.count { $0 == "1234567890" } == 2)
        #expect(contents.count { $0 == "9876543210" } == 2)
        await rig.stop()
    }

    @Test("A picture that several requests share is written once")
    func keptOnce() async throws {
        let gate = Channel<Void>()
        let keeps = Mutex(0)
        let rig = try await PictureRig(answer: { _ in
            try await gate.receive()
            return .picture(portrait("x"))
        }) { options in
            options.sizes = []
            options.pictures = { cache in
                let keep = cache.keep
                cache.keep = { kept, dueAt, bytes in
                    keeps.withLock { $0 += 1 }
                    try await keep(kept, dueAt, bytes)
                }
            }
        }
        let missing = try await rig.cache.reader.picture("u1", .large)
        let tasks = (0..<5).map { _ in Task { await rig.fetcher.fetch(missing) } }
        try await wait { await rig.fetcher.waitingCount == 5 }
        gate.send(())
        for task in tasks { #expect(await task.value == portrait("x")) }
        #expect(keeps.withLock { $0 } == 1)
        await rig.stop()
    }
}
