import Model
import Sync
import TestSupport

/// Laptops that are awake nine hours a day, and sleep from Friday to Monday. Their directory's changes are
/// trusted, and its full list is due once a day.
struct AwakeFleet {
    enum Mornings {
        /// All resume at 9:00.
        case together
        /// From 8:30 to 9:30, most of them close to 9:00.
        case apart
    }

    struct Day {
        /// In each minute of the day.
        var requests = Array(repeating: 0, count: 1440)
        var lists = Array(repeating: 0, count: 1440)
        /// Seconds from each machine's resume to its first sync, and to its full list.
        var waits: [Double] = []
        var listWaits: [Double] = []
    }

    /// Requests of a full list: 10,000 people, 999 on a page.
    private static let pages = 11
    private static let hour = 3600.0
    private static let day = 86_400.0
    private let schedule = Schedule(interval: .seconds(900), trustedInterval: .seconds(3600))
    private let mornings: Mornings
    private var random: SeededRandom
    /// From a Monday.
    private(set) var days: [Day]

    /// - Parameter count: the number of laptops, which read their first list on the first day.
    init(count: Int, mornings: Mornings, days: Int, seed: UInt64) {
        self.mornings = mornings
        random = SeededRandom(seed: seed)
        self.days = Array(repeating: Day(), count: days)
        for _ in 0..<count { live() }
    }

    private mutating func live() {
        var changes = TrackedChanges(fingerprint: "")
        (changes.token, changes.trust.level) = ("", .trusted)
        var (syncedAt, due): (Double?, Double) = (nil, 0)
        for number in days.indices where number % 7 < 5 {
            let resumed = Double(number) * Self.day + morning()
            let sleeps =
                number % 7 == 4 ? Double(number) * Self.day + 17 * Self.hour : resumed + 9 * Self.hour
            let wait = schedule.delayWhenBack(
                remaining: .seconds(max(0, due - resumed)),
                age: syncedAt.map { Duration.seconds(resumed - $0) }, draw: draw())
            days[number].waits.append(wait.inSeconds)
            due = resumed + wait.inSeconds
            while due < sleeps {
                sync(number, at: due, resumed: resumed, after: syncedAt, &changes)
                syncedAt = due
                let next = schedule.following(changes).delay(until: .afterInterval, draw: draw())
                due += next?.inSeconds ?? Self.hour
            }
        }
    }

    private mutating func sync(
        _ number: Int, at time: Double, resumed: Double, after last: Double?, _ changes: inout TrackedChanges
    ) {
        let minute = Int(time - Double(number) * Self.day) / 60
        let now = Timestamp(milliseconds: Int64(time * 1000))
        days[number].requests[minute] += 1
        let approach = changes.approach(
            fullInterval: .seconds(Self.day), isRequested: false,
            last: last.map {
                LastSync(at: Timestamp(milliseconds: Int64($0 * 1000)), interval: .seconds(Self.hour))
            }, now: now, draw: draw())
        guard approach != .changes else { return }
        days[number].requests[minute] += Self.pages
        days[number].lists[minute] += 1
        days[number].listWaits.append(time - resumed)
        (changes.listedAt, changes.waitsUntil) = (now, nil)
    }

    private mutating func draw() -> Double { Double.random(in: 0..<1, using: &random) }

    /// Seconds from midnight. The sum of twelve draws has a normal distribution, here of ten minutes.
    private mutating func morning() -> Double {
        guard mornings == .apart else { return 9 * Self.hour }
        let deviation = (0..<12).reduce(-6) { sum, _ in sum + draw() }
        return 9 * Self.hour + min(max(deviation * 600, -1800), 1800)
    }
}
