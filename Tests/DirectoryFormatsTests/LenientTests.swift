import Foundation
import HTTP
import Model
import Services
import Testing

@testable import DirectoryFormats

@Suite("Damaged answers of upstreams")
struct LenientTests {
    private func page(_ body: [UInt8]) async throws -> DecodedPage<User> {
        let service = UsersService.live(
            try .directory(.configured("scim"), now: { now }),
            transport: HTTPTransport { _ in HTTPResponse(status: 200, body: body) },
            settings: UpstreamSettings(url: URL(string: "https://idp.example/users")!, pageSize: 10))
        guard case .page(let page) = try await service.fetchPage(.first, nil) else {
            throw FormatMistake("304 to a plain question")
        }
        return page
    }

    @Test("Damaged text is read with U+FFFD, and other users are unaffected")
    func texts() async throws {
        let head = #"{"Resources": [{"id": "1", "id": "2", "userName": "a\ud83d", "displayName": "M"#
        let body =
            [0xEF, 0xBB, 0xBF] + Array(head.utf8) + [0xFC]
            + Array(#"ller"}, {"id": "3", "userName": "b"}]}"#.utf8)
        let users = try await page(body).records
        #expect(users.map(\.id) == ["2", "3"])
        #expect(users[0].username == "a\u{FFFD}")
        #expect(users[0].displayName == "M\u{FFFD}ller")
    }

    @Test(
        "The message about invalid JSON names the record and the member",
        arguments: [
            (
                #"{"Resources": [{"id": "1"}, {"id": "2", "emails": [{"value": "a",}]}]}"#,
                "not JSON: record 2: /emails/0: line 1, column 65: trailing comma before }"
            ),
            (
                #"{"schemas": [1,], "Resources": []}"#,
                "not JSON: /schemas: line 1, column 15: trailing comma before ]"
            ),
            (
                #"{"resources": [{"id": 01}]}"#,
                "not JSON: record 1: /id: line 1, column 23: a number with a leading zero"
            ),
        ])
    func places(body: String, message: String) async throws {
        let failure = try await failure(body, .configured("scim"))
        #expect(failure?.message == "cannot read page 1 of https://idp.example/users: " + message)
    }
}
