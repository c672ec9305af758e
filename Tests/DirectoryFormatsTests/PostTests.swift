import Foundation
import HTTP
import Model
import Synchronization
import Testing
import YAML

@testable import Upstream

@Suite("Lists that are requested by POST")
struct PostTests {
    private func body(_ yaml: String) throws -> RequestBody {
        RequestBody(try #require(try YAMLNode.document(Array(yaml.utf8))))
    }

    /// Requests all pages, and returns the requests' bodies and addresses.
    private func asked(
        _ format: String, body: String, _ answer: @escaping @Sendable (Int) -> String
    ) async throws -> [String] {
        let asked = Mutex<[String]>([])
        let transport = HTTPTransport { request in
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            let number = asked.withLock { asked in
                asked.append([request.url.query(), body].compactMap(\.self).joined(separator: " "))
                return asked.count
            }
            return HTTPResponse(status: 200, body: Array(answer(number).utf8))
        }
        let settings = UpstreamSettings(
            url: URL(string: "https://idp.example/users")!, pageSize: 2, body: try self.body(body))
        let users = UsersService.live(
            .users(try .configured("json", format), settings, now: { now }), transport: transport,
            now: { now })
        var next: PageRequest? = .first
        while let page = next {
            next = try await users.fetchPage(page, nil).next
        }
        return asked.withLock { $0 }
    }

    @Test("A POST can have offset and size in its body, as Zitadel requires")
    func offset() async throws {
        let asked = try await asked(
            """
            records: /result
            fields: {id: /userId, username: /userName}
            paging: {style: offset, param: /query/offset, size: /query/limit, total: /details/totalResult}
            """, body: "{query: {asc: true}, queries: [{stateQuery: {state: USER_STATE_ACTIVE}}]}"
        ) { page in
            let ids = page == 1 ? ["1", "2"] : ["3"]
            let list = ids.map { #"{"userId": "\#($0)", "userName": "u\#($0)"}"# }.joined(separator: ", ")
            return #"{"details": {"totalResult": "3"}, "result": [\#(list)]}"#
        }
        let queries = #""queries":[{"stateQuery":{"state":"USER_STATE_ACTIVE"}}]"#
        #expect(
            asked == [
                #"{"query":{"asc":true,"limit":2,"offset":0},\#(queries)}"#,
                #"{"query":{"asc":true,"limit":2,"offset":2},\#(queries)}"#,
            ])
    }

    private static let graphQL = """
        records: /data/users/nodes
        fields: {id: /id, username: /login}
        paging: {style: cursor, param: /variables/after, size: /variables/first, from: /data/users/pageInfo/endCursor}
        """

    @Test("A POST can have the cursor among its variables, as GraphQL requires")
    func cursor() async throws {
        let asked = try await asked(
            Self.graphQL,
            body: "query: 'query($first: Int!, $after: String) { users }'\nvariables: {after: null}\n"
        ) { page in
            let cursor = page == 1 ? "\"17\"" : "null"
            return #"""
                {"data": {"users": {"nodes": [{"id": "\#(page)", "login": "a"}], "pageInfo": {"endCursor": \#(cursor)}}},
                "errors": []}
                """#
        }
        let query = #""query":"query($first: Int!, $after: String) { users }""#
        #expect(
            asked == [
                #"{\#(query),"variables":{"after":null,"first":2}}"#,
                #"{\#(query),"variables":{"after":"17","first":2}}"#,
            ])
    }

    @Test("A POST can have its page in the address, or in a form")
    func address() async throws {
        @Sendable func answer(_ page: Int) -> String {
            page > 2 ? "[]" : #"[{"id": \#(page), "username": "a"}]"#
        }
        let fields = "fields: {id: /id, username: /username}\n"
        #expect(
            try await asked(fields + "paging: {style: number, param: page}", body: "{a: b}", answer) == [
                #"page=1 {"a":"b"}"#, #"page=2 {"a":"b"}"#, #"page=3 {"a":"b"}"#,
            ])
        #expect(
            try await asked(fields + "paging: {style: number, param: /page, size: /n}", body: "a=b", answer)
                == [
                    "page=1&n=2&a=b", "page=2&n=2&a=b", "page=3&n=2&a=b",
                ])
    }

    @Test(
        "A body is written as YAML, whose plain numbers, booleans and nulls stay such in JSON",
        arguments: [
            (
                "{a: 1, b: '1', c: true, d: \"true\", e: null, f: ~, g: -1.5e3, h: 010, i: yes, j: ''}",
                #"{"a":1,"b":"1","c":true,"d":"true","e":null,"f":null,"g":-1.5e3,"h":"010","i":"yes","j":""}"#
            ),
            (#"{"a": {"b": [1, "x\"y"]}, "c": {}}"#, #"{"a":{"b":[1,"x\"y"]},"c":{}}"#), ("[]", "[]"),
            ("'{\"a\": 1}'", #"{"a": 1}"#),
        ])
    func yaml(text: String, json: String) throws {
        guard case .json(let bytes) = try body(text).content else { return #expect(Bool(false), "no JSON") }
        #expect(String(decoding: bytes, as: UTF8.self) == json)
    }

    @Test("Pointers to places that a body can't have are reported")
    func misplaced() throws {
        func misplaced(_ paging: String, _ text: String?) throws -> [String] {
            let format = try DirectoryFormat.configured("json", "paging: \(paging)")
            return format.paging.misplaced(in: try text.map(body)).map(\.key)
        }
        let both = "{style: number, param: /a/b, size: /n}"
        #expect(try misplaced(both, nil) == ["param", "size"])
        #expect(try misplaced(both, "a=b") == ["param"])
        #expect(try misplaced(both, "some text") == ["param", "size"])
        #expect(try misplaced(both, "{a: 1}") == ["param"])
        #expect(try misplaced(both, "{a: {}}") == [])
        #expect(try misplaced("{style: number, param: page}", nil) == [])
    }

    @Test(
        "An error from GraphQL is a failure, even next to data",
        arguments: ["null", #"{"users": {"nodes": []}}"#])
    func errors(data: String) async throws {
        let format = try DirectoryFormat.configured("json", Self.graphQL)
        let told = try await failure(
            #"{"data": \#(data), "errors": [{"message": "Field 'x' is unknown"}, {"message": "y"}]}"#, format)
        #expect(told?.kind == .http)
        #expect(told?.message == "https://idp.example/users answered 200: Field 'x' is unknown; y")
        for error in [
            #"{"message": "later", "type": "RATE_LIMITED"}"#, #"{"message": "API rate limit exceeded"}"#,
            #"{"message": "later", "extensions": {"code": "THROTTLED"}}"#,
        ] {
            let limited = try await failure(#"{"data": \#(data), "errors": [\#(error)]}"#, format)
            #expect(limited?.kind == .rateLimited, "\(error)")
        }
        let refused = try await failure(
            #"{"errors": [{"message": "later", "extensions": {"code": "RATELIMITED"}}]}"#, format, status: 400
        )
        #expect(refused?.kind == .rateLimited)
    }

    @Test("Other lists may have a member named errors next to them")
    func others() async throws {
        let format = try DirectoryFormat.configured(
            "json", "records: /users\nfields: {id: /id, username: /id}")
        #expect(
            try await failure(#"{"users": [{"id": 1}], "errors": ["one row was skipped"]}"#, format) == nil)
    }
}
