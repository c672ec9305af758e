import Model
import Testing

@testable import Daemon

struct OmissionTests {
    @Test(
        "Fields to leave out are a list or a text, in any order",
        arguments: [
            "users:\n  omit: [address, born_at]\n", "users:\n  omit:\n    - born_at\n    - address\n",
            "users:\n  omit: address, born_at\n", "users: {omit: \"born_at address\"}\n",
            "users:\n  omit: [address, born_at, address]\n",
        ])
    func forms(yaml: String) throws {
        let loaded = try load(file: yaml)
        #expect(loaded.settings.users.omit == ["born_at", "address"])
        #expect(loaded.printed().contains("  omit: born_at, address  # file \(configPath):"))
        #expect(loaded.settings == (try load(["users.omit": "born_at,address"])).settings)
        #expect(
            loaded.settings == (try load(environment: ["USERD_USERS_OMIT": "born_at, address"])).settings)
    }

    @Test("Nothing is left out by default, nor by an empty text or list")
    func nothing() throws {
        #expect(try load().settings.users.omittedFields == [])
        for yaml in ["users:\n  omit: \"\"\n", "users:\n  omit: []\n"] {
            #expect(try load(file: yaml).settings == load().settings)
        }
        // A higher source undoes the file.
        let undone = try load(environment: ["USERD_USERS_OMIT": ""], file: "users: {omit: [phone]}\n")
        #expect(undone.settings.users.omit == [])
    }

    @Test("Names stand for fields, and groups for several")
    func fields() throws {
        func omitted(_ names: String) throws -> Set<UserField> {
            try load(["users.omit": names]).settings.users.omittedFields
        }
        #expect(try omitted("born_at title") == [.bornAt, .title])
        #expect(try omitted("manager") == [.managerID, .managerName])
        #expect(try omitted("email, cell") == [.email, .emails, .cell, .phones])
        #expect(try omitted("address").count == 8)
    }

    @Test(
        "A mistake is reported with its line, and with the names that can be left out",
        arguments: [
            (
                "users:\n  omit:\n    - born_at\n    - emial\n",
                "4: users.omit: \"emial\" is not a field that can be left out", "; did you mean email?"
            ),
            (
                "users:\n  omit: born_at, shoe size\n",
                "2: users.omit: \"shoe\" is not a field that can be left out", "picture"
            ),
            (
                "users:\n  omit: [phone, name]\n",
                "2: users.omit: name can't be left out, because every user needs an id, a name and a kind",
                "picture"
            ),
            ("users:\n  omit:\n    - [phone]\n", "3: users.omit: has a list in it", "picture"),
            (
                "users:\n  omit: {phone: true}\n", "2: users.omit: has a mapping",
                "(for the default, remove the line)"
            ),
            ("users:\n  omit:\n", "2: users.omit: has no value", "(for the default, remove the line)"),
        ])
    func mistakes(yaml: String, beginning: String, end: String) throws {
        let message = try failure { try load(file: yaml) }
        #expect(message.hasPrefix("\(configPath):\(beginning)"))
        #expect(message.contains("; expected fields, separated by commas or blanks: username, title,"))
        #expect(message.hasSuffix(end))
    }

    @Test("A mistake names the option or the variable")
    func elsewhere() throws {
        #expect(
            try failure { try load(["users.omit": "id"]) }.hasPrefix("--users-omit: id can't be left out"))
        #expect(
            try failure { try load(environment: ["USERD_USERS_OMIT": "x"]) }
                .hasPrefix("USERD_USERS_OMIT: \"x\" is not a field"))
    }
}
