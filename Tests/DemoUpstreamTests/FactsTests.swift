import DemoUpstream
import Foundation
import Testing

@Suite struct FactsTests {
    @Test func aPageIsWrittenAsLaravelDoes() async throws {
        var configuration = DemoUpstream.Configuration()
        configuration.facts = 3
        try await withDemoUpstream(configuration) { upstream in
            let url = upstream.url("/facts").replacingOccurrences(of: "/", with: "\\/")
            let expected = #"""
                {"current_page":2,"data":[{"fact":"A purr rumbles at roughly 25 to 150 beats a second, \#
                when a cat breathes in as well as out.","length":90}],"first_page_url":"\#(url)?page=1","from":3,\#
                "last_page":2,"last_page_url":"\#(url)?page=2","links":[\#
                {"url":"\#(url)?page=1","label":"Previous","active":false},\#
                {"url":"\#(url)?page=1","label":"1","active":false},\#
                {"url":"\#(url)?page=2","label":"2","active":true},\#
                {"url":null,"label":"Next","active":false}],"next_page_url":null,"path":"\#(url)","per_page":"2",\#
                "prev_page_url":"\#(url)?page=1","to":3,"total":3}
                """#
            let text = try await upstream.get("/facts?limit=2&page=2").text
            #expect(text == expected)
        }
    }

    @Test func withoutALimitTenComeAndTheirNumberIsAnInteger() async throws {
        try await withDemoUpstream { upstream in
            let page = try await upstream.get("/facts").object
            #expect(page["per_page"] as? Int == 10)
            #expect((page["data"] as? [Any])?.count == 10)
            #expect(page["total"] as? Int == 120)
            #expect(page["last_page"] as? Int == 12)
        }
    }

    @Test(arguments: ["0", "-1", "x", "100001"])
    func aBadLimitIsAsIfAbsent(limit: String) async throws {
        try await withDemoUpstream { upstream in
            let page = try await upstream.get("/facts?limit=\(limit)").text
            #expect(try await upstream.get("/facts").text == page)
        }
    }

    @Test func aPagePastTheEndIsEmpty() async throws {
        try await withDemoUpstream { upstream in
            let page = try await upstream.get("/facts?page=99").object
            #expect((page["data"] as? [Any])?.isEmpty == true)
            #expect(page["from"] is NSNull)
            #expect(page["to"] is NSNull)
            #expect(page["next_page_url"] is NSNull)
        }
    }

    @Test func theNextPageForgetsLimitAndLength() async throws {
        try await withDemoUpstream { upstream in
            let page = try await upstream.get("/facts?limit=5&max_length=80").object
            #expect(page["next_page_url"] as? String == upstream.url("/facts?page=2"))
        }
    }

    @Test(
        arguments: [
            (1, "1 2 3 4 5 6 7 8 9 10 ... 119 120"), (7, "1 2 3 4 5 6 7 8 9 10 ... 119 120"),
            (8, "1 2 ... 5 6 7 8 9 10 11 ... 119 120"),
            (113, "1 2 ... 110 111 112 113 114 115 116 ... 119 120"),
            (114, "1 2 ... 111 112 113 114 115 116 117 118 119 120"),
        ])
    func longListsOfPagesAreCutShort(page: Int, labels: String) async throws {
        try await withDemoUpstream { upstream in
            let links =
                try await upstream.get("/facts?limit=1&page=\(page)").object["links"] as? [[String: Any]]
            let inner = try #require(links).dropFirst().dropLast()
            #expect(inner.compactMap { $0["label"] as? String }.joined(separator: " ") == labels)
            #expect(
                inner.filter { $0["active"] as? Bool == true }.map { $0["label"] as? String } == ["\(page)"])
        }
    }

    @Test func thereAreAsManyFactsAsAskedForWithTheFlawsOfTheRealOnes() async throws {
        var configuration = DemoUpstream.Configuration()
        configuration.facts = 1500
        try await withDemoUpstream(configuration) { upstream in
            let page = try await upstream.get("/facts?limit=2000").object
            let data = try #require(page["data"] as? [[String: Any]])
            let texts = strings(data, "fact")
            #expect(texts.count == 1500)
            #expect(Set(texts).count == 1496)
            #expect(Dictionary(grouping: texts) { $0 }.values.map(\.count).max() == 5)
            #expect(texts.contains { $0.contains("\u{A0}") })
            #expect(zip(texts, data).filter { $0.count != $1["length"] as? Int }.count == 1)
        }
    }

    @Test func maxLengthLeavesOutWhatIsLonger() async throws {
        try await withDemoUpstream { upstream in
            let page = try await upstream.get("/facts?limit=200&max_length=50").object
            let data = try #require(page["data"] as? [[String: Any]])
            #expect(data.allSatisfy { $0["length"] as? Int ?? 99 <= 50 })
            #expect(page["total"] as? Int == data.count)
            #expect(!data.isEmpty)
        }
    }

    @Test func oneFactIsDrawn() async throws {
        var configuration = DemoUpstream.Configuration()
        configuration.random = { 121 }
        try await withDemoUpstream(configuration) { upstream in
            let response = try await upstream.get("/fact")
            #expect(
                response.text
                    == #"{"fact":"The whiskers of a cat are about as wide as its body, and tell it which gaps it can pass.","length":88}"#
            )
        }
    }

    @Test func whereNoneIsShortEnoughTheObjectIsEmpty() async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/fact?max_length=10")
            #expect(response.status == 200)
            #expect(response.text == "{}")
        }
    }

    @Test func theRateLimitCountsDownAndBeginsAnew() async throws {
        try await withDemoUpstream { upstream in
            var remaining: [String?] = []
            for _ in 0..<102 {
                let response = try await upstream.get("/fact")
                #expect(response.header("x-ratelimit-limit") == "100")
                #expect(response.headers.filter { $0.name == "set-cookie" }.count == 2)
                remaining.append(response.header("x-ratelimit-remaining"))
            }
            #expect(remaining.first == "99")
            #expect(remaining[99] == "0")
            #expect(remaining[100] == "99")
        }
    }

    @Test(arguments: ["/", "/nix", "/factsx", "/api/1.3", "/control/faults"])
    func otherPathsAreNotFound(path: String) async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get(path)
            #expect(response.status == 404)
            #expect(response.text == #"{"message":"Not Found","code":404}"#)
        }
    }
}
