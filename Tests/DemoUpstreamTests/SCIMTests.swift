import DemoUpstream
import Foundation
import Testing

@Suite struct SCIMTests {
    @Test func theUsersAreThePeopleOfTheUsualListing() async throws {
        try await withDemoUpstream { upstream in
            let people = try await upstream.get("/api/?seed=999&results=200").people
            let users = try await upstream.get("/scim/v2/Users?count=200").resources
            for (person, user) in [
                ("login.uuid", "id"), ("login.username", "userName"), ("name.first", "name.givenName"),
                ("name.last", "name.familyName"), ("name.title", "name.honorificPrefix"),
                ("nat", "addresses.0.country"), ("location.city", "addresses.0.locality"),
                ("registered.date", "meta.created"), ("email", "emails.0.value"),
                ("phone", "phoneNumbers.0.value"), ("cell", "phoneNumbers.1.value"),
                ("picture.large", "photos.0.value"),
            ] {
                #expect(strings(people, person) == texts(users, user), "\(user)")
            }
        }
    }

    @Test func aUserHasTheAttributesOfCompanies() async throws {
        try await withDemoUpstream { upstream in
            let users = try await upstream.get("/scim/v2/Users?count=20").resources
            let user = users[13]
            #expect(member(user, "active") as? Bool == true)
            #expect((texts([user], "password").first)?.hasPrefix("demo-password-") == true)
            #expect(texts([user], "emails.0.type") == ["work"] && texts([user], "emails.1.type") == ["home"])
            #expect(texts([user], "phoneNumbers.1.type") == ["mobile"])
            #expect(texts([user], "title").count == 1)
            let company = try #require(user[enterprise] as? [String: Any])
            #expect(company["employeeNumber"] as? String == "1014")
            #expect(strings([company], "department").count == 1)
            #expect(strings([company], "organization")[0].hasPrefix("Example "))
            #expect(strings([company], "manager.value") == texts([users[1]], "id"))
            #expect(strings([company], "manager.displayName") == texts([users[1]], "displayName"))
            #expect((users[0][enterprise] as? [String: Any])?["manager"] == nil)
        }
    }

    @Test(arguments: [
        ("", 1, 100), ("startIndex=0", 1, 100), ("count=3", 1, 3), ("startIndex=101&count=50", 101, 50),
        ("startIndex=249&count=50", 249, 2), ("startIndex=251", 251, 0), ("count=2000", 1, 250),
        ("count=0", 1, 0),
        ("count=-1", 1, 0), ("startIndex=99999999999", 251, 0), ("cursor&startIndex=2&count=1", 2, 1),
    ])
    func anIndexBeginsAtOne(query: String, start: Int, count: Int) async throws {
        try await withPeople(250) { upstream in
            let response = try await upstream.get("/scim/v2/Users?" + query)
            let page = try response.object
            #expect(response.header("content-type") == "application/scim+json")
            #expect(page["schemas"] as? [String] == ["urn:ietf:params:scim:api:messages:2.0:ListResponse"])
            #expect(page["totalResults"] as? Int == 250)
            #expect(page["startIndex"] as? Int == start)
            #expect(page["itemsPerPage"] as? Int == count)
            let companies = try response.resources.compactMap { $0[enterprise] as? [String: Any] }
            let records = strings(companies, "employeeNumber")
            #expect(records == (0..<count).map { "\(1000 + start + $0)" })
            #expect(page["nextCursor"] == nil)
        }
    }

    @Test func cursorsLeadThroughTheList() async throws {
        try await withPeople(25) { upstream in
            var ids: [String] = []
            var sizes: [Int] = []
            var next: String? = ""
            while let cursor = next {
                let response = try await upstream.get("/scim/cursors/Users?cursor=\(cursor)&count=10")
                let page = try response.object
                #expect(page["startIndex"] == nil)
                sizes.append(try response.resources.count)
                ids += texts(try response.resources, "id")
                next = page["nextCursor"] as? String
            }
            #expect(sizes == [10, 10, 5])
            #expect(ids == texts(try await upstream.get("/scim/v2/Users?count=25").resources, "id"))
            let unknown = try await upstream.get("/scim/cursors/Users?cursor=9")
            #expect(unknown.status == 400)
            let config = try await upstream.get("/scim/cursors/ServiceProviderConfig").object
            #expect(member(config, "pagination.cursor") as? Bool == true)
            #expect(try await upstream.get("/scim/v2/ServiceProviderConfig").object["pagination"] == nil)
        }
    }

    @Test func editsShowInTheList() async throws {
        try await withPeople(10) { upstream in
            let before = try await upstream.get("/scim/v2/Users").resources
            try upstream.edit(
                Edit(added: 1, changed: .records([2]), removed: .records([5]), inactive: .records([7])))
            let after = try await upstream.get("/scim/v2/Users").resources
            let ids = texts(before, "id")
            #expect(texts(after, "id").prefix(9) == (ids[..<5] + ids[6...])[...])
            #expect(after.count == 10)
            let bytes = { try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys) }
            let changed = try zip(before[..<5], after).map { try bytes($0) != bytes($1) }
            #expect(changed == [false, false, true, false, false])
            #expect(texts([after[2]], "emails.0.value")[0].contains("2@"))
            #expect(texts([after[2]], "meta.lastModified")[0].hasPrefix("2026-01-01T"))
            #expect(after.map { $0["active"] as? Bool == false } == (0..<10).map { $0 == 6 })
            #expect(try await upstream.get("/api/?seed=999&results=20").people.count == 10)
        }
    }

    @Test func otherPathsAreUnknown() async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/scim/v2/Groups")
            #expect(response.status == 404 && response.text == #"{"detail":"the path is unknown"}"#)
        }
    }
}

private let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

extension RawResponse {
    /// The users in an answer to `/scim/v2/Users`.
    var resources: [[String: Any]] {
        get throws { try object["Resources"] as? [[String: Any]] ?? [] }
    }
}

/// The texts at a path such as `emails.0.value`.
private func texts(_ users: [[String: Any]], _ path: String) -> [String] {
    users.compactMap { user in
        path.split(separator: ".").reduce(user as Any?) { value, key in
            if let list = value as? [Any] { return Int(key).flatMap { list.count > $0 ? list[$0] : nil } }
            return (value as? [String: Any])?[String(key)]
        } as? String
    }
}

func withPeople(
    _ count: Int, token: String? = nil, _ body: (DemoUpstream) async throws -> Void
) async throws {
    var configuration = DemoUpstream.Configuration()
    (configuration.users, configuration.token) = (count, token)
    try await withDemoUpstream(configuration, body)
}
