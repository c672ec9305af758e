import DemoUpstream
import Foundation
import Testing

@Suite struct UsersTests {
    @Test func theSameSeedGivesTheSamePeopleEverywhere() async throws {
        try await withDemoUpstream { upstream in
            let people = try await upstream.get("/api/?seed=abc&results=3").people
            #expect(strings(people, "name.first") == ["Elias", "Sofía", "نگین"])
            #expect(
                strings(people, "login.uuid") == [
                    "5aa4cf87-72c5-4c43-8180-75d7cb46c415", "8fe6a6fd-8b19-48a3-9785-e453747b260b",
                    "9f095afa-ccfa-449c-9753-bcad525f244e",
                ])
            #expect(
                strings(people, "dob.date") == [
                    "1947-02-11T18:56:22.398Z", "2002-02-20T13:58:06.847Z", "1961-02-22T15:57:40.965Z",
                ])
            #expect(
                strings(people, "email") == [
                    "elias.ylonen@example.com", "sofia.pena@example.com", "ngyn.hashmy@example.com",
                ])
        }
    }

    @Test func aUserHasTheMembersOfTheRealOneInTheirOrder() async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/api/?seed=abc")
            let anything = #"("(\\.|[^"\\])*"|-?\d+|null)"#
            let uuid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
            let date = #"\{"date":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","age":\d+\}"#
            let portrait = { (folder: String) in
                #""\#(upstream.url())/portraits/\#(folder)(men|women)/\d+\.png""#
            }
            let members = [
                #""gender":"(fe)?male""#, #""name":\{"title":A,"first":A,"last":A\}"#,
                #""location":\{"street":\{"number":\d+,"name":A\},"city":A,"state":A,"country":A,"postcode":A"#,
                #""coordinates":\{"latitude":"-?\d+\.\d{4}","longitude":"-?\d+\.\d{4}"\}"#,
                #""timezone":\{"offset":A,"description":A\}\}"#, #""email":A"#,
                #""login":\{"uuid":"\#(uuid)","username":A,"password":A,"salt":A,"md5":"[0-9a-f]{32}""#,
                #""sha1":"[0-9a-f]{40}","sha256":"[0-9a-f]{64}"\}"#, #""dob":\#(date)"#,
                #""registered":\#(date)"#,
                #""phone":A"#, #""cell":A"#, #""id":\{"name":A,"value":A\}"#,
                #""picture":\{"large":\#(portrait("")),"medium":\#(portrait("med/"))"#,
                #""thumbnail":\#(portrait("thumb/"))\}"#, #""nat":"[A-Z]{2}""#,
            ].joined(separator: ",").replacingOccurrences(of: ":A", with: ":\(anything)")
            let info = #""info":\{"seed":"abc","results":1,"page":1,"version":"1\.4"\}"#
            let filled = #"^\{"results":\[\{\#(members)\}\],\#(info)\}$"#
            #expect(response.text.range(of: filled, options: .regularExpression) != nil, "\(response.text)")
            #expect(response.header("content-type") == "application/json; charset=utf-8")
            #expect(response.header("etag") == nil)
        }
    }

    @Test func pagesOfASeedShareNobodyAndJoinToALongerPage() async throws {
        try await withDemoUpstream { upstream in
            let first = try await upstream.get("/api/?seed=s&results=50&page=1").people
            let second = try await upstream.get("/api/?seed=s&results=50&page=2").people
            let both = try await upstream.get("/api/?seed=s&results=100").people
            let uuids = strings(first, "login.uuid") + strings(second, "login.uuid")
            #expect(Set(uuids).count == 100)
            #expect(uuids == strings(both, "login.uuid"))
        }
    }

    @Test(arguments: ["0", "-1", "5001", "ten", "", "1e3", "99999999999999999999"])
    func badResultsAreOne(results: String) async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/api/?results=\(results)")
            #expect(try response.people.count == 1)
            #expect(member(try response.object, "info.results") as? Int == 1)
        }
    }

    @Test(arguments: ["0", "-3", "x", "9223372036854775807"])
    func aBadPageIsTheFirst(page: String) async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/api/?seed=s&results=2&page=\(page)")
            let first = try await upstream.get("/api/?seed=s&results=2")
            #expect(response.body == first.body)
        }
    }

    @Test func withoutASeedOneIsDrawnAndTold() async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/api/?results=3")
            let seed = try #require(member(try response.object, "info.seed") as? String)
            #expect(response.body == (try await upstream.get("/api/?results=3&seed=\(seed)")).body)
        }
    }

    @Test func aSeedIsDecodedAndEscaped() async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/api/?seed=a%22%5C%0a%20b%C3%A9")
            #expect(member(try response.object, "info.seed") as? String == "a\"\\\n bé")
        }
    }

    @Test func onlyTheNationalitiesAskedForCome() async throws {
        try await withDemoUpstream { upstream in
            let people = try await upstream.get("/api/?seed=s&results=200&nat=ua,IR,xx").people
            #expect(Set(strings(people, "nat")) == ["UA", "IR"])
        }
    }

    @Test func unknownNationalitiesAreIgnored() async throws {
        try await withDemoUpstream { upstream in
            let people = try await upstream.get("/api/?seed=s&results=1000&nat=xx").people
            #expect(Set(strings(people, "nat")).count == 21)
        }
    }

    @Test func anotherNationalityMakesAnotherPersonOfTheSameUUID() async throws {
        try await withDemoUpstream { upstream in
            let danes = try await upstream.get("/api/?seed=s&results=20&nat=dk").people
            let finns = try await upstream.get("/api/?seed=s&results=20&nat=fi").people
            #expect(strings(danes, "login.uuid") == strings(finns, "login.uuid"))
            #expect(strings(danes, "name.last") != strings(finns, "name.last"))
        }
    }

    @Test(arguments: ["/api", "/api/", "/api/1.4", "/api/1.4/"])
    func theInterfaceHasSeveralPaths(path: String) async throws {
        try await withDemoUpstream { upstream in
            let count = try await upstream.get("\(path)?results=2").people.count
            #expect(count == 2)
        }
    }

    @Test func agesAreThoseOfTheFirstDayOf2026() async throws {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions.insert(.withFractionalSeconds)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let now = try #require(formatter.date(from: "2026-01-01T00:00:00.000Z"))
        try await withDemoUpstream { upstream in
            for person in try await upstream.get("/api/?seed=s&results=2000").people {
                let text = try #require(member(person, "dob.date") as? String)
                let date = try #require(formatter.date(from: text))
                // Foundation counts hours, too, so this counts from midnight of the birthday.
                let age = calendar.dateComponents([.year], from: calendar.startOfDay(for: date), to: now).year
                #expect(member(person, "dob.age") as? Int == age, "\(text)")
                #expect((21...81).contains(age ?? 0))
            }
        }
    }

    @Test func eMailAddressesHoldOnlyLetters() async throws {
        try await withDemoUpstream { upstream in
            let people = try await upstream.get("/api/?seed=s&results=5000").people
            let odd = strings(people, "email").filter {
                $0.range(of: #"^[a-z]+\.[a-z]+@example\.com$"#, options: .regularExpression) == nil
            }
            #expect(odd == [])
        }
    }

    @Test func textIsInTheScriptOfTheCountry() async throws {
        try await withDemoUpstream { upstream in
            for (nation, scalars) in [("ua", 0x400...0x4FF), ("rs", 0x400...0x4FF), ("ir", 0x600...0x6FF)] {
                let people = try await upstream.get("/api/?seed=s&results=50&nat=\(nation)").people
                #expect(
                    strings(people, "name.last").allSatisfy {
                        $0.unicodeScalars.contains { scalars.contains(Int($0.value)) }
                    })
            }
        }
    }

    @Test func postcodesAreNumbersOrTextByCountry() async throws {
        try await withDemoUpstream { upstream in
            let germans = try await upstream.get("/api/?seed=s&results=20&nat=de").people
            #expect(germans.allSatisfy { member($0, "location.postcode") is Int })
            let dutch = strings(
                try await upstream.get("/api/?seed=s&results=200&nat=nl").people, "location.postcode")
            #expect(dutch.count == 200)
            #expect(dutch.contains { $0.hasPrefix("0") })
        }
    }

    @Test func someCountriesHaveNoNumberForAPerson() async throws {
        try await withDemoUpstream { upstream in
            let turks = try await upstream.get("/api/?seed=s&results=20&nat=tr").people
            #expect(turks.allSatisfy { member($0, "id.value") is NSNull })
        }
    }
}
