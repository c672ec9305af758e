import Cache
import Model
import Services
import SyncCore

/// How much is fetched, and when again.
package struct PictureLimits: Hashable, Sendable {
    /// Pictures fetched ahead at the same time.
    package var concurrency = 4
    /// Pictures that are looked up at once.
    package var batch = 64
    /// Of all pictures in the cache: beyond it none is fetched ahead but those that may have changed, and none is kept that
    /// was asked for.
    package var bytes = 512 << 20
    /// After so many failures in a row that are none of the pictures', their host is away.
    package var failuresInARow = 8
    /// After so many of any hosts, all are; and where so many hosts are, nobody asks the others.
    package var failuresOfAll = 64
    package var awayHosts = 32
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

    /// For how long those that are away want to be left alone; nil where they do not say, or the picture is what fails.
    var rest: Duration? {
        guard isAway, let retryAfter, retryAfter > .zero else { return nil }
        return min(retryAfter, Schedule.longestRetryAfter)
    }
}

/// What the addresses of all pictures of one host begin with.
func host(of url: String) -> String {
    let parts = url.split(separator: "/", omittingEmptySubsequences: false)
    return parts.prefix(parts.first?.hasSuffix(":") == true ? 3 : 1).joined(separator: "/") + "/"
}

/// One run through the pictures that are due: how it goes, and when each is due again.
struct PictureRun {
    let began: Timestamp
    private let limits: PictureLimits
    private(set) var fetched = 0
    private(set) var unchanged = 0
    private(set) var failed = 0
    /// Why hosts were left in this run.
    private(set) var reason: String?
    /// Hosts that are away, or want to be left alone: their pictures stay due and are left out.
    private(set) var away: Set<String>
    private var failuresInARow: [String: Int] = [:]
    private var failuresOfAll = 0
    /// In the cache; nil until they have been counted.
    var bytes: Int?

    /// - Parameter away: hosts that wanted to be left alone before.
    init(began: Timestamp, away: Set<String>, limits: PictureLimits) {
        self.began = began
        self.away = away
        self.limits = limits
    }

    var count: Int { fetched + unchanged + failed }
    /// So many are away that it is the way there, or no use.
    var isOver: Bool { failuresOfAll >= limits.failuresOfAll || away.count >= limits.awayHosts }
    var isFull: Bool { (bytes ?? 0) >= limits.bytes }

    func leavesOut(_ picture: DuePicture) -> Bool { away.contains(host(of: picture.url)) }

    /// - Returns: what is written of it. Never due before the run began, whatever the clock does: it would not end.
    mutating func note(
        _ result: PictureResult, of asked: DuePicture, now: Timestamp
    ) -> (PictureOutcome, dueAt: Timestamp?) {
        let now = max(began, now)
        guard case .failure(let error) = result, error.isAway else {
            failuresOfAll = 0
            failuresInARow[host(of: asked.url)] = nil
            return note(result, of: asked, answeredAt: now)
        }
        failed += 1
        failuresOfAll += 1
        let host = host(of: asked.url)
        let failures = failuresInARow[host, default: 0] + 1
        if failuresInARow.count >= 1000 { failuresInARow = [:] }
        failuresInARow[host] = failures
        if error.rest != nil || failures >= limits.failuresInARow { away.insert(host) }
        if isOver || away.contains(host) { reason = error.failure.message }
        // In the next run, behind those that were not tried in this one.
        return (.failed, now)
    }

    private mutating func note(
        _ result: PictureResult, of asked: DuePicture, answeredAt now: Timestamp
    ) -> (PictureOutcome, dueAt: Timestamp?) {
        switch result {
        case .answer(.picture(let picture)):
            let growth = picture.content.count - (asked.bytes ?? 0)
            // What is there already may be replaced where there is no room, but not by more.
            if isFull, growth > 0 {
                failed += 1
                return (.failed, now + limits.recheck)
            }
            fetched += 1
            bytes = (bytes ?? 0) + growth
            return (.fetched(picture), limits.dueAt(after: picture, now: now))
        case .answer(.unchanged):
            unchanged += 1
            return (.unchanged, now + limits.recheck)
        case .failure:
            failed += 1
            return (.failed, now + limits.retry)
        }
    }
}

extension PictureLimits {
    /// What has no validators is what it is, for as long as its address stays.
    func dueAt(after picture: FetchedPicture, now: Timestamp) -> Timestamp? {
        picture.validators == nil ? nil : now + recheck
    }
}
