import Model
import Testing

@testable import LDAP
@testable import Upstream

@Suite("Surveys of pages")
struct FormatSurveyTests {
    private static let format = """
        records: /items
        fields: {id: /id, email: [/mail, /mails/0], born_at: /born, phones: /phones, department: /org/unit, manager_id: /boss}
        skip: {/active: false}
        """

    @Test("A survey counts the records in which each pointer finds a usable value")
    func counts() throws {
        let body = #"""
            {"items": [
                {"id": 1, "mail": "a@x", "born": "1980-01-02", "phones": [{"number": "1"}], "org": {"unit": "a"}},
                {"id": 2, "mail": null, "mails": ["b@x"], "born": "soon", "phones": [], "org": {"unit": {}}},
                {"id": 3, "mail": " ", "active": false}
            ]}
            """#
        let survey = try #require(
            FormatSurvey(try .configured("json", Self.format), of: Array(body.utf8)))
        #expect(survey.records == 3)
        #expect(
            survey.places.map { "\($0.field.name) \($0.pointer) \($0.found)" } == [
                "id /id 3", "email /mail 1", "email /mails/0 1", "phones /phones 1", "department /org/unit 1",
                "manager_id /boss 0", "born_at /born 1",
            ])
        #expect(survey.unread == [])
    }

    @Test("A survey counts unusable values separately from missing ones")
    func unreadable() throws {
        let body = #"""
            {"items": {
                "a": {"born": "soon", "lat": "north", "unit": {"name": "x"}, "tel": [{"type": "x"}], "title": ["x"]},
                "b": {"born": "1900-01-01", "lat": "1.5", "unit": null, "tel": [], "title": {"x": 1}, "job": "y"},
                "c": {"born": "1980-01-02", "lat": " ", "unit": "x", "tel": "1"}
            }}
            """#
        let yaml = """
            records: /items/*
            fields: {id: /@key, born_at: /born, latitude: /lat, department: /unit, phones: /tel, job_title: [/title, /job]}
            """
        let survey = try #require(FormatSurvey(try .configured("json", yaml), of: Array(body.utf8)))
        #expect(survey.records == 3)
        #expect(
            survey.places.map { "\($0.field.name) \($0.found) \($0.unreadable)" } == [
                "id 3 0", "phones 1 1", "job_title 0 1", "job_title 1 0", "department 1 1", "born_at 1 1",
                "latitude 1 1",
            ])
    }

    @Test("A survey names up to twenty members that no field uses, as pointers")
    func unread() throws {
        let body = #"""
            {"items": [
                {"id": 1, "Mail": "a@x", "org": {"unit": "a", "a/b": 1}, "shoe": {"size": 42}, "none": null},
                {"id": 2, "org": "x", "shoe": 1, "tags": ["x"]}
            ]}
            """#
        let format = try DirectoryFormat.configured("json", Self.format)
        #expect(FormatSurvey(format, of: Array(body.utf8))?.unread == ["/org/a~1b", "/shoe", "/tags"])
        let many = (0..<30).map { "\"k\($0)\": 1" }.joined(separator: ", ")
        #expect(FormatSurvey(format, of: Array("{\"items\": [{\(many)}]}".utf8))?.unread.count == 20)
    }

    @Test("A survey of entries names unused attributes, except those that servers keep for themselves")
    func entries() throws {
        let names = """
            objectClass cn sn instanceType whenCreated uSNCreated uSNChanged name objectGUID badPwdCount codePage countryCode \
            badPasswordTime lastLogoff lastLogon pwdLastSet primaryGroupID objectSid accountExpires logonCount sAMAccountName \
            sAMAccountType objectCategory dSCorePropagationData distinguishedName lastLogonTimestamp otherTelephone ipPhone \
            proxyAddresses nsUniqueId entryid parentid modifiersName creatorsName
            """
        let entry = DirectoryEntry(
            dn: "cn=a",
            attributes: names.split(separator: " ").compactMap { DirectoryEntry.Attribute(String($0), []) })
        let survey = FormatSurvey(try .configured("ldap"), of: [entry])
        #expect(survey.unread == ["othertelephone", "ipphone", "proxyaddresses"])
        #expect(survey.places.first { $0.pointer == "sAMAccountName" }?.found == 1)
    }

    @Test("An answer without a list has no survey")
    func none() throws {
        let format = try DirectoryFormat.configured("json", Self.format)
        for body in [#"{"item": []}"#, "", "[]", #"{"items": {}}"#] {
            #expect(FormatSurvey(format, of: Array(body.utf8)) == nil)
        }
    }

    @Test("Each mistake in a configuration's keys is reported, and the other keys apply")
    func overrides() throws {
        var format = try DirectoryFormat.configured("json")
        let other = try DirectoryFormat.configured("json", Self.format)
        #expect(format.override(with: [("records", nil), ("skip", nil)], fields: []) == [])
        #expect(format != other)
    }
}
