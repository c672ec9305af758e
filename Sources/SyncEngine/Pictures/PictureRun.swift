import Cache
import Model
import Services

/// How much is fetched, and when again.
package struct PictureLimits: Hashable, Sendable {
    /// Pictures fetched ahead at the same time.
    package var concurrency = 4
    /// Pictures that are looked up at once.
    package var batch = 64
    /// Of all pictures in the cache: beyond it none is fetched ahead, and none is kept that was asked for.
    package var bytes = 512 << 20
    /// After so many failures in a row that are none of the pictures', upstream is away.
    package var failuresInARow = 8
    package var recheck = Duration.seconds(7 * 86_400)
    package var retry = Duration.seconds(86_400)

    /// Pictures fetched at the same time for those who ask; others wait.
    package var askedConcurrency = 8
    package var asked = 256
    /// How long one who asks waits: less than clients do.
    package var patience = Duration.seconds(8)
    /// An address that gave no picture is not asked again for so long, whoever asks.
    package var refusal = Duration.seconds(300)

    package init() {}
}

/// What came of one fetch.
enum PictureResult: Sendable {
    case answer(PictureAnswer)
    case failure(UpstreamError)

    /// Throws what is no failure of upstream.
    init(_ fetch: () async throws -> PictureAnswer) async throws {
        do {
            self = .answer(try await fetch())
        } catch let error as UpstreamError {
            self = .failure(error)
        }
    }
}

extension UpstreamError {
    /// Whether it is upstream or the way there that fails, and not this picture.
    var isAway: Bool {
        switch failure.kind {
        case .offline, .timeout, .tls, .rateLimited: true
        // A server's error, rather than an answer that there is no such picture.
        case .http: failure.retryable
        default: false
        }
    }
}

/// One run through the pictures that are due: how it goes, and when each is due again.
struct PictureRun {
    let began: Timestamp
    private let limits: PictureLimits
    private(set) var fetched = 0
    private(set) var unchanged = 0
    private(set) var failed = 0
    private(set) var lastFailure: String?
    /// For so long upstream wants to be left alone.
    private(set) var rest: Duration?
    private var failuresInARow = 0
    /// In the cache; nil until they have been counted.
    var bytes: Int?

    init(began: Timestamp, limits: PictureLimits) {
        self.began = began
        self.limits = limits
    }

    var count: Int { fetched + unchanged + failed }
    /// Upstream is away, or wants to be left alone.
    var isOver: Bool { failuresInARow >= limits.failuresInARow || rest != nil }
    var isFull: Bool { (bytes ?? 0) >= limits.bytes }

    /// - Returns: what is written of it. Never due before the run began, whatever the clock does: it would not end.
    mutating func note(_ result: PictureResult, now: Timestamp) -> (PictureOutcome, dueAt: Timestamp?) {
        let now = max(began, now)
        switch result {
        case .answer(.picture(let picture)):
            fetched += 1
            failuresInARow = 0
            bytes = (bytes ?? 0) + picture.content.count
            return (.fetched(picture), limits.dueAt(after: picture, now: now))
        case .answer(.unchanged):
            unchanged += 1
            failuresInARow = 0
            return (.unchanged, now + limits.recheck)
        case .failure(let error):
            failed += 1
            lastFailure = error.failure.message
            rest = error.retryAfter
            failuresInARow = error.isAway ? failuresInARow + 1 : 0
            // In the next run, behind those that were not tried in this one: a few dead hosts must not keep out the rest.
            return (.failed, error.isAway ? now : now + limits.retry)
        }
    }
}

extension PictureLimits {
    /// What has no validators is what it is, for as long as its address stays.
    func dueAt(after picture: FetchedPicture, now: Timestamp) -> Timestamp? {
        picture.validators == nil ? nil : now + recheck
    }
}
