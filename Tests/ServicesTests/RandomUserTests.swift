import Model
import Testing

@Suite("randomuser.me")
struct RandomUserTests {
    @Test("A user of version 1.4 has every field")
    func version14() async throws {
        let user = try await user(
            """
            "gender": "Female", "name": {"title": "Ms", "first": "آدرینا", "last": "Woods"},
            "location": {
                "street": {"number": 2479, "name": "Henry Street"}, "city": "Blessington", "state": "Wexford",
                "country": "Ireland", "postcode": 78276, "coordinates": {"latitude": "2.0565", "longitude": "-95.2422"},
                "timezone": {"offset": "+1:00", "description": "Paris"}},
            "email": "laura@example.com",
            "login": {"uuid": "9f07341f", "username": "ostrich988", "password": "racers", "salt": "B5ywSDUM"},
            "dob": {"date": "1967-07-23T09:18:33.666Z", "age": 58},
            "registered": {"date": "2018-10-18T04:05:51.990Z", "age": 7},
            "phone": "031-623-5189", "cell": "V081-807", "id": {"name": "PPS", "value": "1101776T"},
            "picture": {"large": "https://p/l", "medium": "https://p/m", "thumbnail": "https://p/t"}, "nat": "ie",
            "something": {"new": [1, 2]}
            """)
        #expect(
            user
                == User(id: "9f07341f", name: .init(title: "Ms", first: "آدرینا", last: "Woods")) {
                    $0.username = "ostrich988"
                    $0.gender = "female"
                    $0.email = "laura@example.com"
                    $0.phone = "031-623-5189"
                    $0.cell = "V081-807"
                    $0.bornAt = Timestamp(rfc3339: "1967-07-23T09:18:33.666Z")
                    $0.age = 58
                    $0.registeredAt = Timestamp(rfc3339: "2018-10-18T04:05:51.990Z")
                    $0.nationality = "IE"
                    $0.address = .init {
                        ($0.street, $0.city) = ("2479 Henry Street", "Blessington")
                        ($0.state, $0.postcode, $0.country) = ("Wexford", "78276", "Ireland")
                        ($0.latitude, $0.longitude, $0.utcOffset) = (2.0565, -95.2422, "+1:00")
                    }
                    $0.picture = .init(large: "https://p/l", medium: "https://p/m", thumbnail: "https://p/t")
                })
    }

    @Test("A name is enough for a user, and null counts as absent")
    func nameOnly() async throws {
        let bare = try await user(#""name": {"last": "Ng"}"#)
        let nulls = try await user(
            """
            "name": {"title": null, "first": null, "last": "Ng"}, "gender": null, "location": null, "email": null,
            "login": null, "dob": null, "registered": null, "phone": null, "cell": null, "id": null,
            "picture": null, "nat": null
            """)
        #expect(bare == nulls)
        #expect(bare == User(id: bare.id, name: .init(first: "", last: "Ng")))
    }

    @Test("A list without a wrapper, and one without info, are read")
    func wrappers() async throws {
        for body in [#"[{"name": {"last": "Ng"}}]"#, #"{"results": [{"name": {"last": "Ng"}}]}"#] {
            #expect(try await users(body).map(\.name.last) == ["Ng"])
        }
    }

    @Test(
        "Dates are read in each form of the API's history, and text that is not a date is ignored",
        arguments: [
            ("449536660", "1984-03-30T23:17:40.000Z"),
            ("-1", "1969-12-31T23:59:59.000Z"),
            (#""1983-07-14 07:29:45""#, "1983-07-14T07:29:45.000Z"),
            (#""1983-07-14""#, "1983-07-14T00:00:00.000Z"),
            (#"{"date": "1966-07-30T03:56:49Z", "age": 53}"#, "1966-07-30T03:56:49.000Z"),
            (#"{"date": "1992-03-08T15:13:16.688Z"}"#, "1992-03-08T15:13:16.688Z"),
            (#""2000-02-29T23:59:60.5+05:30""#, "2000-02-29T18:30:00.500Z"),
            (#""1999-12-31T20:00:00.123456-0400""#, "2000-01-01T00:00:00.123Z"),
            (#""1600-03-01T00:00:00""#, "1600-03-01T00:00:00.000Z"),
            (#""2001-02-29T00:00:00Z""#, nil), (#""1900-02-29""#, nil), (#""2001-13-01""#, nil),
            (#""2001-01-01T24:00:00Z""#, nil), (#""2001-01-01T00:00:00Zzz""#, nil),
            (#""2001-01-01T00:00:00.Z""#, nil), (#""2001-01-01T00:00:00+1""#, nil), (#""0000-01-01""#, nil),
            (#""2001-4-1""#, nil), (#""yesterday""#, nil), (#""""#, nil), ("1e300", nil), ("{}", nil),
            (#"{"date": null}"#, nil),
        ])
    func dates(json: String, expected: String?) async throws {
        let user = try await user(#""name": {"last": "Ng"}, "dob": \#(json), "registered": \#(json)"#)
        #expect(user.bornAt == expected.flatMap(Timestamp.init(rfc3339:)))
        #expect(user.registeredAt == user.bornAt)
    }

    @Test("An age is read if it is valid")
    func ages() async throws {
        for (json, age) in [("44", 44), ("-1", nil), ("1e9", nil), (#""old""#, nil), ("null", nil)]
            as [(String, Int?)]
        {
            #expect(try await user(#""name": {"last": "Ng"}, "dob": {"age": \#(json)}"#).age == age)
        }
    }

    @Test(
        "A street is a text, or a number and a name",
        arguments: [
            (#""1824 valley view ln""#, "1824 valley view ln"),
            (#"{"number": 5171, "name": "Karen Dr"}"#, "5171 Karen Dr"),
            (#"{"number": "12b", "name": "Søgade"}"#, "12b Søgade"), (#"{"name": "Mall"}"#, "Mall"),
            (#"{"number": 7, "name": null}"#, "7"), ("{}", nil), ("null", nil),
        ])
    func streets(json: String, expected: String?) async throws {
        #expect(
            try await user(#""name": {"last": "N"}, "location": {"street": \#(json)}"#).address.street
                == expected)
    }

    @Test("A postcode is a text that keeps leading zeros and letters")
    func postcodes() async throws {
        for (json, text) in [("94109", "94109"), (#""06310""#, "06310"), (#""0278 ZY""#, "0278 ZY")] {
            let user = try await user(#""name": {"last": "N"}, "location": {"postcode": \#(json)}"#)
            #expect(user.address.postcode == text)
        }
    }

    @Test(
        "Coordinates are read as text and as numbers, and ignored if they are neither",
        arguments: [
            (#""-69.8246""#, -69.8246), ("12.5", 12.5), ("7", 7), (#""nan""#, nil), (#""inf""#, nil),
            (#""north""#, nil), ("null", nil), ("true", nil), (#""1e999""#, nil),
        ] as [(String, Double?)])
    func coordinates(json: String, expected: Double?) async throws {
        let members = #""coordinates": {"latitude": \#(json), "longitude": \#(json)}"#
        let address = try await user(#""name": {"last": "N"}, "location": {\#(members)}"#).address
        #expect(address.latitude == expected)
        #expect(address.longitude == expected)
    }

    @Test("Text keeps zero-width characters and trailing blanks")
    func textsAreKept() async throws {
        let user = try await user(
            #""name": {"first": "A\u200b ", "last": " Zoë\u0000\ud83d\ude00 "}, "email": """#)
        #expect(user.name.first == "A\u{200B} ")
        #expect(user.name.last == " Zoë\u{0}😀 ")
        #expect(user.email == nil)
    }

    @Test(
        "A record without a name fails the page, with its number",
        arguments: [
            (
                #"{"results": [{"name": {"last": "A"}}, {"name": {"last": null}}]}"#,
                "record 2: no name at /name/first or /name/last"
            ),
            (#"[{}]"#, "record 1: no name at /name/first or /name/last"),
            (#"{"results": [7]}"#, "record 1: expected an object, found a number"),
            (#"{"results": {}}"#, "/results: expected a list, found an object"),
            (
                #"{"name": {"last": "vidal"}, "email": "l@example.com"}"#,
                #"no list at "/results"; see users.records"#
            ),
            (#""users""#, #"no list at "/results"; see users.records"#),
        ])
    func positions(body: String, expected: String) async throws {
        let failure = try await thrown { try await users(body) }.failure
        #expect(failure.message == "cannot read page 1 of https://users.example/api/: " + expected)
        #expect(failure.kind == .decode)
        #expect(failure.retryable)
    }

    @Test("A text longer than the limit is left out")
    func limits() async throws {
        let text = String(repeating: "x", count: 65_537)
        let user = try await user(#""name": {"first": "A", "last": "\#(text)"}, "login": {"username": "u"}"#)
        #expect(user.name == User.Name(first: "A", last: "") && user.username == "u")
    }

    @Test("Passwords, salts and hashes are never decoded")
    func secrets() async throws {
        let user = try await user(
            """
            "name": {"last": "N"}, "login": {"username": "u", "password": "CANARY", "salt": "CANARY",
            "md5": "CANARY", "sha1": "CANARY", "sha256": "CANARY"}
            """)
        #expect(!String(describing: user).contains("CANARY"))
    }
}
