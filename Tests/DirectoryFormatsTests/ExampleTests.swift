import Foundation
import Model
import Services
import Testing
import YAML

@testable import DirectoryFormats

/// The examples of Directories.md as they stand there, with answers of the form that the APIs' documents show.
@Suite("An example of a JSON API")
struct ExampleTests {
    /// What stands below `users` after that comment.
    private func example(_ name: String) throws -> [String: YAMLNode] {
        let root = #filePath.prefix(#filePath.count - "Tests/DirectoryFormatsTests/ExampleTests.swift".count)
        let article = try String(
            contentsOfFile: root + "Sources/Daemon/userd/userd.docc/Directories.md", encoding: .utf8)
        let blocks = article.components(separatedBy: "```yaml\n").map { $0.components(separatedBy: "```")[0] }
        let block = try #require(blocks.first { $0.contains("# \(name):") })
        guard case .mapping(let top)? = try YAMLNode.document(Array(block.utf8))?.content,
            case .mapping(let users)? = top.first?.value.content
        else { throw FormatMistake("no users in \(block)") }
        return Dictionary(uniqueKeysWithValues: users.map { ($0.name, $0.value) })
    }

    /// The first page's users, and the request for the second.
    private func read(_ name: String, _ body: String, headers: HTTPHeaders = [:]) async throws -> (
        users: [User], next: HTTPRequest?
    ) {
        let example = try example(name)
        var format = try #require(try DirectoryFormat.named("json"))
        let keys = DirectoryFormat.keys.map { (key: $0, value: example[$0]) }
        #expect(format.override(with: keys, fields: UserField.allCases.map(\.rawValue)).isEmpty)
        let posted = example["body"].map(RequestBody.init)
        #expect(format.paging.misplaced(in: posted).isEmpty)
        let transport = HTTPTransport { _ in
            HTTPResponse(status: 200, headers: headers, body: Array(body.utf8))
        }
        let settings = UpstreamSettings(
            url: URL(string: "https://api.example/users")!, pageSize: 100, body: posted)
        let service = UsersService.live(
            .directory(format, now: { now }), transport: transport, settings: settings, now: { now })
        guard case .page(let page) = try await service.fetchPage(.first, nil) else {
            throw FormatMistake("304 to a plain question")
        }
        let pager = Pager(paging: format.paging)
        return (page.records, try page.next.map { try pager.request(settings, $0) })
    }

    @Test("of Zitadel pages by an offset in its body")
    func zitadel() async throws {
        let (users, next) = try await read(
            "Zitadel",
            """
            {"details": {"totalResult": "250", "processedSequence": "1", "timestamp": "2026-01-01T00:00:00Z"},
            "result": [{"userId": "d654e6ba", "state": "USER_STATE_ACTIVE", "username": "minnie-mouse",
            "preferredLoginName": "minnie-mouse@acme.example", "human": {"profile": {"givenName": "Minnie",
            "familyName": "Mouse", "displayName": "Minnie Mouse"}, "email": {"email": "minnie@mouse.com",
            "isVerified": true}, "phone": {"phone": "+41791234567"}}}]}
            """)
        #expect(users.map(\.id) == ["d654e6ba"])
        #expect(users.first?.name == User.Name(first: "Minnie", last: "Mouse"))
        #expect(users.first?.phone == "+41791234567")
        let body = next?.body.map { String(decoding: $0, as: UTF8.self) }
        #expect(body?.hasPrefix(#"{"query":{"asc":true,"limit":100,"offset":1},"#) == true, "\(body ?? "")")
    }

    @Test("of GraphQL pages by a cursor among its variables")
    func graphQL() async throws {
        let (users, next) = try await read(
            "GraphQL",
            """
            {"data": {"organization": {"membersWithRole": {"nodes": [{"id": "MDQ6VXNlcjE=", "login": "octocat",
            "name": "The Octocat", "email": "", "avatarUrl": "https://avatars.example/u/1"}],
            "pageInfo": {"hasNextPage": true, "endCursor": "Y3Vyc29yOnYyOpHOAAE="}}}}}
            """)
        #expect(users.map(\.username) == ["octocat"])
        #expect(users.first?.email == nil)
        let body = try #require(next?.body.map { String(decoding: $0, as: UTF8.self) })
        #expect(
            body.hasPrefix(#"{"query":"query($org: String!, $first: Int!, $after: String) { organization("#))
        #expect(
            body.hasSuffix(#""variables":{"org":"EXAMPLE","first":100,"after":"Y3Vyc29yOnYyOpHOAAE="}}"#),
            "\(body)")
    }

    @Test("of Zendesk leaves out who is suspended, and follows next_page")
    func zendesk() async throws {
        let (users, next) = try await read(
            "Zendesk",
            """
            {"users": [{"id": 35436, "url": "https://x.zendesk.com/api/v2/users/35436.json", "name": "Robert Fray",
            "email": "robert@example.org", "created_at": "2011-05-05T10:38:52Z", "role": "agent", "active": true,
            "suspended": false, "photo": {"id": 928374, "content_url": "https://x.zendesk.com/photos/my_picture.png"},
            "phone": null}, {"id": 9873843, "name": "Roger Wilco", "suspended": true}],
            "next_page": "https://api.example/users?role[]=agent&per_page=100&page=2", "previous_page": null, "count": 250}
            """)
        #expect(users.map(\.id) == ["35436"])
        #expect(users.first?.email == "robert@example.org")
        #expect(next?.url.query(percentEncoded: true)?.hasSuffix("&per_page=100&page=2") == true)
    }

    @Test("of Nextcloud reads users by their names, and asks until there are none")
    func nextcloud() async throws {
        let (users, next) = try await read(
            "Nextcloud",
            """
            {"ocs": {"meta": {"status": "ok", "statuscode": 200, "message": "OK"}, "data": {"users": {
            "ann": {"enabled": true, "id": "ann", "quota": {"used": 1}, "email": "ann@example.org", "displayname": "Ann Lee",
            "phone": "", "organisation": "Example", "role": "Head", "groups": ["a"]}, "bo": {"enabled": false, "id": "bo"}}}}}
            """)
        #expect(users.map(\.id) == ["ann"])
        #expect(users.first?.displayName == "Ann Lee")
        #expect(
            [users.first?.company, users.first?.jobTitle, users.first?.phone] == ["Example", "Head", nil])
        #expect(next?.url.query()?.contains("offset=2") == true)
        let end = try await read("Nextcloud", #"{"ocs": {"meta": {"status": "ok"}, "data": {"users": []}}}"#)
        #expect(end.users.isEmpty && end.next == nil)
    }

    @Test("of Slack leaves out bots, and ends at an empty cursor")
    func slack() async throws {
        func answer(_ cursor: String) -> String {
            """
            {"ok": true, "members": [{"id": "W012A3CDE", "name": "spengler", "deleted": false, "is_bot": false,
            "updated": 1502138686, "profile": {"real_name": "Egon Spengler", "first_name": "Egon", "last_name": "Spengler",
            "email": "spengler@ghostbusters.example.com", "title": "", "phone": "", "image_48": "https://a.example/48.jpg"}},
            {"id": "USLACKBOT", "name": "slackbot", "deleted": false, "is_bot": false, "profile": {}}],
            "cache_ts": 1498777272, "response_metadata": {"next_cursor": "\(cursor)"}}
            """
        }
        let (users, next) = try await read("Slack", answer("dXNlcjpVMEc5V0ZYTlo="))
        #expect(users.map(\.username) == ["spengler"])
        #expect(users.first?.updatedAt == Timestamp(rfc3339: "2017-08-07T20:44:46Z"))
        #expect(next?.url.query()?.contains("cursor=dXNlcjpVMEc5V0ZYTlo") == true)
        #expect(try await read("Slack", answer("")).next == nil)
    }

    @Test("of Personio follows the next address")
    func personio() async throws {
        let (users, next) = try await read(
            "Personio",
            """
            {"_data": [{"id": "98765", "email": "ann@example.org", "first_name": "Ann", "last_name": "Lee", "preferred_name": "",
            "gender": "FEMALE", "status": "ACTIVE", "created_at": "2023-01-01T00:00:00Z", "employments": []},
            {"id": "98766", "first_name": "Bo", "last_name": "Ek", "status": "INACTIVE"}],
            "_meta": {"links": {"self": {"href": "https://api.example/users?limit=50"},
            "next": {"href": "https://api.example/users?limit=50&cursor=abc"}}}}
            """)
        #expect(users.map(\.name) == [User.Name(first: "Ann", last: "Lee")])
        #expect(next?.url.query() == "limit=50&cursor=abc")
    }

    @Test("of ServiceNow follows Link, and shows names of departments and managers")
    func serviceNow() async throws {
        let (users, next) = try await read(
            "ServiceNow",
            """
            {"result": [{"sys_id": "62826bf03710200044e0bfc8bcbe5df1", "user_name": "abel.tuter", "first_name": "Abel",
            "last_name": "Tuter", "name": "Abel Tuter", "email": "abel.tuter@example.com", "active": "true", "phone": "",
            "department": {"display_value": "Product Management", "link": "https://x.service-now.com/api/now/table/cmn"},
            "company": "", "manager": {"display_value": "Fred Luddy", "link": "https://x"}, "title": "Engineer"}]}
            """,
            headers: [
                "Link":
                    "<https://api.example/users?sysparm_limit=100&sysparm_offset=0>;rel=\"first\",<https://api.example/users?sysparm_limit=100&sysparm_offset=100>;rel=\"next\""
            ])
        #expect(users.map(\.username) == ["abel.tuter"])
        #expect(users.first?.department == "Product Management")
        #expect(users.first?.manager?.name == "Fred Luddy")
        #expect(next?.url.query() == "sysparm_limit=100&sysparm_offset=100")
    }

    @Test("of Jira leaves out apps and customers")
    func jira() async throws {
        let (users, next) = try await read(
            "Jira",
            """
            [{"accountId": "5b10a2844c20165700ede21g", "accountType": "atlassian", "active": true, "displayName": "Mia Krystof",
            "emailAddress": "mia@example.com", "avatarUrls": {"48x48": "https://avatar.example/48"}},
            {"accountId": "5b10ac8d82e05b22cc7d4ef5", "accountType": "app", "active": true, "displayName": "A Bot"}]
            """)
        #expect(users.map(\.displayName) == ["Mia Krystof"])
        #expect(users.first?.picture?.large == "https://avatar.example/48")
        #expect(next?.url.query()?.contains("startAt=2") == true)
    }

    @Test("of BambooHR is one answer")
    func bambooHR() async throws {
        let (users, next) = try await read(
            "BambooHR",
            """
            {"fields": [{"id": "displayName", "type": "text", "name": "Display name"}], "employees": [{"id": "123",
            "displayName": "John Doe", "firstName": "John", "lastName": "Doe", "preferredName": "", "jobTitle": "Support",
            "workPhone": "555-555-5555", "mobilePhone": null, "workEmail": "johndoe@example.com",
            "department": "Customer Service", "location": "USA", "photoUploaded": true}]}
            """)
        #expect(users.map(\.id) == ["123"])
        #expect(users.first?.name == User.Name(first: "John", last: "Doe"))
        #expect(users.first?.department == "Customer Service")
        #expect(next == nil)
    }
}
