import Model
import Sync
import Testing

private let start = Timestamp(milliseconds: 1_770_000_000_000)
private let day = Duration.seconds(86_400)

@Suite("Trust in a directory's changes")
struct ChangeTrustTests {
    enum Step: Sendable {
        /// A full list that agreed with the changes.
        case agreed, agreedOnRequest
        case missed(Int)
        case days(Int)
        case refused(String)
    }

    @Test(
        "Each step leads to its level",
        arguments: [
            ([], .watched),
            ([.agreed], .watched),
            ([.agreed, .agreed], .trusted),
            // A miss in between begins anew.
            ([.agreed, .missed(3), .agreed], .watched),
            ([.agreed, .missed(3), .agreed, .agreed], .trusted),
            // One miss is forgiven, two within 30 days are not.
            ([.agreed, .agreed, .missed(1)], .trusted),
            ([.agreed, .agreed, .missed(1), .days(29), .missed(1)], .off),
            ([.agreed, .agreed, .missed(1), .days(30), .missed(1)], .trusted),
            ([.missed(1), .missed(1)], .off),
            // Off ends after 30 days, or with two requested lists that agree.
            ([.missed(1), .missed(1), .agreed, .agreed], .off),
            ([.missed(1), .missed(1), .agreedOnRequest], .off),
            ([.missed(1), .missed(1), .agreedOnRequest, .agreedOnRequest], .watched),
            ([.missed(1), .missed(1), .agreedOnRequest, .missed(1), .agreedOnRequest], .off),
            ([.missed(1), .missed(1), .days(29)], .off),
            ([.missed(1), .missed(1), .days(30)], .watched),
            ([.missed(1), .missed(1), .days(-1)], .watched),
            // A refusal is not outvoted.
            ([.agreed, .agreed, .refused("a")], .off),
            ([.refused("a"), .agreedOnRequest, .agreedOnRequest], .off),
            ([.refused("a"), .days(20), .refused("a"), .days(10)], .watched),
            ([.refused("a"), .days(20), .refused("b"), .days(10)], .off),
        ] as [([Step], ChangeTrust.Level)])
    func levels(steps: [Step], expected: ChangeTrust.Level) {
        var (trust, now) = (ChangeTrust(), start)
        for step in steps {
            switch step {
            case .agreed: trust.note(missed: 0, isRequested: false, now: now)
            case .agreedOnRequest: trust.note(missed: 0, isRequested: true, now: now)
            case .missed(let users): trust.note(missed: users, isRequested: false, now: now)
            case .days(let days): now = now + day * days
            case .refused(let reason): trust.refuse(reason, now: now)
            }
            trust.reconsider(now: now)
        }
        #expect(trust.level == expected)
        #expect((trust.offSince != nil) == (expected == .off))
    }

    @Test("A sync reads what its directory's changes are trusted with")
    func approaches() {
        var known = TrackedChanges(fingerprint: "a")
        func approach(_ isRequested: Bool = false, after time: Duration = .zero) -> ListApproach {
            known.approach(fullInterval: day, isRequested: isRequested, now: start + time)
        }
        #expect(approach() == .list(isCompared: false))
        known.token = "t"
        #expect(approach() == .list(isCompared: false))
        known.listedAt = start
        #expect(approach() == .watch)
        known.trust.level = .trusted
        #expect(approach() == .changes)
        #expect(approach(true) == .list(isCompared: true))
        #expect(approach(after: day) == .list(isCompared: true))
        // The clock was ahead when the list was read.
        #expect(approach(after: .seconds(-1)) == .list(isCompared: true))
        known.trust.level = .off
        #expect(approach() == .list(isCompared: false))
        #expect(approach(true) == .list(isCompared: true))
        known.trust.refusal = "no"
        #expect(approach(true) == .list(isCompared: false))
    }

    @Test(
        "A list that was due while the machine slept waits for a part of four hours, once, and for a week at most"
    )
    func slept() {
        let hour = Duration.seconds(3600)
        var known = TrackedChanges(fingerprint: "a")
        (known.token, known.listedAt, known.trust.level) = ("t", start, .trusted)
        func isDue(
            after time: Duration, asleep: Duration = .seconds(9 * 3600), draw: Double = 0.5,
            _ known: inout TrackedChanges
        ) -> Bool {
            known.approach(
                fullInterval: day, isRequested: false,
                last: LastSync(at: start + (time - asleep), interval: hour),
                now: start + time,
                draw: draw) == .list(isCompared: true)
        }
        var awake = known
        #expect(!isDue(after: day - hour, asleep: hour, &awake))
        #expect(isDue(after: day + hour, asleep: hour, &awake))
        var asleep = known
        #expect(!isDue(after: day * 3, &asleep))
        #expect(!isDue(after: day * 3 + hour, draw: 0.9, &asleep))
        #expect(isDue(after: day * 3 + hour * 2, draw: 0.9, &asleep))
        // It slept again before the list was read.
        #expect(isDue(after: day * 5, draw: 0.9, &asleep))
        #expect(isDue(after: day * 8, &known))
        // The clock was ahead when the list was told to wait.
        var ahead = known
        ahead.waitsUntil = start + day * 3
        #expect(isDue(after: day + hour, asleep: hour, &ahead))
        // With syncs every nine hours, it has not slept.
        var seldom = known
        #expect(
            seldom.approach(
                fullInterval: day, isRequested: false, last: LastSync(at: start + day, interval: hour * 9),
                now: start + day + hour * 9, draw: 0.5) == .list(isCompared: true))
        // A list that was read a part of a second later is due up to a tenth earlier.
        known.listedAt = start + .milliseconds(900)
        known.waitsUntil = nil
        #expect(isDue(after: day - hour * 2, asleep: hour, &known))
    }
}
