import Model
import Services
import SyncEngine
import Synchronization
import Testing

@Suite struct PagingTests {
    /// An upstream with that many pages of two records each.
    private func fetch(_ pages: Int) -> @Sendable (PageRequest) async throws -> Page<Int> {
        { request in
            Page(
                records: [request.number * 2, request.number * 2 + 1],
                next: request.number < pages ? PageRequest(number: request.number + 1) : nil,
                total: pages * 2)
        }
    }

    @Test("Every page is staged before the next is asked for, and reported with what there is in all")
    func pages() async throws {
        let reports = Mutex<[Progress]>([])
        let staged = try await stagePages(
            fetch: fetch(3), stage: { $0.contains(4) ? 1 : 0 },
            report: { report in reports.withLock { $0.append(report) } })
        #expect(staged.pages == 3 && staged.records == 6 && staged.duplicates == 1)
        #expect(
            reports.withLock { $0 }
                == [
                    Progress(done: 2, total: 6), Progress(done: 4, total: 6), Progress(done: 6, total: 6),
                ])
    }

    @Test("No page is asked for once there are enough records")
    func enough() async throws {
        let staged = try await stagePages(fetch: fetch(100), enough: 5, stage: { _ in 0 }, report: { _ in })
        #expect(staged.pages == 3 && staged.records == 6)
    }

    @Test("As many pages as are allowed are fine, and one more is an error")
    func endless() async throws {
        let allowed = try await stagePages(
            fetch: fetch(10), maximumPages: 10, stage: { _ in 0 }, report: { _ in })
        #expect(allowed.pages == 10)
        let error = try await #require(throws: UpstreamError.self) {
            try await stagePages(fetch: fetch(11), maximumPages: 10, stage: { _ in 0 }, report: { _ in })
        }
        #expect(error.failure.kind == .tooLarge && !error.failure.retryable)
        #expect(error.failure.message.contains("10"))
    }

    @Test("A sync that was stopped stages nothing more")
    func stopped() async throws {
        let count = Atomic(0)
        let task = Task {
            try await stagePages(
                fetch: { [fetch = fetch(3)] request in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await fetch(request)
                },
                stage: { _ in
                    count.add(1, ordering: .relaxed)
                    return 0
                }, report: { _ in })
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(count.load(ordering: .relaxed) == 0)
    }
}
