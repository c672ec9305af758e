import Model
import StrictJSON
import Synchronization
import Testing
import Upstream

@Suite("A page with many records")
struct ManyRecordsTests {
    private static let count = 3000

    private func users(_ record: @escaping @Sendable (Int) -> String) -> UsersService {
        let records = (0..<Self.count).map(record).joined(separator: ",")
        return .stubbed(Stub("{\"results\":[\(records)]}"), pageSize: Self.count)
    }

    @Test("Many users keep the order of their records")
    func order() async throws {
        let page = try await users { #"{"name":{"last":"\#($0)"}}"# }.fetchPage(.first)
        #expect(page.records.map(\.name.last) == (0..<Self.count).map { "\($0)" })
    }

    @Test("The first of several unreadable records is reported")
    func error() async throws {
        let users = users { $0 % 1000 == 900 ? #"{"name":{"age":\#($0)}}"# : #"{"name":{"last":"N"}}"# }
        let error = await #expect(throws: UpstreamError.self) { try await users.fetchPage(.first) }
        #expect(
            error?.failure.message.hasSuffix("record 901: no name at /name/first or /name/last") == true)
    }
}
