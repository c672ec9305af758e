import Foundation
import Glibc
import Model
import ParallelRuns
import Services
import StrictJSON
import Synchronization
import Testing

@Suite("A page of many records")
struct ManyRecordsTests {
    private static let count = 3000

    private func users(_ record: @escaping @Sendable (Int) -> String) -> UsersService {
        let records = (0..<Self.count).map(record).joined(separator: ",")
        return .stubbed(Stub("{\"results\":[\(records)]}"), pageSize: Self.count)
    }

    @Test("has its users in the order of their records")
    func order() async throws {
        let page = try await users { #"{"name":{"last":"\#($0)"}}"# }.fetchPage(.first)
        #expect(page.records.map(\.name.last) == (0..<Self.count).map { "\($0)" })
        #expect(Set(page.digests).count == Self.count)
    }

    @Test("tells the first of several that cannot be read")
    func error() async throws {
        let users = users { $0 % 1000 == 900 ? #"{"name":{"last":\#($0)}}"# : #"{"name":{"last":"N"}}"# }
        let error = await #expect(throws: UpstreamError.self) { try await users.fetchPage(.first) }
        #expect(
            error?.failure.message.hasSuffix("results[900].name.last: expected a string, found a number")
                == true)
    }

    @Test("has places of records that are cached as they came by how many others were before")
    func places() async throws {
        let users = users { #"{"name":{"last":"\#($0)"}}"# }
        let first = try await users.fetchPage(.first)
        var known = try #require(first.known)
        known.digest = "another"
        guard case .changed(let read) = try await users.fetchPage(.first, known) else {
            Issue.record("expected a page to read")
            return
        }
        let same = stride(from: 0, to: Self.count, by: 3)
        let page = try await read(
            Dictionary(uniqueKeysWithValues: same.map { (first.digests[$0], $0) }))
        #expect(page.same == same.map { SameRecord(number: $0, place: $0 - $0 / 3) })
        #expect(page.records.count == Self.count - page.same.count)
        #expect(page.digests == (0..<Self.count).filter { $0 % 3 > 0 }.map { first.digests[$0] })
    }

    @Test("is read in runs, and one of few at once, on the thread that asks for it")
    func runs() {
        let runs = inParallelRuns(of: 1003, least: 100) { $0 }
        #expect(runs.count > 1)
        #expect(Array(runs.joined()) == Array(0..<1003))
        let own = pthread_self()
        for few in [0, 1, 150, 199] {
            let threads = inParallelRuns(of: few, least: 100) { run in
                #expect(run == 0..<few)
                return pthread_self()
            }
            #expect(threads == [own])
        }
    }
}
