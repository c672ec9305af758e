import Model
import Testing

@testable import Sync

@Suite("Lists that may not be whole") struct CompletenessTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)
    private static let hour = Duration.seconds(3600)

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var list: ListEvidence
        var accepted = ListGaps()
        var mayLoseNobody = false
        var doubt: Doubt?
        /// Nil for `atOnce`; else whether a day is necessary.
        var needsDay: Bool?

        var testDescription: String { name }
    }

    @Test(
        "A list is whole, or a later list has to confirm who is missing",
        arguments: [
            Case(name: "one page", list: ListEvidence(records: 10)),
            Case(name: "one page with its total", list: ListEvidence(records: 10, total: 10)),
            Case(name: "a smaller total than came", list: ListEvidence(records: 10, total: 3)),
            Case(name: "empty", list: ListEvidence(records: 0, total: 0)),
            Case(
                name: "counted pages", list: ListEvidence(records: 10, total: 10, isCounted: true),
                doubt: .counted, needsDay: false),
            Case(
                name: "fewer than the total", list: ListEvidence(records: 6, total: 10), doubt: .short,
                needsDay: true),
            Case(
                name: "as many fewer as before", list: ListEvidence(records: 6, total: 10),
                accepted: ListGaps(shortfall: 4), doubt: .short, needsDay: false),
            Case(
                name: "more fewer than before", list: ListEvidence(records: 5, total: 10),
                accepted: ListGaps(shortfall: 4), doubt: .short, needsDay: true),
            Case(
                name: "fewer than before, and counted",
                list: ListEvidence(records: 7, total: 10, isCounted: true),
                accepted: ListGaps(shortfall: 4), doubt: .short, needsDay: false),
            Case(
                name: "records without an id", list: ListEvidence(records: 9, unidentified: 1, total: 10),
                doubt: .unidentified, needsDay: true),
            Case(
                name: "as many without an id as before",
                list: ListEvidence(records: 9, unidentified: 1, total: 10),
                accepted: ListGaps(unidentified: 1), doubt: .unidentified, needsDay: false),
            Case(
                name: "a missing page", list: ListEvidence(records: 10, endedEarly: true), doubt: .endedEarly,
                needsDay: true),
            Case(
                name: "nobody is cached", list: ListEvidence(records: 6, total: 10), mayLoseNobody: true,
                doubt: .short),
            Case(
                name: "nobody is cached, and a missing page",
                list: ListEvidence(records: 6, endedEarly: true),
                mayLoseNobody: true, doubt: .endedEarly),
        ])
    func cases(_ example: Case) {
        var known = KnownGaps()
        known.accepted = example.accepted
        let now = Self.start
        let judged = Completeness(
            of: example.list, mayLoseNobody: example.mayLoseNobody, after: &known, now: now)
        #expect(judged.doubt == example.doubt)
        let rule: RemovalRule =
            switch example.needsDay {
            case nil: .atOnce
            case false?: .ifMissingBefore(now: now)
            case true?: .ifMissingForADay(now: now)
            }
        #expect(judged.removals == rule)
    }

    /// Judges a list each hour, and returns for which hours a day is necessary.
    private func hours(_ shortfalls: [Int], _ known: inout KnownGaps) -> [Bool] {
        shortfalls.enumerated().map { hour, shortfall in
            let judged = Completeness(
                of: ListEvidence(records: 1000 - shortfall, total: 1000), after: &known,
                now: Self.start + Self.hour * hour)
            if case .ifMissingForADay = judged.removals { return true }
            return false
        }
    }

    @Test("A gap is accepted once all lists of a day have had it, and then it is no doubt of its own")
    func accepted() {
        var known = KnownGaps()
        let days = hours(Array(repeating: 10, count: 30), &known)
        #expect(days == Array(repeating: true, count: 25) + Array(repeating: false, count: 5))
        #expect(known.accepted == ListGaps(shortfall: 10) && known.larger == nil)
    }

    @Test("Only the smallest gap of a day is accepted")
    func smallest() {
        var known = KnownGaps()
        let gaps = Array(repeating: 10, count: 23) + Array(repeating: 400, count: 5)
        #expect(!hours(gaps, &known).contains(false))
        #expect(known.accepted == ListGaps(shortfall: 10))
        #expect(known.larger == ListGaps(shortfall: 400))
    }

    @Test("A gap that was closed has to be accepted anew")
    func closed() {
        var known = KnownGaps()
        #expect(hours([0, 400, 400, 0, 400], &known) == [false, true, true, false, true])
        #expect(known.accepted == ListGaps())
        known.accepted = ListGaps(shortfall: 400)
        #expect(hours([400, 0, 400], &known) == [false, false, true])
    }

    @Test("A clock that was ahead when a gap began does not keep it from being accepted")
    func clock() {
        var known = KnownGaps()
        let list = ListEvidence(records: 9, total: 10)
        _ = Completeness(of: list, after: &known, now: Self.start + .seconds(31_536_000))
        for hour in 0...24 {
            _ = Completeness(of: list, after: &known, now: Self.start + Self.hour * hour)
        }
        #expect(known.accepted == ListGaps(shortfall: 1))
    }
}
