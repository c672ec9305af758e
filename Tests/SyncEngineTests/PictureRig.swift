import Logging
import Model
import Sync
import Synchronization
import TestSupport
import Upstream

@testable import Cache

/// A picture fetcher over the real cache, whose users have a picture each, with a stub for upstream and a
/// clock of its own.
final class PictureRig: Sendable {
    struct Asked: Hashable, Sendable {
        var url: String
        var known: Validators?
    }

    struct Options: Sendable {
        var users = 3
        var sizes: Set<PictureSize> = [.thumbnail]
        var limits = PictureLimits()
        /// The address of a user's thumbnail; nil for the usual one.
        var thumbnail: (@Sendable (Int) -> String)?
        /// Replaces parts of the cache.
        var pictures: @Sendable (inout PictureCache) -> Void = { _ in }
    }

    typealias Answer = @Sendable (Asked) async throws -> PictureAnswer

    /// Each request, as it is sent.
    let asked = Channel<Asked>()
    let cache: Cache
    let clock = VirtualClock(now: .milliseconds(began.milliseconds))
    let fetcher: PictureFetcher
    let isPaused = Flag(false)
    private let questions = Mutex<[Asked]>([])
    private let answer: Mutex<Answer>
    private let thumbnail: (@Sendable (Int) -> String)?
    /// Number of due pictures that each look found.
    private let looks = Channel<Int>()
    private let log = Channel<String>()
    private let running: Mutex<Task<Void, Never>?>

    init(
        _ options: Options = Options(), answer: @escaping Answer = { _ in .picture(portrait("x")) }
    ) async throws {
        self.answer = Mutex(answer)
        thumbnail = options.thumbnail
        let environment = EngineEnvironment(
            now: { [clock] in Timestamp(milliseconds: clock.now.milliseconds) },
            monotonic: { [clock] in clock.now }, sleep: { [clock] in try await clock.sleep($0) },
            draw: { 0.5 })
        let cache = try await Cache.live(
            path: ":memory:", newEpoch: "epoch-1", now: environment.now, random: { $0.lowerBound })
        self.cache = cache
        var pictures = cache.pictures
        options.pictures(&pictures)
        pictures.due = { [looks, due = pictures.due] query in
            let found = try await due(query)
            looks.send(found.count)
            return found
        }
        let log = log
        let box = Box()
        fetcher = PictureFetcher(
            service: PicturesService { url, known in try await box.ask(Asked(url: url, known: known)) },
            sizes: options.sizes, cache: pictures, environment: environment, limits: options.limits,
            logger: Logger(label: "test") { _ in
                TestLogHandler { log.send("\($0.message)") }
            })
        running = Mutex(nil)
        box.rig = self
        try await cache.pictures.prefetch(options.sizes)
        try await sync(Array(0..<options.users))
        let (fetcher, isPaused) = (fetcher, isPaused)
        running.withLock { $0 = Task { await fetcher.run { isPaused.isOn } } }
    }

    convenience init(
        answer: @escaping Answer = { _ in .picture(portrait("x")) }, _ change: (inout Options) -> Void
    ) async throws {
        var options = Options()
        change(&options)
        try await self.init(options, answer: answer)
    }

    private final class Box: Sendable {
        private let holder = Mutex<PictureRig?>(nil)

        var rig: PictureRig? {
            get { holder.withLock { $0 } }
            set { holder.withLock { $0 = newValue } }
        }

        func ask(_ asked: Asked) async throws -> PictureAnswer {
            guard let rig else { throw CancellationError() }
            rig.questions.withLock { $0.append(asked) }
            rig.asked.send(asked)
            return try await rig.answer.withLock { $0 }(asked)
        }
    }

    func stop() async {
        let task = running.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    func answer(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    /// Requests since the last call, in order of their addresses.
    func takeQuestions() -> [Asked] {
        questions.withLock { questions in
            defer { questions = [] }
            return questions.sorted { $0.url < $1.url }
        }
    }

    var takeURLs: [String] { takeQuestions().map(\.url) }

    /// Makes these numbers the users.
    func sync(_ users: [Int], number: Int = 1) async throws {
        try await cache.writer.beginStaging(.users, number)
        let users = users.map { user in
            var portrayed = portrayed(user)
            if let thumbnail { portrayed.picture?.thumbnail = thumbnail(user) }
            return portrayed
        }
        _ = try await cache.writer.stageUsers(Page(records: users), 1, number)
        _ = try await cache.writer.commit(.users, number, .atOnce) { rows in
            let state = State(
                epoch: "", index: 0, resource: .users, phase: .loaded, since: began, cause: .requested,
                count: rows.after, syncedAt: began, stale: false)
            return Change(
                transition: state, resource: SavedResource(state: state, interval: .seconds(60)))
        }
    }

    /// Runs until no picture is due.
    func run() async throws {
        fetcher.wake()
        try await ended()
    }

    func ended() async throws {
        while try await looks.receive() > 0 {}
    }

    /// Waits for this message. Returns those logged before it.
    @discardableResult
    func logged(_ message: String) async throws -> [String] {
        var others: [String] = []
        while case let next = try await log.receive(), next != message { others.append(next) }
        return others
    }

    func cached(_ user: Int, _ size: PictureSize = .thumbnail) async throws -> String? {
        try await cache.reader.picture("u\(user)", size).picture.map {
            String(decoding: $0.content, as: UTF8.self)
        }
    }

    /// The picture that a client gets.
    func ask(_ user: Int, _ size: PictureSize = .large) async throws -> String? {
        let found = try await cache.reader.picture("u\(user)", size)
        let isThere = found.picture != nil && !found.isOutdated
        let picture = isThere ? found.picture : await fetcher.fetch(found)
        return picture.map { String(decoding: $0.content, as: UTF8.self) }
    }
}

func portrayed(_ number: Int) -> User {
    var user = User(id: "u\(number)", name: User.Name(first: "Ada", last: "Lovelace"))
    user.picture = User.Picture(large: "l/\(number)", medium: "m/\(number)", thumbnail: "t/\(number)")
    return user
}

func portrait(_ text: String, etag: String? = nil) -> FetchedPicture {
    FetchedPicture(
        content: Array(text.utf8), contentType: "image/png", validators: etag.map { Validators(etag: $0) })
}
