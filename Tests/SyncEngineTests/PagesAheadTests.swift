import Cache
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Sync

@Suite("Pages that are fetched ahead", .timeLimit(.hang))
struct PagesAheadTests {
    private static let pages = 4

    private enum Step: Equatable {
        case asked(Int), staged(Int)
    }

    private static func page(_ number: Int) -> Page<Row> {
        Page(
            records: [Row(number: number)], next: number < pages ? PageRequest(number: number + 1) : nil,
            known: KnownPage(key: "\(number)"))
    }

    @Test("While a page is staged, only the next one is requested")
    func ahead() async throws {
        let steps = Mutex<[Step]>([])
        let (asked, asking) = AsyncStream.makeStream(of: Int.self)
        let seen = Seen(asked)
        let staged = try await stagePages(
            fetch: { request, _ in
                steps.withLock { $0.append(.asked(request.number)) }
                asking.yield(request.number)
                return Self.page(request.number)
            }, of: .users,
            into: .stub { records in
                let number = records[0].number
                // Never returns if the next page is not requested meanwhile.
                if number < Self.pages { await seen.wait(for: number + 1) }
                steps.withLock { $0.append(.staged(number)) }
                return 0
            }, report: { _ in })
        #expect(staged.pages == Self.pages)
        #expect(
            steps.withLock { $0 } == [
                .asked(1), .asked(2), .staged(1), .asked(3), .staged(2), .asked(4), .staged(3), .staged(4),
            ])
    }

    @Test("A failed page fails the sync after the page before it is staged")
    func failing() async throws {
        let steps = Mutex<[Step]>([])
        await #expect(throws: UpstreamError.self) {
            try await stagePages(
                fetch: { request, _ in
                    guard request.number < 2 else { throw UpstreamError(.offline, "no route") }
                    return Self.page(request.number)
                }, of: .users,
                into: .stub { records in
                    steps.withLock { $0.append(.staged(records[0].number)) }
                    return 0
                }, report: { _ in })
        }
        #expect(steps.withLock { $0 } == [.staged(1)])
    }

    @Test("No page is requested that the sync does not need")
    func enough() async throws {
        let asked = Mutex<[Int]>([])
        let staged = try await stagePages(
            fetch: { request, _ in
                asked.withLock { $0.append(request.number) }
                return Self.page(request.number)
            }, of: .users, enough: 2, into: .stub { _ in 0 }, report: { _ in })
        #expect(staged.records == 2)
        #expect(asked.withLock { $0 } == [1, 2])
    }

    @Test("A page that can't be staged ends the sync without waiting for the next")
    func unstaged() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Int.self)
        let seen = Seen(asked)
        await #expect(throws: CacheError.storage("full")) {
            try await stagePages(
                fetch: { request, _ in
                    asking.yield(request.number)
                    if request.number == 2 { try await Task.sleep(for: .seconds(600)) }
                    return Self.page(request.number)
                }, of: .users,
                into: .stub { _ in
                    await seen.wait(for: 2)
                    throw CacheError.storage("full")
                }, report: { _ in })
        }
    }
}

/// Waits for numbers that come in order.
private actor Seen {
    private var numbers: AsyncStream<Int>
    private var last = 0

    init(_ numbers: AsyncStream<Int>) { self.numbers = numbers }

    func wait(for number: Int) async {
        guard last < number else { return }
        for await next in numbers {
            last = next
            if last >= number { return }
        }
    }
}
