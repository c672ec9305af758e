import Foundation
import HTTP
import Model
import Testing
import Upstream

@Suite("Reasons in error answers, and what to do about them")
struct ReasonTests {
    private func failed(users body: String, _ status: Int) async throws -> UpstreamError {
        let stub = Stub(body, status: status)
        return try await thrown { try await UsersService.stubbed(stub).fetchPage(.first) }
    }

    /// Bodies of servers and APIs, from their source code or documentation.
    static let reasons: [(source: String, status: Int, body: String, reason: String)] = [
        (
            "FastAPI: fastapi.tiangolo.com/tutorial/handling-errors", 422,
            #"{"detail":[{"loc":["query","page"],"msg":"value is not a valid integer","type":"type_error"}]}"#,
            "value is not a valid integer"
        ),
        (
            "Flask-JWT-Extended: default_callbacks.py", 401, #"{"msg":"Missing Authorization Header"}"#,
            "Missing Authorization Header"
        ),
        (
            "MediaWiki: mediawiki.org/wiki/API:Errors_and_warnings", 200,
            #"{"error":{"code":"readapidenied","info":"You need read permission to use this module."},"servedby":"a"}"#,
            "You need read permission to use this module."
        ),
        (
            "CouchDB: docs.couchdb.org/en/stable/api/basics.html", 401,
            #"{"error":"unauthorized","reason":"Name or password is incorrect."}"#,
            "Name or password is incorrect."
        ),
        (
            "Elasticsearch: elastic.co/docs REST conventions", 401,
            #"{"error":{"root_cause":[{"reason":"a"}],"type":"security_exception","reason":"missing credentials"},"status":401}"#,
            "missing credentials"
        ),
        (
            "Slack: docs.slack.dev/reference/methods/users.list", 200,
            #"{"ok":false,"error":"invalid_auth"}"#,
            "invalid_auth"
        ),
        (
            "Lark: open.larksuite.com/document, generic error code", 200,
            #"{"code":99991663,"msg":"Invalid access token for authorization."}"#,
            "Invalid access token for authorization."
        ),
        (
            "DingTalk: open.dingtalk.com/document, error codes", 200,
            #"{"errcode":40014,"errmsg":"invalid access_token"}"#, "invalid access_token"
        ),
        (
            "ASP.NET Web API: AuthorizeAttribute", 401,
            #"{"Message":"Authorization has been denied for this request."}"#,
            "Authorization has been denied for this request."
        ),
        (
            "Jira: developer.atlassian.com/cloud/jira/platform/rest, status codes", 403,
            #"{"errorMessages":["You cannot browse users."],"errors":{}}"#, "You cannot browse users."
        ),
        (
            "Apigee: cloud.google.com/apigee/docs, fault handling", 401,
            #"{"fault":{"faultstring":"Invalid ApiKey","detail":{"errorcode":"oauth.v2.InvalidApiKey"}}}"#,
            "Invalid ApiKey"
        ),
        (
            "Keystone: docs.openstack.org/api-ref/identity/v3", 401,
            #"{"error":{"message":"Authentication is required.","code":401,"title":"Unauthorized"}}"#,
            "Authentication is required."
        ),
        (
            "Synapse: spec.matrix.org, standard error response", 401,
            #"{"errcode":"M_UNKNOWN_TOKEN","error":"Invalid access token passed."}"#,
            "Invalid access token passed."
        ),
        (
            "AWS: docs.aws.amazon.com/singlesignon, common errors", 400,
            #"{"__type":"AccessDeniedException","Message":"You are not authorized."}"#,
            "You are not authorized."
        ),
        (
            "Okta: developer.okta.com/docs/reference/error-codes", 401,
            #"{"errorCode":"E0000011","errorSummary":"Invalid token provided","errorCauses":[]}"#,
            "Invalid token provided"
        ),
        (
            "Graph: learn.microsoft.com/graph/errors", 401,
            #"{"error":{"code":"InvalidAuthenticationToken","message":"Access token is empty.","innerError":{}}}"#,
            "Access token is empty."
        ),
        (
            "Django REST framework: exceptions.py", 403,
            #"{"detail":"Authentication credentials were not provided."}"#,
            "Authentication credentials were not provided."
        ),
        (
            "Zoho: zoho.com/crm/developer/docs/api/v8/status-codes.html", 401,
            #"{"code":"INVALID_TOKEN","details":{},"message":"invalid oauth token","status":"error"}"#,
            "invalid oauth token"
        ),
        (
            "Redmine: redmine.org/projects/redmine/wiki/Rest_api", 422, #"{"errors":["Limit is invalid"]}"#,
            "Limit is invalid"
        ),
        (
            "GitHub: docs.github.com/graphql, rate and node limits", 200,
            #"{"errors":[{"type":"FORBIDDEN","message":"Resource not accessible by integration"}],"data":null}"#,
            "Resource not accessible by integration"
        ),
    ]

    @Test("The reason in an error body is read as servers write it, and time does not mend a refusal")
    func reasons() async throws {
        for (source, status, body, reason) in Self.reasons {
            let failure = try await failed(users: body, status).failure
            #expect(failure.reason == "https://users.example/api/ answered \(status): \(reason)", "\(source)")
            #expect(failure.kind == .http && !failure.retryable, "\(source)")
        }
    }

    @Test(
        "An error in a successful answer that is not about credentials or rights is tried again",
        arguments: [
            #"{"ok":false,"error":"internal_error"}"#, #"{"ok":false,"error":"fatal_error"}"#,
            #"{"msg":"The authentication service is temporarily unavailable"}"#,
            #"{"error":{"code":"internal_api_error_DBQueryError","info":"Caught exception"}}"#,
        ])
    func passing(body: String) async throws {
        let failure = try await failed(users: body, 200).failure
        #expect(failure.kind == .http && failure.retryable)
    }

    @Test(
        "A message beside a list in another place is no error: the failure names the place of the list",
        arguments: [
            (#"{"code":0,"msg":"success","data":{"items":[{"a":1}]}}"#, "; there is a list at /data/items"),
            (#"{"message":"2 users","people":[{"a":1}]}"#, "; there is a list at /people"),
            (#"{"code":0,"msg":"success","data":{"items":[]}}"#, ""),
            (#"{"errors":[],"message":"2 users","people":[{"a":1}]}"#, "; there is a list at /people"),
        ])
    func besideLists(body: String, words: String) async throws {
        let failure = try await failed(users: body, 200).failure
        #expect(failure.kind == .decode && failure.reason.hasSuffix("no list at \"/results\"\(words)"))
    }

    @Test("An error counts also beside another list")
    func errorBesideList() async throws {
        let body = #"{"teams":[{"a":1}],"errors":[{"message":"Try later: rate limit"}]}"#
        #expect(try await failed(users: body, 200).failure.kind == .rateLimited)
    }

    @Test("A key without a scheme is not taken for one")
    func keyAlone() {
        #expect((["Authorization": "canary-canary"] as HTTPHeaders).scheme?.isEmpty == true)
        #expect((["Authorization": "Token canary"] as HTTPHeaders).scheme == "Token")
    }

    @Test("The replay of a raw recording names the scheme that userd sent")
    func replayedScheme() async throws {
        let stub = Stub(#"{"detail": "No."}"#, status: 401, headers: ["WWW-Authenticate": "Token"])
        let recording = try await record(stub.transport, isRaw: true, token: "t0ken") { services in
            _ = try? await services.users.fetchPage(.first)
        }
        let failure = try await thrown { try await replayed(recording).users.fetchPage(.first) }.failure
        #expect(failure.reason.hasSuffix("answered 401: No.; it asks for Token, and userd sent Bearer"))
        #expect(failure.advice?.kind == .changeTokenScheme)
    }

    @Test(
        "A 401 names the scheme that the server asks for, if userd sent another",
        arguments: [
            (["Token"], "Bearer", "it asks for Token, and userd sent Bearer", .changeTokenScheme),
            (
                ["Basic realm=\"a, Bearer b\""], "Bearer", "it asks for Basic, and userd sent Bearer",
                .checkSecrets
            ),
            (
                ["Negotiate", "NTLM"], "Token", "it asks for Negotiate or NTLM, and userd sent Token",
                .checkSecrets
            ),
            (
                ["Basic realm=\"a\", Digest realm=\"b\", nonce=\"c\""], nil,
                "it asks for Basic or Digest, and userd sent no header Authorization", nil
            ),
            (["bearer realm=\"a\", error=\"invalid_token\""], "Bearer", nil, nil),
            (["Basic realm=\"a\"", "Bearer"], "Bearer", nil, nil), ([], "Bearer", nil, nil),
        ] as [([String], String?, String?, Advice.Kind?)])
    func schemes(challenges: [String], sent: String?, words: String?, advice: Advice.Kind?) async throws {
        let fields = challenges.map { HTTPHeaders.Field(name: "WWW-Authenticate", value: $0) }
        let stub = Stub(#"{"detail": "No."}"#, status: 401, headers: HTTPHeaders(fields: fields))
        let authorization = Authorization(scheme: sent ?? "Bearer") { _ in sent == nil ? nil : "t0ken" }
        let failure = try await thrown {
            try await UsersService.stubbed(stub, authorization: authorization).fetchPage(.first)
        }.failure
        #expect(
            failure.reason == "https://users.example/api/ answered 401: No." + (words.map { "; \($0)" } ?? "")
        )
        #expect(failure.advice?.kind == advice && failure.kind == .http)
    }
}
