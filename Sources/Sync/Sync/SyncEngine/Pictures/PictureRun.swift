import Cache
import FoundationEssentials
import HTTP
import Model
import Upstream

package struct PictureLimits: Hashable, Sendable {
    /// Pictures fetched ahead at the same time.
    package var concurrency = 4
    /// Due pictures per read of the cache.
    package var batch = 64
    /// Maximum size of all pictures in the cache. Beyond it, only cached pictures are fetched again, and
    /// pictures fetched on request are not cached.
    package var bytes = 512 << 20
    /// Consecutive failures to reach a host, after which the run leaves that host out.
    package var failuresInARow = 8
    /// Consecutive failures of any hosts that end the run.
    package var failuresOfAll = 64
    /// Number of hosts left out that ends the run.
    package var awayHosts = 32
    /// Time until a picture is checked again, and until a failed one is retried.
    package var recheck = Duration.seconds(7 * 86_400)
    package var retry = Duration.seconds(86_400)

    /// Pictures fetched at the same time on request; `requestLimit` is the maximum including those that wait.
    package var askedConcurrency = 8
    package var requestLimit = 256
    /// Time limit of a request: shorter than that of clients.
    package var patience = Duration.seconds(8)
    /// An address that gave no picture is not asked again on request for this long.
    package var refusal = Duration.seconds(300)

    package init() {}
}

extension UpstreamError {
    /// True if the server or the network failed, rather than this picture.
    var isAway: Bool {
        switch failure.kind {
        case .offline, .timeout, .tls, .rateLimited, .credentials: true
        // A server error. A missing picture is not retryable.
        case .http: failure.retryable
        default: false
        }
    }

    /// The `Retry-After` of a host that is away.
    var backoff: Duration? {
        guard isAway, let retryAfter, retryAfter > .zero else { return nil }
        return min(retryAfter, Schedule.longestRetryAfter)
    }
}

/// The origin, however it is spelled; for LDAP, the beginning of the address up to and including the host. `DueQuery` leaves
/// out addresses that begin with it.
func host(of url: String) -> String {
    if let origin = URL(httpAddress: url).flatMap(HTTPOrigin.init) { return origin.description }
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    return String(url[..<(url[start...].firstIndex(where: "/?#".contains) ?? url.endIndex)])
}

struct PictureRun {
    let began: Timestamp
    private let limits: PictureLimits
    private(set) var fetched = 0
    private(set) var unchanged = 0
    private(set) var absent = 0
    private(set) var failed = 0
    /// Why hosts were left out in this run.
    private(set) var reason: String?
    /// Hosts that are left out. Their pictures stay due.
    private(set) var away: Set<String>
    private var failuresInARow: [String: Int] = [:]
    private var failuresOfAll = 0
    /// Size of all cached pictures; nil until read.
    var bytes: Int?

    /// - Parameter away: hosts whose `Retry-After` has not ended.
    init(began: Timestamp, away: Set<String>, limits: PictureLimits) {
        self.began = began
        self.away = away
        self.limits = limits
    }

    var count: Int { fetched + unchanged + absent + failed }
    /// Ends the run after many failures: the network is probably down.
    var isOver: Bool { failuresOfAll >= limits.failuresOfAll || away.count >= limits.awayHosts }
    var isFull: Bool { (bytes ?? 0) >= limits.bytes }

    func leavesOut(_ picture: DuePicture) -> Bool { away.contains(host(of: picture.url)) }

    /// - Returns: the outcome to write. It is never due before the run began: a clock that is set back would
    ///   make the run endless.
    mutating func note(
        _ result: Result<PictureAnswer, UpstreamError>, of asked: DuePicture, now: Timestamp
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
        if error.backoff != nil || failures >= limits.failuresInARow { away.insert(host) }
        if isOver || away.contains(host) { reason = error.failure.message }
        // Due in the next run, after pictures that this run did not try.
        return (.failed, now)
    }

    private mutating func note(
        _ result: Result<PictureAnswer, UpstreamError>, of asked: DuePicture, answeredAt now: Timestamp
    ) -> (PictureOutcome, dueAt: Timestamp?) {
        switch result {
        case .success(.picture(let picture)):
            let growth = picture.content.count - (asked.bytes ?? 0)
            // A full cache may replace a picture only by one that is not larger.
            if isFull, growth > 0 {
                failed += 1
                return (.failed, now + limits.recheck)
            }
            fetched += 1
            bytes = (bytes ?? 0) + growth
            return (.fetched(picture), limits.dueAt(after: picture, now: now))
        case .success(.unchanged):
            unchanged += 1
            return (.unchanged, now + limits.recheck)
        case .success(.absent):
            absent += 1
            bytes = (bytes ?? 0) - (asked.bytes ?? 0)
            return (.absent, now + limits.recheck)
        case .failure:
            failed += 1
            return (.failed, now + limits.retry)
        }
    }
}

extension PictureLimits {
    /// When to check a picture again; nil if it has no validators, since it then never changes at its
    /// address.
    func dueAt(after picture: FetchedPicture, now: Timestamp) -> Timestamp? {
        picture.validators == nil ? nil : now + recheck
    }
}
