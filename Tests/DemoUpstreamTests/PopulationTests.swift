import DemoUpstream
import Foundation
import Testing

@Suite struct PopulationTests {
    private let ten = {
        var configuration = DemoUpstream.Configuration()
        configuration.users = 10
        return configuration
    }()

    @Test func pagesPastTheEndHoldFewerAndThenNobody() async throws {
        try await withDemoUpstream(ten) { upstream in
            #expect(try await upstream.get("/api/?seed=s&results=4&page=3").people.count == 2)
            let past = try await upstream.get("/api/?seed=s&results=4&page=4")
            #expect(past.text == #"{"results":[],"info":{"seed":"s","results":4,"page":4,"version":"1.4"}}"#)
        }
    }

    @Test func removedPeopleAreGoneAndTheOthersMoveUp() async throws {
        try await withDemoUpstream(ten) { upstream in
            let before = try await uuids(upstream)
            try upstream.edit(Edit(removed: .records([9, 0, 4, 5])))
            #expect(try await uuids(upstream) == [1, 2, 3, 6, 7, 8].map { before[$0] })
            try upstream.edit(Edit(removed: .first(2)))
            #expect(try await uuids(upstream) == [3, 6, 7, 8].map { before[$0] })
            try upstream.edit(Edit(removed: .records([3])))
            #expect(try await uuids(upstream) == [6, 7, 8].map { before[$0] })
        }
    }

    @Test func addedPeopleComeAtTheEnd() async throws {
        try await withDemoUpstream(ten) { upstream in
            let before = try await uuids(upstream)
            try upstream.edit(Edit(added: 3))
            let after = try await uuids(upstream)
            #expect(after.count == 13)
            #expect(Array(after.prefix(10)) == before)
        }
    }

    @Test func changedPeopleHaveAnotherAddressAndNumber() async throws {
        try await withDemoUpstream(ten) { upstream in
            let before = try await upstream.get("/api/?seed=s&results=20").people
            try upstream.edit(Edit(changed: .records([3])))
            let after = try await upstream.get("/api/?seed=s&results=20").people
            for record in 0..<10 where record != 3 {
                #expect(NSDictionary(dictionary: before[record]) == NSDictionary(dictionary: after[record]))
            }
            for path in ["email", "phone"] {
                #expect(member(before[3], path) as? String != member(after[3], path) as? String)
            }
            #expect(member(before[3], "login.uuid") as? String == member(after[3], "login.uuid") as? String)
            try upstream.edit(Edit(changed: .first(4)))
            let again = try await upstream.get("/api/?seed=s&results=20").people
            #expect((member(again[3], "email") as? String)?.contains("3@") == true)
            #expect((member(again[0], "email") as? String)?.contains("2@") == true)
        }
    }

    @Test func aBadEditChangesNothing() async throws {
        try await withDemoUpstream(ten) { upstream in
            #expect(throws: DemoError.self) { try upstream.edit(Edit(added: 1, removed: .records([10]))) }
            #expect(throws: DemoError.self) { try upstream.edit(Edit(added: -1)) }
            let left = try await uuids(upstream)
            #expect(left.count == 10)
        }
    }

    @Test func nobodyIsAddedToAnEndlessSupply() async throws {
        _ = try await withDemoUpstream { upstream in
            #expect(throws: DemoError.self) { try upstream.edit(Edit(added: 1)) }
        }
    }

    @Test func peopleAreEditedOverHTTPWithoutFaultsOrATrace() async throws {
        try await withDemoUpstream(ten) { upstream in
            try await upstream.setFaults([Fault(.status(500))])
            let edit = #"{"changed": [0], "inactive": [3]}"#
            #expect(try await upstream.get("/control/edit", method: "POST", body: edit).status == 200)
            let bad = try await upstream.get("/control/edit", method: "POST", body: #"{"changed":[99]}"#)
            #expect(bad.status == 400 && bad.text == #"{"error":"there is no record 99"}"#)
            #expect(upstream.requests() == 0)
            try await upstream.setFaults([])
            let user = try await upstream.get("/scim/v2/Users?seed=s&startIndex=4").object["Resources"]
            #expect((user as? [[String: Any]])?.first?["active"] as? Bool == false)
            let changed = try await upstream.get("/api/?seed=s").people
            #expect(strings(changed, "email")[0].contains("2@"))
        }
    }

    @Test func manyPeopleCanComeInOneResponse() async throws {
        var configuration = DemoUpstream.Configuration()
        configuration.users = 4_000
        try await withDemoUpstream(configuration) { upstream in
            let response = try await upstream.get("/api/?seed=s&results=5000")
            #expect(response.header("transfer-encoding") == "chunked")
            #expect(try response.people.count == 4_000)
        }
    }

    private func uuids(_ upstream: DemoUpstream) async throws -> [String] {
        strings(try await upstream.get("/api/?seed=s&results=20").people, "login.uuid")
    }
}
