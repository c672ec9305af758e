import Cache
import Model
import SQLite
import TestSupport
import Testing

@Suite("Completion of departments and cities")
struct FilterValueTests {
    @Test("Each is spelled as its first user has it, and found without case and accents")
    func values() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        let places = ["Zürich", "ZÜRICH", "Zug", "Bern", nil]
        try await cache.sync(
            users: places.enumerated().map { index, city in
                User(id: "\(index)", name: .init(first: "A", last: "\(index)")) {
                    $0.address.city = city
                    $0.department = city.map { "Office \($0)" }
                }
            })
        await cache.close()
        #expect(try FilterValue.city.beginning(with: "zu", path: path) == ["Zug", "Zürich"])
        #expect(try FilterValue.city.beginning(with: "", path: path) == ["Bern", "Zug", "Zürich"])
        #expect(try FilterValue.department.beginning(with: "OFFICE B", path: path) == ["Office Bern"])
        #expect(try FilterValue.city.beginning(with: "x", path: path) == [])
    }
}
