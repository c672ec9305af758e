import Model
import Testing

@testable import Upstream

/// A date in JSON, and what it is at `registered_at` (an instant) and at `born_at` (a day).
private struct Form {
    let json: String
    let instant: String?
    let day: String?
    /// The server or API that writes it.
    let source: String

    /// - Parameter day: nil for that of the instant.
    init(_ json: String, _ instant: String?, _ source: String, day: String? = nil) {
        (self.json, self.instant, self.source) = (json, instant, source)
        self.day = day ?? instant.map { String($0.prefix(10)) }
    }

    static let all = [
        // With separators.
        Form(#""2024-11-12T12:22:55.168162428Z""#, "2024-11-12T12:22:55.168Z", "SAP Concur, SCIM"),
        Form(#""2018-02-13T15:05:24.000-08:00""#, "2018-02-13T23:05:24Z", "GitHub, SCIM"),
        Form(
            #""1985-04-12T23:30:00-05:00""#, "1985-04-13T04:30:00Z", "RFC 3339, section 5.8",
            day: "1985-04-12"),
        Form(#""1985-04-12t23:30:00z""#, "1985-04-12T23:30:00Z", "RFC 3339, section 5.6, note"),
        Form(#""2012-05-23T08:00:58.000+0530""#, "2012-05-23T02:30:58Z", "Jira, user's `created`"),
        Form(#""2012-05-23T08:00:58+0000""#, "2012-05-23T08:00:58Z", "Facebook Graph API"),
        Form(#""2012-05-23T08:00:58.123456""#, "2012-05-23T08:00:58.123Z", "Python, datetime.isoformat"),
        Form(#""2012-05-23T08:00:58""#, "2012-05-23T08:00:58Z", "WordPress, `registered_date`"),
        Form(#""2012-05-23T08:00Z""#, "2012-05-23T08:00:00Z", "Java, OffsetDateTime.toString"),
        Form(#""2012-05-23T08:00+02:00""#, "2012-05-23T06:00:00Z", "Java, OffsetDateTime.toString"),
        Form(#""2012-05-23T08:00""#, "2012-05-23T08:00:00Z", "Java, LocalDateTime.toString"),
        Form(#""2012-05-23 08:00:58""#, "2012-05-23T08:00:58Z", "MySQL, DATETIME"),
        Form(#""2012-05-23 08:00:58.120""#, "2012-05-23T08:00:58.120Z", "SQL Server, datetime"),
        Form(#""2012-05-23 08:00:58+02""#, "2012-05-23T06:00:58Z", "PostgreSQL, timestamptz"),
        Form(#""2012-05-23 08:00:58.5-03:30""#, "2012-05-23T11:30:58.500Z", "PostgreSQL, timestamptz"),
        Form(#""2012-05-23 08:00:58 UTC""#, "2012-05-23T08:00:58Z", "Ruby, Time#to_s"),
        Form(#""2012-05-23 08:00:58 +0530""#, "2012-05-23T02:30:58Z", "Ruby, Time#to_s"),
        Form(#""2012-05-23 08:00""#, "2012-05-23T08:00:00Z", "MakePlans, date handling"),
        Form(#""2012/05/23 08:00:58 +0000""#, "2012-05-23T08:00:58Z", "Active Support, old JSON"),
        Form(#""2012/05/23""#, "2012-05-23T00:00:00Z", "Active Support, old JSON"),
        Form(#""2012-05-23""#, "2012-05-23T00:00:00Z", "GitLab, `last_activity_on`"),
        Form(#""2012-08-20-07:00""#, "2012-08-20T07:00:00Z", "Workday; xs:date, XML Schema part 2"),
        Form(#""2012-08-20Z""#, "2012-08-20T00:00:00Z", "xs:date, XML Schema part 2"),
        // Dates that have no separators.
        Form(#""20210429124502Z""#, "2021-04-29T12:45:02Z", "OpenLDAP, createTimestamp"),
        Form(#""20210429124502.0Z""#, "2021-04-29T12:45:02Z", "Active Directory, whenCreated"),
        Form(#""20210429124502.5+0200""#, "2021-04-29T10:45:02.500Z", "RFC 4517, section 3.3.13"),
        Form(#""202104291245Z""#, "2021-04-29T12:45:00Z", "RFC 4517, section 3.3.13"),
        Form(#""20130305T172505+0400""#, "2013-03-05T13:25:05Z", "ISO 8601, basic format"),
        Form(#""20130305T172505Z""#, "2013-03-05T17:25:05Z", "vCard's REV, RFC 6350, section 4.3.5"),
        Form("20130305172505", "2013-03-05T17:25:05Z", "MediaWiki, Manual:Timestamp"),
        Form(#""20130305172505""#, "2013-03-05T17:25:05Z", "MediaWiki, Manual:Timestamp"),
        Form("19890412", "1989-04-12T00:00:00Z", "SAP, DATS"),
        Form(#""19890412""#, "1989-04-12T00:00:00Z", "SAP, DATS"),
        // With names of months.
        Form(#""05-Jan-2015""#, "2015-01-05T00:00:00Z", "Zoho People"),
        Form(#""5-DEC-2015 10:20:30""#, "2015-12-05T10:20:30Z", "Oracle, NLS_DATE_FORMAT"),
        Form(#""Wed, 23 May 2012 08:00:58 GMT""#, "2012-05-23T08:00:58Z", "Flask, jsonify"),
        Form(
            #""Wed, 23 May 2012 00:30:58 +0200""#, "2012-05-22T22:30:58Z", "RFC 5322, section 3.3",
            day: "2012-05-23"),
        Form(#""3 May 2012 08:00 -0000""#, "2012-05-03T08:00:00Z", "RFC 5322, section 3.3"),
        // Numbers.
        Form("1619701032883", "2021-04-29T12:57:12.883Z", "Keycloak, `createdTimestamp`"),
        Form("1619701032", "2021-04-29T12:57:12Z", "Slack, `updated`"),
        Form(#""1619701032.883""#, "2021-04-29T12:57:12.883Z", "Slack, `ts`"),
        Form("201303051725", "1976-05-18T21:30:51.725Z", "milliseconds of twelve digits"),
        Form("482112000", "1985-04-12T00:00:00Z", "Unix"),
        Form(#""132223104000000000""#, "2020-01-01T00:00:00Z", "Active Directory, pwdLastSet"),
        Form(#""\/Date(1577485482000+0000)\/""#, "2019-12-27T22:24:42Z", "SAP SuccessFactors, OData V2"),
        Form(#""/Date(1577485482000)/""#, "2019-12-27T22:24:42Z", "ASP.NET"),
        Form(#""/Date(1577485482000-0500)/""#, "2019-12-27T22:24:42Z", "WCF"),
        Form(#""/Date(482104800000+0200)/""#, "1985-04-11T22:00:00Z", "WCF", day: "1985-04-12"),
        Form(#""/Date(-86400000)/""#, "1969-12-31T00:00:00Z", "ASP.NET"),
    ]

    /// Values that stand for a missing date.
    static let missing = [
        Form("0", nil, "Mattermost, `delete_at`", day: "1970-01-01"),
        Form("-1", nil, "Java, Date.getTime of none"),
        Form(#""9999-12-31""#, nil, "SAP, end of a validity"),
        Form(#""9999-12-31T23:59:59.9999999+14:00""#, nil, ".NET, DateTime.MaxValue"),
        Form(#""9999-12-31T23:59:59-11:00""#, nil, ".NET, DateTime.MaxValue"),
        Form(#""/Date(253402214400000)/""#, nil, "SAP SuccessFactors, end of a validity"),
        Form(#""0001-01-01T00:00:00Z""#, nil, "Go, zero Time"), Form(#""0001-01-01""#, nil, "Go, zero Time"),
        Form(#""/Date(-62135596800000)/""#, nil, ".NET, DateTime.MinValue"),
        Form(#""1900-01-01T00:00:00+02:00""#, nil, "SQL Server, empty text"),
        Form(#""1900-01-01""#, nil, "SQL Server, empty text"),
        Form("-2208988800", nil, "Unix, 1900-01-01"),
        Form(#""0000-00-00""#, nil, "MySQL, zero DATE"), Form(#""00000000""#, nil, "SAP, initial DATS"),
        Form(#""0000-00-00 00:00:00""#, nil, "MySQL, zero DATETIME"),
        Form(#""00000000000000""#, nil, "MySQL, zero TIMESTAMP"),
        Form("9223372036854775807", nil, "Active Directory, accountExpires"),
    ]

    /// Values that are no date.
    static let others = [
        "\"soon\"", "null", "\"\"", "{}", "false", "2012", "\"1989\"", #""05-Foo-2015""#, #""31-Feb-2015""#,
        #""05-Jan-15""#, #""2012-13-01""#, #""2012-05-23T25:00:00Z""#, #""2012-05-23T""#,
        #""2012-05-23 08:00:58 CEST""#, #""2012-05-23T08:00:58+25:00""#, #""2012-05-23T08:00:58.Z""#,
        #""/Date(soon)/""#, #""/Date(1577485482000+25)/""#, #""Wednesday, 23-May-12 08:00:58 GMT""#,
    ].map { Form($0, nil, "no date") }
}

@Suite("Dates of directories")
struct DateTests {
    @Test("Each form of a date is an instant, and a birthday is the day as written, in any time zone")
    func forms() async throws {
        #expect(Form.all.count >= 45)
        for form in Form.all + Form.missing + Form.others {
            let user = try await jsonUser(
                #"{"id": 1, "at": \#(form.json)}"#,
                "registered_at: [/none, /at], updated_at: /at, born_at: /at")
            let told = "\(form.json) (\(form.source))"
            #expect(user.registeredAt == form.instant.flatMap(Timestamp.init(rfc3339:)), "\(told)")
            #expect(user.updatedAt == user.registeredAt, "\(told)")
            #expect(user.bornAt?.date == form.day, "\(told)")
        }
    }

    @Test(
        "Numbers below 100,000,000 are dates of birth alone", arguments: ["5", "41052", "99999999", "-86400"])
    func smallNumbers(number: String) async throws {
        let user = try await jsonUser(#"{"id": 1, "at": \#(number)}"#, "registered_at: /at, born_at: /at")
        #expect(user.registeredAt == nil && user.bornAt != nil)
    }

    @Test("A date that stands for a missing one is absent for `skip`, and 0 is a number")
    func absent() async throws {
        let format = try DirectoryFormat.configured(
            "json", "skip: {/left: present}\nfields: {id: /id, username: /id}")
        let records = (Form.missing + Form.all).enumerated().map { #"{"id": \#($0), "left": \#($1.json)}"# }
        let left = try await page("[\(records.joined(separator: ", "))]", format).leftOut
        let numbers = [0, 1, 13, 15, 16] + (Form.missing.count..<records.count)
        #expect(left == numbers.map { Digest.leftOut("\($0)") })
    }

    @Test("A survey counts a date that stands for a missing one as missing")
    func survey() throws {
        let body = Array(#"[{"id": 1, "at": 0}, {"id": 2, "at": "9999-12-31"}, {"id": 3, "at": 12345}]"#.utf8)
        let survey = try #require(
            FormatSurvey(try .configured("json", "fields: {id: /id, registered_at: /at}"), of: body))
        #expect(survey.places.map(\.found) == [3, 0] && survey.places.map(\.unreadable) == [0, 1])
    }
}

@Suite("Users of LibreGraph")
struct LibreGraphTests {
    /// https://docs.opencloud.eu/docs/dev/server/apis/http/graph/users
    @Test("The username is in `onPremisesSamAccountName` if there is no principal's name")
    func username() async throws {
        let page = try await page(
            #"""
            {"value": [{"displayName": "Dennis Ritchie", "id": "4c510ada", "mail": "dennis@example.org",
            "onPremisesSamAccountName": "dennis"}, {"id": "2", "userPrincipalName": "a@x", "onPremisesSamAccountName": "a"}]}
            """#, .configured("graph"))
        #expect(page.records.map(\.username) == ["dennis", "a@x"])
    }
}
