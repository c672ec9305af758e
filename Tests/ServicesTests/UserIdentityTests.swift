import Model
import Testing

@Suite("Ids of randomuser.me's users")
struct UserIdentityTests {
    private let ada = #""name": {"title": "Ms", "first": "Ada", "last": "King"}"#

    @Test("A user's id is login.uuid, in any form")
    func uuid() async throws {
        #expect(try await user(#"\#(ada), "login": {"uuid": "1"}"#).id == "1")
    }

    @Test("Without a uuid, a user's id is a digest that never changes")
    func digest() async throws {
        let full = try await user(
            """
            \(ada), "login": {"uuid": "", "username": "ada"}, "email": "Ada@Example.com",
            "dob": "1815-12-10 00:00:00", "registered": 0, "id": {"name": "NINO", "value": "QQ 12"}
            """)
        #expect(full.id == "e4e04301e7f80958a3ebf3587e383b4b")
        #expect(try await user(ada).id == "e07fff29339b8c7bf4cc026872ee93b2")
    }

    @Test(
        "The digest ignores title, address, picture, age, letter case of the e-mail address, and telephones",
        arguments: [
            #""location": {"city": "London"}"#, #""picture": {"large": "https://p"}"#, #""gender": "female""#,
            #""nat": "GB""#, #""phone": "1", "cell": "2""#,
        ])
    func stable(members: String) async throws {
        let base = #""login": {"username": "ada"}, "email": "a@example.com""#
        let changed =
            #""name": {"first": "Ada", "last": "King"}, "email": "A@EXAMPLE.COM", "login": {"username": "ada"}"#
        #expect(try await user("\(ada), \(base)").id == user("\(changed), \(members)").id)
    }

    @Test(
        "The digest changes with everything that identifies a person",
        arguments: [
            #""login": {"username": "ada2"}"#, #""email": "b@example.com""#, #""dob": 1"#,
            #""registered": 1"#,
            #""id": {"value": "QQ"}"#, #""phone": "1""#, #""cell": "1""#,
        ])
    func distinct(members: String) async throws {
        #expect(try await user("\(ada), \(members)").id != user(ada).id)
    }

    @Test("`id` is read as an object, an integer or text, and an empty one is ignored")
    func idForms() async throws {
        let object = try await user(#"\#(ada), "id": {"name": "SSN", "value": "42"}"#).id
        for id in ["42", #""42""#, #"{"value": 42}"#] {
            #expect(try await user(#"\#(ada), "id": \#(id)"#).id == object)
        }
        let none = try await user(ada).id
        for id in ["null", "[]", "{}", #"{"name": "", "value": null}"#, #""""#, "true"] {
            #expect(try await user(#"\#(ada), "id": \#(id)"#).id == none)
        }
    }

    @Test("The digest keeps parts apart whose texts could run together")
    func parts() async throws {
        let one = try await user(#""name": {"first": "ab", "last": "c"}"#).id
        let other = try await user(#""name": {"first": "a", "last": "bc"}"#).id
        #expect(one != other)
    }
}
