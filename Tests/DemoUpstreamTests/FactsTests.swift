import DemoUpstream
import Foundation
import Testing

@Suite struct FactsTests {
    @Test func aPageIsWrittenAsLaravelDoes() async throws {
        var configuration = DemoUpstream.Configuration()
        configuration.facts = 3
        try await withDemoUpstream(configuration) { upstream in
            let expected = #"""
                {"current_page":2,"data":[{"fact":"A purr rumbles at roughly 25 to 150 beats a second, \#
                when a cat breathes in as well as out.","length":90}],"last_page":2,"next_page_url":null,\#
                "per_page":"2","total":3}
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
            #expect(page["next_page_url"] is NSNull)
        }
    }

    @Test func theNextPageForgetsLimitAndLength() async throws {
        try await withDemoUpstream { upstream in
            let page = try await upstream.get("/facts?limit=5&max_length=80").object
            #expect(page["next_page_url"] as? String == upstream.url("/facts?page=2"))
        }
    }

    @Test func theFactsHaveTheFlawsOfTheRealOnes() async throws {
        try await withDemoUpstream { upstream in
            let page = try await upstream.get("/facts?limit=2000").object
            let data = try #require(page["data"] as? [[String: Any]])
            let texts = strings(data, "fact")
            #expect(texts.count == 120)
            #expect(Set(texts).count == 116)
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
        try await withDemoUpstream { upstream in
            let fact = try #require(try await upstream.get("/fact").object["fact"] as? String)
            let page = try await upstream.get("/facts?limit=200").object
            #expect(strings(page["data"] as? [[String: Any]] ?? [], "fact").contains(fact))
        }
    }

    @Test func whereNoneIsShortEnoughTheObjectIsEmpty() async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/fact?max_length=10")
            #expect(response.status == 200)
            #expect(response.text == "{}")
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
