import Foundation
import HTTP
import Model
import StrictJSON
import TerminalViews
import TestSupport
import Testing
import Upstream
import UserdAPI
import YAML

@testable import UserctlCommands

/// A date that userd does not know, in a table of its own. Its value is kept where that of `registered_at` usually is.
@Suite struct FieldTableTests {
    private static let hired = UserField(
        "hired_at", "Hired", or: "hired", .date(\.registeredAt), isDay: true, isSearched: true)
    private let fields = UserField.all.map { $0 == .registeredAt ? hired : $0 }

    /// The user that the format `scim` reads from an answer, with a pointer for the date.
    private func user(omitting omitted: String...) async throws -> User {
        let answer = """
            {"totalResults": 1, "Resources": [{"id": "1", "userName": "ann", "name": {"familyName": "Lee"},
              "urn:example:User": {"hireDate": "2021-04-29T23:30:00-05:00"}}]}
            """
        var format = try DirectoryFormat.builtIn("scim")
        let yaml = try YAMLNode.document(Array("{hired_at: /urn:example:User/hireDate}".utf8))
        try format.override("fields", with: try #require(yaml), fields: fields.map(\.name))
        format.omit(
            UserField.omittable(of: fields).filter { omitted.contains($0.name) }.reduce(into: []) {
                $0.formUnion($1.fields)
            })
        let users = UsersService.live(
            .users(
                format,
                UpstreamSettings(
                    url: URL(string: "https://idp.example/Users")!, pageSize: format.pageSize),
                fields: fields, now: { noon }),
            transport: HTTPTransport { _ in HTTPResponse(status: 200, body: Array(answer.utf8)) },
            now: { noon })
        let page = try await users.fetchPage(.first, nil)
        return try #require(page.records.first)
    }

    @Test func `SCIM's answer has it, as the day that is written`() async throws {
        #expect(try await user().registeredAt == Timestamp(rfc3339: "2021-04-29T00:00:00Z"))
    }

    @Test func `users.omit leaves it out`() async throws {
        #expect(try await user(omitting: "hired_at").registeredAt == nil)
        #expect(try await user(omitting: "address").registeredAt != nil)
        #expect(try await user().omitting([Self.hired]).registeredAt == nil)
    }

    @Test func `the cache has it in the record, and the search finds it`() async throws {
        let user = try await user()
        let cache = try await CacheFile(users: [user, wei], fields: fields)
        func found(_ words: String) async -> Ended {
            await userctl(
                "search", words, "-o", "ndjson", "--socket", "/nonexistent", "--database", cache.path)
        }
        let ended = await found("2021-04-29")
        #expect(
            ended.output == """
                {"address":{},"hired_at":"2021-04-29T00:00:00.000Z","id":"1","name":{"first":"","last":"Lee"},\
                "username":"ann"}

                """)
        #expect(await found("2021-04-28").code == 1)
        let reader = StoredUserReader(fields)
        #expect(reader.user(stored: Array(ended.output.utf8.dropLast())) == user)
    }

    @Test func `show, tables and CSV have it, with its title and names`() async throws {
        let card = render(UserCard(user: try await user(), fields: fields), width: 60, colour: false)
        #expect(card.contains("Hired     2021-04-29\n"))
        let columns = UserColumn.all(of: fields)
        let column = try #require(columns.first { $0.key == "hired_at" })
        #expect(columns.count == UserColumn.all.count && column.names == ["hired_at", "hired"])
        let record = JSONValue(trusting: Array(#"{"hired_at":"2021-04-29T00:00:00.000Z"}"#.utf8))
        #expect(column.title == "Hired" && UserCells([column]).cells(of: record) == ["2021-04-29"])
        let csv = CSV(["id"] + column.fields.map(\.path), destination: .file)
        var bytes = csv.header
        csv.row(csv.reader.read(record), to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "id,hired_at\r\n,2021-04-29T00:00:00.000Z\r\n")
    }
}
