import DemoUpstream
import Foundation
import Testing

@Suite struct DirectoryTests {
    @Test(arguments: ["link", "url", "cursor", "offset", "number"])
    func eachStyleLeadsToAllPeople(style: String) async throws {
        try await withPeople(25) { upstream in
            let uuids = strings(try await upstream.get("/api/?seed=999&results=25").people, "login.uuid")
            let list = try await Walk(upstream, style).pages()
            #expect(list.map(\.count) == [10, 10, 5])
            #expect(list.joined().map(\.self) == (style == "number" ? (1001...1025).map(String.init) : uuids))
        }
    }

    @Test func theSeedAndNationalityHoldForAllPages() async throws {
        try await withPeople(25) { upstream in
            let people = try await upstream.get("/api/?seed=s&nat=dk&results=25").people
            let pages = try await Walk(upstream, "url", query: "seed=s&nat=dk").pages()
            #expect(Array(pages.joined()) == strings(people, "login.uuid"))
            let mails = try await upstream.get("/directory/url?seed=s&nat=dk").object["value"]
            #expect(strings(mails as? [[String: Any]] ?? [], "mail") == strings(people, "email"))
        }
    }

    @Test func oneHasNestedNamesAndNumbersAsIDs() async throws {
        try await withPeople(25) { upstream in
            let people = try await upstream.get("/api/?seed=999&results=12").people
            let users = try await upstream.get("/directory/number?per_page=12").list
            #expect(strings(users, "person.names.called") == strings(people, "name.first"))
            #expect(member(users[0], "no") as? Int == 1001)
            let born = strings(people, "dob.date").map { String($0.prefix(10)) }
            #expect(strings(users, "person.born") == born)
        }
    }

    @Test(arguments: [
        ("link", "status", "SUSPENDED" as any Sendable), ("url", "accountEnabled", false),
        ("cursor", "suspended", true), ("offset", "enabled", false), ("number", "gone", true),
    ])
    func eachSaysWhoIsInactive(style: String, key: String, value: any Sendable) async throws {
        try await withPeople(3) { upstream in
            try upstream.edit(Edit(inactive: .records([1])))
            let walk = Walk(upstream, style)
            let users = try walk.users(try await upstream.get("/directory/\(style)"))
            #expect(
                users.map { "\($0[key] ?? "")" == "\(value as? NSObject ?? NSNull())" } == [
                    false, true, false,
                ])
        }
    }

    @Test func anEndlessSupplyHasADirectoryOfItsBeginning() async throws {
        try await withDemoUpstream { upstream in
            let total = try await upstream.get("/scim/v2/Users").object["totalResults"] as? Int
            let last = try await upstream.get("/directory/offset?first=240").list.count
            #expect(total == 250 && last == 10)
        }
    }

    // MARK: Faults

    @Test(arguments: [
        ("link", [10, 9, 6]), ("url", [10, 9, 6]), ("cursor", [10, 9, 6]), ("offset", [10, 9, 6]),
        ("number", [10, 9, 5]),
    ])
    func aShortPageInTheMiddleLosesAPersonOnlyWherePagesAreCounted(style: String, counts: [Int]) async throws
    {
        try await withPeople(25) { upstream in
            try await upstream.setFaults([Fault(.shortPage, path: "/directory", times: 1, after: 1)])
            let pages = try await Walk(upstream, style).pages()
            #expect(pages.map(\.count) == counts)
            #expect(Set(pages.joined()).count == counts.reduce(0, +))
        }
    }

    @Test(arguments: ["link", "url", "cursor", "offset", "number"])
    func ignoresPageRepeatsTheFirstOne(style: String) async throws {
        try await withPeople(25) { upstream in
            try await upstream.setFaults([Fault(.ignoresPage)])
            let pages = try await Walk(upstream, style).pages(atMost: 4)
            #expect(pages.count == 4 && Set(pages).count == 1)
        }
    }

    @Test(arguments: ["link", "url", "cursor", "offset", "number"])
    func aLastPageThatGrowsBringsThePeopleAgain(style: String) async throws {
        try await withPeople(25) { upstream in
            try await upstream.setFaults([Fault(.lastPageGrows)])
            let pages = try await Walk(upstream, style).pages(atMost: 6)
            #expect(pages.map(\.count) == Array(repeating: 10, count: 6))
            #expect(pages[5] == pages[0])
        }
    }

    @Test func largeTotalIsMoreThanThereAre() async throws {
        try await withPeople(25) { upstream in
            try await upstream.setFaults([Fault(.largeTotal)])
            let page = try await upstream.get("/scim/v2/Users?startIndex=25")
            #expect(try page.object["totalResults"] as? Int == 35)
            #expect(try page.resources.count == 1)
        }
    }

    @Test(arguments: ["/api/?results=10", "/scim/v2/Users?count=10", "/directory/offset?max=10"])
    func anErrorBehindRecordsCutsTheListOff(uri: String) async throws {
        try await withPeople(25) { upstream in
            let whole = try await upstream.get(uri + "&seed=s")
            try await upstream.setFaults([Fault(.errorBody(.afterRecords))])
            let response = try await upstream.get(uri + "&seed=s")
            #expect(response.status == 200)
            let error = try #require(
                response.text.range(of: #"}{"error":"unknown_error","error_description":""#))
            #expect(whole.text.hasPrefix(response.text[..<error.lowerBound] + "},{"))
            #expect(response.text.hasSuffix(#"log."}"#))
            #expect(response.text.count > whole.text.count / 3)
        }
    }

    @Test(arguments: [204, 404, 200, 0])
    func pagesBeyondTheLastAreAnsweredAsWanted(status: Int) async throws {
        try await withPeople(25) { upstream in
            try await upstream.setFaults([Fault(.beyond(status: status))])
            let last = try await upstream.get("/directory/offset?max=10&first=20")
            #expect(try last.list.count == 5)
            for start in [25, 1000] {
                let beyond = try await upstream.get("/directory/offset?max=10&first=\(start)")
                #expect(beyond.status == (status == 0 ? 200 : status))
                if status == 0 { #expect(beyond.text == last.text) }
                if status == 200 { #expect(beyond.text == " ") }
            }
        }
    }

    @Test func oneSaysWhetherThereIsMore_andOneHasRelativeAddressesWithTheirBase() async throws {
        try await withPeople(15) { upstream in
            for (page, more) in [(1, true), (2, false)] {
                let flag = try await upstream.get("/directory/flag?per_page=10&page=\(page)").object["info"]
                #expect((flag as? [String: Bool])?["more_records"] == more)
            }
            let links = try await upstream.get("/directory/based?limit=10").object["_links"]
            #expect(
                links as? [String: String] == [
                    "base": upstream.url("/directory"), "next": "/based?limit=10&start=at-10",
                ])
        }
    }

    @Test(arguments: ["/scim/v2/Users", "/directory/link"])
    func theFaultsOfTheOthersHoldForDirectories(uri: String) async throws {
        try await withPeople(5) { upstream in
            try await upstream.setFaults([
                Fault(.status(429, retryAfter: "7"), times: 1), Fault(.errorBody(.documented), times: 1),
                Fault(.rubbish(.html), times: 1), Fault(.truncate, times: 1), Fault(.empty, times: 1),
            ])
            let limited = try await upstream.get(uri)
            #expect(limited.status == 429 && limited.header("retry-after") == "7")
            let error = try await upstream.get(uri)
            #expect(error.status == 200 && error.text.hasPrefix(#"{"error""#))
            #expect(try await upstream.get(uri).header("content-type") == "text/html; charset=utf-8")
            let cut = try await upstream.get(uri)
            #expect(cut.header("content-length").flatMap { Int($0) } ?? 0 > cut.body.count)
            #expect(try await upstream.get(uri).text.contains("[]"))
            try await upstream.setFaults([Fault(.gzip)])
            let packed = try await upstream.get(uri)
            try await upstream.setFaults([])
            #expect(try await inflated(packed.body).data == (try await upstream.get(uri).body))
        }
    }

    @Test func aFaultCanLetRequestsPassFirst() async throws {
        try await withPeople(5) { upstream in
            try await upstream.setFaults([Fault(.status(500), path: "/directory", times: 1, after: 2)])
            var statuses: [Int] = []
            for uri in [
                "/directory/link", "/scim/v2/Users", "/directory/url", "/directory/link", "/directory/link",
            ] {
                statuses.append(try await upstream.get(uri).status)
            }
            #expect(statuses == [200, 200, 200, 500, 200])
        }
    }

    @Test func anETagHoldsUntilAnEditOfThePage() async throws {
        try await withPeople(5) { upstream in
            try await upstream.setFaults([Fault(.etag)])
            let tag = try #require(try await upstream.get("/scim/v2/Users?count=2").header("etag"))
            let known = ["If-None-Match": tag]
            #expect(try await upstream.get("/scim/v2/Users?count=2", headers: known).status == 304)
            try upstream.edit(Edit(removed: .records([4])))
            #expect(try await upstream.get("/scim/v2/Users?count=2", headers: known).status == 200)
        }
    }
}

/// Reads a list to its end, like a client of the product with this paging.
private struct Walk {
    let upstream: DemoUpstream
    let style: String
    let query: String

    init(_ upstream: DemoUpstream, _ style: String, query: String = "") {
        self.upstream = upstream
        self.style = style
        self.query = query
    }

    /// The ids of each page.
    func pages(atMost limit: Int = 100) async throws -> [[String]] {
        let size = [
            "link": "limit", "url": "$top", "cursor": "maxResults", "offset": "max", "number": "per_page",
        ]
        let start = "/directory/\(style)?\(size[style] ?? "")=10&\(query)"
        var pages: [[String]] = []
        var next: String? = start
        while let uri = next, pages.count < limit {
            let response = try await upstream.get(uri)
            let ids = try users(response).compactMap {
                $0["id"] as? String ?? ($0["no"] as? Int).map(String.init)
            }
            if ids.isEmpty { break }
            pages.append(ids)
            switch style {
            case "link":
                let links = response.headers.filter {
                    $0.name == "link" && $0.value.hasSuffix(#"; rel="next""#)
                }
                next = links.first.map { $0.value.dropFirst().prefix { $0 != ">" } }.map { path(String($0)) }
            case "url": next = (try response.object["@odata.nextLink"] as? String).map(path)
            case "cursor": next = try response.object["nextPageToken"].map { "\(start)&pageToken=\($0)" }
            case "offset": next = "\(start)&first=\(pages.joined().count)"
            default: next = "\(start)&page=\(pages.count + 1)"
            }
        }
        return pages
    }

    func users(_ response: RawResponse) throws -> [[String: Any]] {
        switch style {
        case "url": try response.object["value"] as? [[String: Any]] ?? []
        case "cursor": try response.object["users"] as? [[String: Any]] ?? []
        default: try response.list
        }
    }

    private func path(_ address: String) -> String {
        #expect(address.hasPrefix(upstream.url("/")))
        return String(address.dropFirst(upstream.url().count))
    }
}

extension RawResponse {
    fileprivate var list: [[String: Any]] {
        get throws { try JSONSerialization.jsonObject(with: body) as? [[String: Any]] ?? [] }
    }
}
