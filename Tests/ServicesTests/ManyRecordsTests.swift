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
    }

    @Test("tells the first of several that cannot be read")
    func error() async throws {
        let users = users { $0 % 1000 == 900 ? #"{"name":{"last":\#($0)}}"# : #"{"name":{"last":"N"}}"# }
        let error = await #expect(throws: UpstreamError.self) { try await users.fetchPage(.first) }
        #expect(
            error?.failure.message.hasSuffix("results[900].name.last: expected a string, found a number")
                == true)
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
