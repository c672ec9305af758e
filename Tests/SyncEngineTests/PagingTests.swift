import Cache
import Model
import Synchronization
import Testing
import Upstream

@testable import Sync

struct Row: Identifiable, Hashable, Sendable, ExpressibleByIntegerLiteral {
    var number: Int
    var id: String { "\(number)" }

    init(number: Int) { self.number = number }
    init(integerLiteral number: Int) { self.number = number }
}

extension PageStage<Row> {
    /// Stages pages nowhere.
    /// - Parameters:
    ///   - duplicates: how many of these records were staged before.
    ///   - known: the cached page with this number.
    ///   - same: how many records of this unchanged page were staged before; nil if it is gone.
    static func stub(
        duplicates: @escaping @Sendable ([Row]) async throws -> Int,
        known: @escaping @Sendable (Int) -> Page<Never>? = { _ in nil },
        same: @escaping @Sendable (Int) -> Int? = { _ in nil }
    ) -> PageStage<Row> {
        PageStage(
            cached: known, stage: { page, _ in try await duplicates(page.records) },
            stageSame: { number, _ in same(number) }, stageSameList: { 0 }, beginAgain: {})
    }
}

@Suite struct PagingTests {
    /// An upstream with that many pages of two records each.
    private func fetch(_ pages: Int) -> FetchPage<Row> {
        { request, _ in
            Page(
                records: [Row(number: request.number * 2), Row(number: request.number * 2 + 1)],
                next: request.number < pages ? PageRequest(number: request.number + 1) : nil,
                total: pages * 2)
        }
    }

    private let allNew = PageStage.stub { _ in 0 }

    @Test("Each page is staged in turn, and reported with the total")
    func pages() async throws {
        let reports = Mutex<[Progress]>([])
        let staged = try await stagePages(
            fetch: fetch(3), of: .users,
            into: .stub { records in records.contains(Row(number: 4)) ? 1 : 0 },
            report: { report in reports.withLock { $0.append(report) } })
        #expect(staged.pages == 3 && staged.records == 6 && staged.duplicates == 1 && staged.unchanged == 0)
        #expect(
            reports.withLock { $0 }
                == [
                    Progress(done: 2, total: 6), Progress(done: 4, total: 6), Progress(done: 6, total: 6),
                ])
    }

    @Test("Progress counts what came: also records that are left out, and those without an id")
    func came() async throws {
        let reports = Mutex<[Progress]>([])
        _ = try await stagePages(
            fetch: { request, _ in
                var page = Page<Row>(records: [Row(number: request.number)], total: 8)
                page.leftOut = ["a", "b\(request.number)"]
                page.unread.add(unidentified: "it has no id")
                if request.number == 1 { page.next = PageRequest(number: 2) }
                return page
            }, of: .users, into: allNew, report: { report in reports.withLock { $0.append(report) } })
        #expect(reports.withLock { $0 } == [Progress(done: 4, total: 8), Progress(done: 7, total: 8)])
    }

    @Test(
        "What the last list left out is kept while upstream says that it is unchanged",
        arguments: [
            (2, 1, false, LeftOut(skipped: 2, unidentified: 1)),
            (0, 1, false, LeftOut(skipped: 0, unidentified: 1)),
            (0, 0, false, nil), (0, 0, true, LeftOut(skipped: 7, unidentified: 0)),
        ] as [(Int, Int, Bool, LeftOut?)])
    func leftOutNumbers(skipped: Int, unidentified: Int, isUnchanged: Bool, expected: LeftOut?) {
        var staged = StagedPages()
        (staged.leftOut, staged.unread.unidentified, staged.isUnchangedList) = (
            skipped, unidentified, isUnchanged
        )
        #expect(staged.leftOut(after: LeftOut(skipped: 7, unidentified: 0)) == expected)
    }

    @Test("Staging stops at the wanted number of records, and no further page is requested")
    func enough() async throws {
        let stagedRecords = Mutex<[Row]>([])
        let staged = try await stagePages(
            fetch: fetch(100), of: .users, enough: 5,
            into: .stub { records in
                stagedRecords.withLock { $0 += records }
                return 0
            }, report: { _ in })
        #expect(staged.pages == 3 && staged.records == 5)
        #expect(stagedRecords.withLock { $0 } == [2, 3, 4, 5, 6])
    }

    @Test("The maximum number of pages is accepted, and one more is an error")
    func endless() async throws {
        let limits = PagingLimits(pages: 10)
        let allowed = try await stagePages(
            fetch: fetch(10), of: .users, limits: limits, into: allNew, report: { _ in })
        #expect(allowed.pages == 10)
        let error = try await #require(throws: UpstreamError.self) {
            try await stagePages(
                fetch: fetch(11), of: .users, limits: limits, into: allNew, report: { _ in })
        }
        #expect(error.failure.kind == .tooLarge && !error.failure.retryable)
        #expect(error.failure.message.contains("10"))
    }

    @Test("The maximum number of records is accepted, and one more is an error, also on the last page")
    func tooManyRecords() async throws {
        let allowed = try await stagePages(
            fetch: fetch(3), of: .users, limits: PagingLimits(records: 6), into: allNew, report: { _ in })
        #expect(allowed.records == 6)
        let error = try await #require(throws: UpstreamError.self) {
            try await stagePages(
                fetch: fetch(3), of: .users, limits: PagingLimits(records: 5), into: allNew, report: { _ in }
            )
        }
        #expect(error.failure.kind == .tooLarge && !error.failure.retryable)
        #expect(error.failure.message == "upstream has more than 5 records")
    }

    @Test("A sync fails after twenty pages in a row without a new record")
    func repeats() async throws {
        let asked = Atomic(0)
        let error = try await #require(throws: UpstreamError.self) {
            try await stagePages(
                fetch: { [fetch = fetch(1000)] request, known in
                    asked.add(1, ordering: .relaxed)
                    return try await fetch(request, known)
                }, of: .users,
                into: .stub { records in
                    records.contains(Row(number: 2)) ? 0 : records.count
                },
                report: { _ in })
        }
        #expect(asked.load(ordering: .relaxed) == 21)
        #expect(error.failure.kind == .decode && error.failure.retryable)
        #expect(error.failure.message.contains("the last 20 pages, up to page 21, had no new record"))
        #expect(error.failure.advice == Advice(.askForOnePage))
    }

    @Test(
        "The advice on a list that repeats itself depends on the resource and on how strict its format is",
        arguments: [
            (Resource.facts, false, Advice(.readOnePage)),
            (.facts, true, Advice(.checkPagingAndIDs, about: "facts")),
            (.users, true, Advice(.checkPagingAndIDs, about: "users")),
        ])
    func advice(resource: Resource, requiresConsistentPages: Bool, advice: Advice) async throws {
        let error = try await #require(throws: UpstreamError.self) {
            try await stagePages(
                fetch: fetch(1000), of: resource, requiresConsistentPages: requiresConsistentPages,
                into: .stub { records in records.count }, report: { _ in })
        }
        #expect(error.failure.advice == advice)
    }

    @Test("Pages without a new record are accepted if one comes now and then")
    func fewRepeats() async throws {
        // For example, pages of one fact that come five times each.
        let staged = try await stagePages(
            fetch: fetch(61), of: .users,
            into: .stub { records in records.contains { $0.number % 40 == 0 } ? 0 : 2 },
            report: { _ in })
        #expect(staged.pages == 61 && staged.duplicates == 116)
    }

    @Test("Users that are left out count as records, each once")
    func tooManyLeftOut() async throws {
        func stage(_ id: @escaping @Sendable (Int) -> String) async throws -> StagedPages {
            try await stagePages(
                fetch: { [fetch = fetch(3)] request, known in
                    var page = try await fetch(request, known)
                    page.leftOut = [id(request.number)]
                    return page
                }, of: .users, limits: PagingLimits(records: 7), into: allNew, report: { _ in })
        }
        #expect(try await stage { _ in "x" }.leftOut == 1)
        let error = try await #require(throws: UpstreamError.self) { try await stage { "\($0)" } }
        #expect(error.failure.message == "upstream has more than 7 records")
    }

    @Test(
        "A sync fails after a thousand empty pages in a row",
        arguments: [true, false])
    func emptyPages(requiresConsistentPages: Bool) async throws {
        let error = try await #require(throws: UpstreamError.self) {
            try await stagePages(
                fetch: { request, _ in
                    Page(records: [Row](), next: PageRequest(number: request.number + 1))
                }, of: .users, requiresConsistentPages: requiresConsistentPages, into: allNew,
                report: { _ in })
        }
        #expect(error.failure.kind == .decode)
        #expect(error.failure.reason == "the last 1000 pages, up to page 1000, were empty")
        #expect(error.failure.advice == Advice(.check, about: "users.paging"))
    }

    // MARK: Cached pages

    /// Stages unchanged pages, of which the cache has these numbers.
    private func fetchCached(
        _ numbers: Set<Int>, gone: Bool = false, enough: Int = .max, maximum: Int = 3,
        report: @Sendable (Progress) -> Void = { _ in }
    ) async throws -> (staged: StagedPages, asked: [Asked]) {
        let asked = Mutex<[Asked]>([])
        let staged = try await stagePages(
            fetch: { [fetch = fetch(maximum)] request, known in
                asked.withLock { $0.append(Asked(page: request.number, etag: known?.validators.etag)) }
                return known == nil ? try await fetch(request, nil) : .unchanged(known!)
            }, of: .users, enough: enough,
            into: .stub(
                duplicates: { _ in 0 },
                known: { number in
                    guard numbers.contains(number) else { return nil }
                    return Page(
                        next: number < maximum ? PageRequest(number: number + 1) : nil, total: 6,
                        known: KnownPage(key: "k", validators: Validators(etag: "\(number)")), cachedCount: 2)
                },
                same: { $0 == 2 ? gone ? nil : 1 : 0 }),
            report: report)
        return (staged, asked.withLock { $0 })
    }

    private struct Asked: Equatable {
        var page: Int
        var etag: String?
    }

    @Test("An unchanged cached page counts like one that is sent, and names the next")
    func unchanged() async throws {
        let reports = Mutex<[Progress]>([])
        let (staged, asked) = try await fetchCached([1, 2]) { report in
            reports.withLock { $0.append(report) }
        }
        #expect(asked == [Asked(page: 1, etag: "1"), Asked(page: 2, etag: "2"), Asked(page: 3)])
        #expect(staged.pages == 3 && staged.unchanged == 2 && staged.records == 6 && staged.duplicates == 1)
        #expect(reports.withLock { $0.map(\.done) } == [2, 4, 6])
        #expect(reports.withLock { $0.map(\.total) } == [6, 6, 6])
    }

    @Test("A page that left the cache during its request is fetched in full")
    func gone() async throws {
        let (staged, asked) = try await fetchCached([1, 2, 3], gone: true)
        #expect(asked.map(\.page) == [1, 2, 2, 3] && asked.map(\.etag) == ["1", "2", nil, "3"])
        #expect(staged.unchanged == 2 && staged.records == 6)
    }

    @Test("A cached page with more records than are still wanted is fetched in full, and cut off")
    func noRoom() async throws {
        let (staged, asked) = try await fetchCached([1, 2, 3], enough: 3)
        #expect(asked == [Asked(page: 1, etag: "1"), Asked(page: 2)])
        #expect(staged.records == 3)
    }

    @Test("An unchanged page that is not cached is an error")
    func unknown() async throws {
        let error = try await #require(throws: UpstreamError.self) {
            try await stagePages(
                fetch: { _, _ in .unchanged(KnownPage(key: "k")) }, of: .users, into: allNew,
                report: { _ in })
        }
        #expect(error.failure.kind == .http && error.failure.httpStatus == 304)
    }

    @Test("A sync that was stopped stages nothing more")
    func stopped() async throws {
        let count = Atomic(0)
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await stagePages(
                fetch: { [fetch = fetch(3)] request, known in
                    asking.yield()
                    // Ends when the task is cancelled.
                    try? await Task.sleep(for: .seconds(600))
                    return try await fetch(request, known)
                }, of: .users,
                into: .stub { _ in
                    count.add(1, ordering: .relaxed)
                    return 0
                }, report: { _ in })
        }
        for await _ in asked { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(count.load(ordering: .relaxed) == 0)
    }
}
