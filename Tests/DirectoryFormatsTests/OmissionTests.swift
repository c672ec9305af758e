import Model
import StrictJSON
import Testing

@testable import LDAP
@testable import Upstream

@Suite("Fields that a format leaves out")
struct OmissionTests {
    private func format(
        _ name: String, omitting names: String..., yaml: String = ""
    ) throws -> DirectoryFormat {
        var format = try DirectoryFormat.configured(name, yaml)
        format.omit(
            UserField.omittable.filter { names.contains($0.name) }.reduce(into: []) {
                $0.formUnion($1.fields)
            })
        return format
    }

    private static let scim = #"""
        {"totalResults": 1, "Resources": [{"id": "1", "userName": "ann", "name": {"familyName": "Lee"},
          "emails": [{"value": "a@x", "type": "work"}, {"value": "a@home", "type": "home"}],
          "phoneNumbers": [{"value": "1", "type": "work"}, {"value": "2", "type": "mobile"}, {"value": "3", "type": "home"}],
          "addresses": [{"locality": "Rome"}], "photos": [{"value": "http://x/1"}],
          "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"manager": {"value": "7", "displayName": "Bo"}}}]}
        """#

    private func user(_ format: DirectoryFormat) async throws -> User {
        try #require(try await page(Self.scim, format).records.first)
    }

    @Test("A user lacks what is left out, and keeps what other fields are read from the same list")
    func scim() async throws {
        let whole = try await user(format("scim"))
        #expect(whole.emails?.count == 2 && whole.phones?.count == 3 && whole.manager?.name == "Bo")
        let cell = try await user(format("scim", omitting: "cell"))
        #expect(cell.phone == "1" && cell.cell == nil && cell.phones == nil)
        let phone = try await user(format("scim", omitting: "phone"))
        #expect(phone.phone == nil && phone.cell == "2" && phone.phones == nil)
        let emails = try await user(format("scim", omitting: "emails"))
        #expect(emails.email == "a@x" && emails.emails == nil)
        let email = try await user(format("scim", omitting: "email"))
        #expect(email.email == nil && email.emails == nil)
        let others = try await user(format("scim", omitting: "address", "picture", "manager_id"))
        #expect(others.address == .init() && others.picture == nil && others.manager == .init(name: "Bo"))
    }

    @Test("A name that is left out does not come back as a part of the name")
    func names() async throws {
        let body =
            #"[{"id": 1, "name": "Ann Lee", "username": "ann", "email": "ann@x"}, {"id": 2, "email": "b@x"}]"#
        let page = try await page(body, try format("gitlab", omitting: "display_name", "email"))
        #expect(page.records.map(\.name.last) == ["ann"])
        #expect(page.leftOut == ["2"].map(Digest.leftOut))
    }

    @Test("Pointers go from the table, unless another field needs them")
    func table() throws {
        let scim = try format("scim", omitting: "cell", "address")
        #expect(scim.fields["city"] == nil && scim.fields["phones"] != nil)
        #expect(try format("scim", omitting: "phone", "cell").fields["phones"] == nil)
        let ldap = try format("ldap", omitting: "cell")
        #expect(ldap.fields["cell"] == nil && ldap.fields["phones"] == nil && ldap.fields["phone"] != nil)
        // Of a list with kinds, only those of the rest.
        let okta = try format("okta", omitting: "cell")
        #expect(okta.fields["phones"]?.places.map(\.pointer.description) == ["/profile/primaryPhone"])
        #expect(okta.fingerprint != (try format("okta")).fingerprint)
        #expect(try format("okta", omitting: "age").fingerprint != (try format("okta")).fingerprint)
    }

    @Test("Microsoft Graph is not asked for members that no field reads")
    func selection() throws {
        let whole = try format("graph").query.split(separator: ",")
        let less = try format("graph", omitting: "cell", "address", "job_title").query.split(separator: ",")
        #expect(
            Set(whole).subtracting(less)
                == ["mobilePhone", "streetAddress", "city", "state", "postalCode", "country", "jobTitle"])
        #expect(less.first == "$select=id" && less.suffix(2) == ["accountEnabled", "showInAddressList"])
    }

    @Test("LDAP is not asked for attributes that no field reads")
    func attributes() throws {
        func reader(_ format: DirectoryFormat) -> EntryReader { EntryReader(format, now: { now }) }
        let whole = reader(try format("ldap"))
        let less = try reader(format("ldap", omitting: "cell", "picture", "manager"))
        #expect(
            Set(whole.attributes).subtracting(less.attributes) == ["mobile", "homePhone", "pager", "manager"])
        #expect(less.photos == [] && !whole.photos.isEmpty)
        #expect(try reader(format("ldap", omitting: "manager_id")).attributes.contains("manager"))
        #expect(try !reader(format("ldap", omitting: "email")).attributes.contains("mail"))
        #expect(try reader(format("ldap", omitting: "emails")).attributes.contains("mail"))
    }

    @Test("The default upstream's ids without a uuid stay the same")
    func identity() async throws {
        let body = #"""
            {"results": [{"name": {"first": "A", "last": "B"}, "email": "a@x", "dob": {"date": "1970-01-02T03:04:05Z", "age": 50}}],
             "info": {"seed": "s"}}
            """#
        let whole = try await page(body, try format("randomuser")).records
        let less = try await page(body, try format("randomuser", omitting: "email", "born_at")).records
        #expect(whole.map(\.id) == less.map(\.id))
        #expect(less.first?.email == nil && less.first?.bornAt == nil && less.first?.age == 50)
    }

    @Test("An age is neither kept nor counted if it is left out")
    func age() async throws {
        let yaml = "fields: {id: /id, family: /name, born_at: /born}"
        let body = #"[{"id": 1, "name": "N", "born": "2000-02-03"}]"#
        let whole = try format("json", yaml: yaml)
        #expect(whole.agesDependOnToday)
        let noAge = try format("json", omitting: "age", yaml: yaml)
        let user = try #require(try await page(body, noAge).records.first)
        #expect(!noAge.agesDependOnToday && user.age == nil && user.bornAt != nil)
        let noBirthday = try format("json", omitting: "born_at", yaml: yaml)
        #expect(try await page(body, noBirthday).records.first?.age == nil)
    }

    @Test("A survey does not list omitted members as unused")
    func survey() throws {
        let body = #"[{"id": 1, "name": "N", "city": "Rome", "shoe": 42, "tel": [{"value": "1"}]}]"#
        let format = try format(
            "json", omitting: "address", "phones",
            yaml: "fields: {id: /id, family: /name, city: /city, phones: /tel}")
        let survey = try #require(FormatSurvey(format, of: Array(body.utf8)))
        #expect(survey.unread == ["/shoe"])
        #expect(!survey.places.contains { $0.field == .city })
        var ldap = try DirectoryFormat.configured("ldap")
        ldap.omit([.cell, .phones])
        let entry = DirectoryEntry(
            dn: "cn=a",
            attributes: ["uid", "mobile", "homePhone", "shoeSize"].compactMap {
                DirectoryEntry.Attribute($0, [Array("1".utf8)])
            })
        #expect(FormatSurvey(ldap, of: [entry]).unread == ["shoesize"])
    }
}
