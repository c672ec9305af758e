import HTTP
import Model
import Testing

@testable import Upstream

@Suite("Signs that a list goes on")
struct UnfollowedPageHintTests {
    private static let list = #"[{"id": "1", "next": "/not/a/page"}, {"id": "2", "total": 500}]"#

    /// All hints of a list without paging, the clear ones first. `LIST` in the answer is the list.
    private func hints(
        _ records: String, _ answer: String, _ headers: HTTPHeaders, paging: String = ""
    ) async throws -> (clear: String?, all: [String]) {
        let format = try DirectoryFormat.configured(
            "json", "records: \(records)\nfields: {id: /id, username: /id}\n\(paging)")
        let found = try await page(answer.replacing("LIST", with: Self.list), format, headers: headers)
        #expect(found.next == nil)
        return (found.more, [found.more].compactMap(\.self) + found.hints)
    }

    /// A place where an API names its next page, as its documentation shows it, and the hint.
    private struct Place {
        let source: String
        let records: String
        let answer: String
        var headers: HTTPHeaders = [:]
        let hint: String
        /// Whether userd itself reports it, not only a check of the settings.
        var isClear = false
    }

    private static let places = [
        Place(
            source: "airtable.com/developers/web/api/list-records", records: "/records",
            answer: #"{"records": LIST, "offset": "itrKpGnk/recMpt6"}"#, hint: "/offset names a next page"),
        Place(
            source: "developers.hubspot.com/docs/api-reference/crm-contacts-v3", records: "/results",
            answer: #"{"results": LIST, "paging": {"next": {"after": "NTI1"}}}"#,
            hint: "/paging/next/after names a next page"),
        Place(
            source: "relay.dev/graphql/connections.htm", records: "/data/users/nodes",
            answer:
                #"{"data": {"users": {"nodes": LIST, "pageInfo": {"hasNextPage": true, "endCursor": "Y3"}}}}"#,
            hint: "/data/users/pageInfo/hasNextPage says that there is more"),
        Place(
            source: "odata.org/documentation/odata-version-2-0/json-format", records: "/d/results",
            answer: ##"{"d": {"results": LIST, "__next": "https://a.example/Users?$skiptoken=2"}}"##,
            hint: "/d/__next has the address of a next page", isClear: true),
        Place(
            source: "odata.org/documentation/odata-version-2-0/json-format", records: "/d/results",
            answer: #"{"d": {"results": LIST, "__count": "119"}}"#,
            hint: "/d/__count is 119, but upstream sent 2",
            isClear: true),
        Place(
            source: "docs.oasis-open.org/odata/odata-json-format/v4.01", records: "/value",
            answer: #"{"@odata.nextLink": "Users?$skip=2", "@odata.count": 2, "value": LIST}"#,
            hint: "/@odata.nextLink has the address of a next page", isClear: true),
        Place(
            source: "docs.slack.dev/apis/web-api/pagination", records: "/members",
            answer: #"{"ok": true, "members": LIST, "response_metadata": {"next_cursor": "dXNlcg=="}}"#,
            hint: "/response_metadata/next_cursor names a next page"),
        Place(
            source: "developers.cloudflare.com/fundamentals/api/how-to/make-api-calls", records: "/result",
            answer: #"{"result": LIST, "result_info": {"page": 1, "count": 2, "total_count": 2000}}"#,
            hint: "/result_info/total_count is 2000, but upstream sent 2", isClear: true),
        Place(
            source: "docs.stripe.com/api/pagination", records: "/data",
            answer: #"{"object": "list", "has_more": true, "data": LIST}"#,
            hint: "/has_more says that there is more"),
        Place(
            source: "zoho.com/crm/developer/docs/api/v8/get-users.html", records: "/users",
            answer: #"{"users": LIST, "info": {"per_page": 2, "count": 2, "more_records": true}}"#,
            hint: "/info/more_records says that there is more"),
        Place(
            source: "mediawiki.org/wiki/API:Continue", records: "/query/allusers",
            answer: #"{"continue": {"aufrom": "Ann", "continue": "-||"}, "query": {"allusers": LIST}}"#,
            hint: "/continue/continue names a next page"),
        Place(
            source: "developer.salesforce.com/docs REST API, Query", records: "/records",
            answer: #"{"totalSize": 2, "done": false, "records": LIST}"#,
            hint: "/done says that there is more"),
        Place(
            source: "docs.spring.io/spring-data/commons, Page", records: "/content",
            answer: #"{"content": LIST, "last": false, "totalPages": 2}"#,
            hint: "/totalPages is 2, but upstream sent one page"),
        Place(
            source: "docs.spring.io/spring-data/rest, Paging and Sorting", records: "/_embedded/users",
            answer:
                #"{"_embedded": {"users": LIST}, "_links": {"next": {"href": "http://a.example/users?page=1"}}}"#,
            hint: "/_links/next/href has the address of a next page", isClear: true),
        Place(
            source: "developer.atlassian.com/server/bitbucket/rest, Paged APIs", records: "/values",
            answer: #"{"size": 2, "isLastPage": false, "values": LIST, "nextPageStart": 2}"#,
            hint: "/nextPageStart names a next page"),
        Place(
            source: "hl7.org/fhir/http.html#paging", records: "/entry",
            answer:
                #"{"link": [{"relation": "self", "url": "/a"}, {"relation": "next", "url": "/b"}], "entry": LIST}"#,
            hint: "/link/[relation=next]/url has the address of a next page", isClear: true),
        Place(
            source: "developer.paypal.com/api/rest/responses, HATEOAS links", records: "/users",
            answer: #"{"users": LIST, "links": [{"href": "https://a.example/2", "rel": "next"}]}"#,
            hint: "/links/[rel=next]/href has the address of a next page", isClear: true),
        Place(
            source: "jsonapi.org/format/#fetching-pagination", records: "/data",
            answer: #"{"links": {"next": "/users?page[offset]=2"}, "data": LIST}"#,
            hint: "/links/next has the address of a next page", isClear: true),
        Place(
            source: "django-rest-framework.org/api-guide/pagination", records: "/results",
            answer: #"{"count": 1023, "next": null, "previous": null, "results": LIST}"#,
            hint: "/count is 1023, but upstream sent 2", isClear: true),
        Place(
            source: "developer.box.com/guides/api-calls/pagination/marker-based", records: "/entries",
            answer: #"{"entries": LIST, "limit": 2, "next_marker": "JV9IRGZmieiBasejOG9yDCR"}"#,
            hint: "/next_marker names a next page"),
        Place(
            source: "docs.aws.amazon.com/singlesignon IdentityStore, ListUsers", records: "/Users",
            answer: #"{"NextToken": "AAMA-EFRSURBSGh", "Users": LIST}"#, hint: "/NextToken names a next page"),
        Place(
            source: "docs.aws.amazon.com/IAM, ListUsers", records: "/Users",
            answer: #"{"Users": LIST, "IsTruncated": true, "Marker": "EXAMPLE"}"#,
            hint: "/IsTruncated says that there is more"),
        Place(
            source: "developer.pagerduty.com/docs/pagination", records: "/users",
            answer: #"{"users": LIST, "limit": 2, "offset": 0, "total": null, "more": true}"#,
            hint: "/more says that there is more"),
        Place(
            source: "developers.asana.com/docs/pagination", records: "/data",
            answer: #"{"data": LIST, "next_page": {"offset": "eyJ0", "uri": "https://a.example/2"}}"#,
            hint: "/next_page/uri has the address of a next page", isClear: true),
        Place(
            source: "docs.digitalocean.com/reference/api, Links", records: "/users",
            answer: #"{"users": LIST, "links": {"pages": {"next": "https://a.example/?page=2"}}}"#,
            hint: "/links/pages/next has the address of a next page", isClear: true),
        Place(
            source: "docs.strapi.io/cms/api/rest/sort-pagination", records: "/data",
            answer: #"{"data": LIST, "meta": {"pagination": {"page": 1, "pageSize": 2, "total": 48}}}"#,
            hint: "/meta/pagination/total is 48, but upstream sent 2"),
        Place(
            source: "kubernetes.io/docs/reference/using-api/api-concepts", records: "/items",
            answer: #"{"metadata": {"continue": "ENCODED", "remainingItemCount": 1}, "items": LIST}"#,
            hint: "/metadata/continue names a next page"),
        Place(
            source: "developers.google.com/workspace/admin/directory, users.list", records: "/users",
            answer: #"{"users": LIST, "nextPageToken": "~!!~AI9"}"#,
            hint: "/nextPageToken names a next page"),
        Place(
            source: "developers.facebook.com/docs/graph-api/results", records: "/data",
            answer:
                #"{"data": LIST, "paging": {"cursors": {"after": "MTAx"}, "next": "https://a.example/2"}}"#,
            hint: "/paging/next has the address of a next page", isClear: true),
        Place(
            source: "docs.goauthentik.io, API of users", records: "/results",
            answer: #"{"pagination": {"next": 2, "previous": 0, "count": 2}, "results": LIST}"#,
            hint: "/pagination/next names a next page"),
        Place(
            source: "rfc-editor.org/rfc/rfc8288", records: "''", answer: "LIST",
            headers: ["Link": "</users?page=2>; rel=next"],
            hint: "a Link header names a next page; paging: {style: link} follows it", isClear: true),
        Place(
            source: "learn.microsoft.com/rest/api/azure/devops/graph/users/list", records: "/value",
            answer: #"{"count": 2, "value": LIST}"#, headers: ["X-MS-ContinuationToken": "eyJz"],
            hint: "header X-MS-ContinuationToken names a next page"),
        Place(
            source: "developers.onelogin.com/api-docs/2/getting-started/using-query-parameters",
            records: "''",
            answer: "LIST", headers: ["After-Cursor": "MTIz"],
            hint: "header After-Cursor names a next page"),
        Place(
            source: "docs.gitlab.com/api/rest/#pagination", records: "''", answer: "LIST",
            headers: ["X-Next-Page": "2", "X-Per-Page": "2"], hint: "header X-Next-Page names a next page"
        ),
        Place(
            source: "developer.wordpress.org/rest-api/using-the-rest-api/pagination", records: "''",
            answer: "LIST", headers: ["X-WP-Total": "119"],
            hint: "header X-WP-Total is 119, but upstream sent 2"),
        Place(
            source: "docs.postgrest.org/en/stable/references/api/pagination_count.html", records: "''",
            answer: "LIST", headers: ["Content-Range": "0-1/3573458"],
            hint: "header Content-Range is 3573458, but upstream sent 2"),
    ]

    @Test("Places where APIs name their next page show that a list goes on")
    func places() async throws {
        for place in Self.places {
            let (clear, all) = try await hints(place.records, place.answer, place.headers)
            #expect(all.contains { $0.hasPrefix(place.hint) }, "\(place.source): \(all)")
            #expect(
                place.isClear ? clear?.hasPrefix(place.hint) == true : clear == nil,
                "\(place.source): \(clear ?? "nil")")
        }
    }

    @Test(
        "A last page has no hint, and neither have other members of an answer",
        arguments: [
            // Stripe, Slack, Django REST framework, Salesforce, Bitbucket, Spring: the last page.
            ("/data", #"{"data": LIST, "has_more": false, "total": 2, "count": 2}"#, [:]),
            ("/members", #"{"members": LIST, "response_metadata": {"next_cursor": ""}}"#, [:]),
            ("/results", #"{"count": 2, "next": null, "previous": "/users?page=1", "results": LIST}"#, [:]),
            ("/records", #"{"totalSize": 2, "done": true, "records": LIST}"#, [:]),
            ("/values", #"{"values": LIST, "isLastPage": true, "nextPageStart": null}"#, [:]),
            ("/content", #"{"content": LIST, "last": true, "totalElements": "2", "totalPages": 1}"#, [:]),
            // GraphQL names the end of its last page.
            (
                "/data/users/nodes",
                #"{"data": {"users": {"nodes": LIST, "pageInfo": {"hasNextPage": false, "endCursor": "Y"}}}}"#,
                [:]
            ),
            // Google's calendars and contacts: a token for later changes, on the last page alone.
            ("/items", #"{"items": LIST, "nextSyncToken": "CPDA"}"#, [:]),
            ("/value", #"{"value": LIST, "@odata.deltaLink": "https://a.example/delta"}"#, [:]),
            // authentik.
            ("/results", #"{"pagination": {"next": 0, "previous": 3, "count": 2}, "results": LIST}"#, [:]),
            // FHIR: no link to a next page.
            ("/entry", #"{"link": [{"relation": "prev", "url": "/a"}], "entry": LIST}"#, [:]),
            (
                "/users",
                #"{"users": LIST, "offset": 20, "limit": 5, "prev_cursor": "a", "startCursor": "b"}"#, [:]
            ),
            ("/users", #"{"users": LIST, "account": 8812, "total_time_ms": 153, "access_token": "a"}"#, [:]),
            (
                "/users", #"{"users": LIST, "csrfToken": "a", "more": {}, "next": false, "nothing": "/a"}"#,
                [:]
            ),
            // Names without letters count, too.
            ("/users", #"{"users": LIST, "": {"": {"": {"": {"next": "/users?page=2"}}}}}"#, [:]),
            // Five deep.
            ("/users", #"{"users": LIST, "a": {"b": {"c": {"d": {"next": "/users?page=2"}}}}}"#, [:]),
            ("''", "LIST", ["X-Total-Count": "2", "X-CSRF-Token": "a", "Link": "</?p=1>; rel=prev"]),
            (
                "''", "LIST",
                ["X-Next-Page": "", "X-Prev-Page": "1", "X-Total-Pages": "1", "Retry-After": "9"]
            ),
        ] as [(String, String, HTTPHeaders)])
    func noSigns(records: String, answer: String, headers: HTTPHeaders) async throws {
        let (clear, all) = try await hints(records, answer, headers)
        #expect(clear == nil && all == [])
    }

    @Test("Totals of other things are no clear hints, and names of members are shown safely")
    func names() async throws {
        let other = try await hints("/users", #"{"users": LIST, "stats": {"total_logins": 99123}}"#, [:])
        #expect(other.clear == nil && other.all.count == 1)
        let words = try await hints("/users", #"{"users": LIST, "nextStep": "Questions? Ask Anna"}"#, [:])
        #expect(words.clear == nil)
        let forged = try await hints("/users", #"{"users": LIST, "next\n\u001b[2J": "/users?page=2"}"#, [:])
        let text = try #require(forged.clear)
        #expect(!text.unicodeScalars.contains { $0.value < 32 })
    }

    @Test("Members and headers that paging reads are no hints")
    func known() async throws {
        let paging = "paging: {style: cursor, param: c, from: /cursor, total: /Total}"
        #expect(
            try await hints("/d", #"{"d": LIST, "cursor": "", "total": 100}"#, [:], paging: paging).all == [])
        // Members that paging does not read may contradict it.
        let other = try await hints("/d", #"{"d": LIST, "cursor": "", "count": 100}"#, [:], paging: paging)
        #expect(other.clear == "/count is 100, but upstream sent 2")
    }

    @Test(
        "A last page with as many records as the request asks for, or with a usual number, is a hint for a check alone",
        arguments: [
            (20, "", "", true), (25, "", "", true), (100, "", "", true), (99, "", "", false),
            (7, "", "", false),
            // OData's $top limits the whole list.
            (99, "?$top=99", "", true), (98, "?$top=99", "", false),
            (99, "?$top=99", "paging: {style: url, from: /next}", true),
            (100, "", "paging: {style: cursor, param: c, from: /next, size: n}", true),
            (100, "", "paging: {style: cursor, param: c, from: /next}", false),
            (1, "?page=1", "", false),
        ] as [(Int, String, String, Bool)])
    func counts(count: Int, query: String, paging: String, isSign: Bool) async throws {
        let format = try DirectoryFormat.configured(
            "json", "records: /d\nfields: {id: /id, username: /id}\n\(paging)")
        let people = (0..<count).map { #"{"id": "\#($0)"}"# }.joined(separator: ",")
        let found = try await page(
            #"{"d": [\#(people)]}"#, format, url: "https://idp.example/users\(query)")
        #expect(found.more == nil)
        #expect(!found.hints.isEmpty == isSign && found.hints.allSatisfy { $0.contains("exactly \(count)") })
    }
}
