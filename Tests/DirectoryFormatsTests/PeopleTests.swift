import Model
import Testing

@testable import Upstream

/// Google's People API: https://developers.google.com/people/api/rest/v1/people
@Suite struct PeopleTests {
    private static let person = #"""
        {"resourceName": "people/117", "etag": "%EgUBAj0DNy4aBAECBQc=",
        "names": [{"metadata": {"primary": true, "source": {"type": "DOMAIN_PROFILE", "id": "117"}},
        "displayName": "Dr Ann Lee", "givenName": "Ann", "familyName": "Lee", "honorificPrefix": "Dr"}],
        "emailAddresses": [{"metadata": {"primary": true, "sourcePrimary": true}, "value": "ann@example.org"},
        {"metadata": {}, "value": "a.lee@example.org", "type": "work"}],
        "phoneNumbers": [{"value": "+1 555 0100", "type": "mobile"}, {"value": "+1 555 0101", "type": "work"}],
        "organizations": [{"name": "Old", "title": "Trainee"},
        {"name": "Example", "title": "Engineer", "department": "Lab", "current": true}],
        "externalIds": [{"value": "E7", "type": "organization"}],
        "relations": [{"person": "bea@example.org", "type": "manager"}],
        "locations": [{"buildingId": "B", "floor": "2", "deskCode": "11", "type": "desk"}],
        "addresses": [{"type": "work", "streetAddress": "1 Elm", "city": "Bath", "postalCode": "BA1", "country": "UK"}],
        "photos": [{"url": "https://lh3.googleusercontent.com/a/s100", "default": true}]}
        """#

    @Test("A person of the directory has all fields")
    func person() async throws {
        let page = try await page(
            #"{"people": [\#(Self.person)], "nextPageToken": "n2", "nextSyncToken": "s"}"#,
            .configured("google-people"))
        let user = try #require(page.records.first)
        #expect(
            [user.id, user.name.title, user.name.first, user.name.last] == ["people/117", "Dr", "Ann", "Lee"])
        #expect([user.displayName, user.email] == ["Dr Ann Lee", "ann@example.org"])
        #expect(user.emails?.map(\.value) == ["ann@example.org", "a.lee@example.org"])
        #expect([user.phone, user.cell] == ["+1 555 0101", "+1 555 0100"])
        #expect([user.jobTitle, user.department, user.company] == ["Engineer", "Lab", "Example"])
        #expect(
            [user.employeeNumber, user.manager?.id, user.office] == ["E7", "bea@example.org", "B 2 11"])
        #expect(user.manager?.name == nil)
        #expect([user.address.street, user.address.city, user.address.postcode] == ["1 Elm", "Bath", "BA1"])
        #expect(user.picture?.thumbnail == "https://lh3.googleusercontent.com/a/s100")
        #expect(page.next != nil)
    }
}
