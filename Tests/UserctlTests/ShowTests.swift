import MockDaemon
import Model
import Testing
import UserdAPI

@testable import UserctlCommands

/// Tests how show and picture find a user, and the fields that show prints.
@Suite struct ShowTests {
    private func show(_ arguments: String..., users: [User] = [anna, wei]) async -> Ended {
        await userctl(["show"] + arguments, userd: .mock(users: users))
    }

    @Test func `--field prints values, one a line`() async {
        #expect(await show("anna@example.com", "--field", "phone").output == "011-962-7516\n")
        let several = await show("id-anna", "--field", "city,name.first", "--field", "job_title,name,born_at")
        #expect(several.output == "Malmö\nAnna\n\nAnna Bergström\n1990-07-20T09:44:18.674Z\n")
        #expect(several.code == 0 && several.errors == "")
    }

    @Test func `a field that the user does not have is an empty line, and no error`() async {
        let ended = await show("id-wei", "--field", "phone")
        #expect(ended.output == "\n" && ended.errors == "" && ended.code == 0)
    }

    @Test func `each value is one line without control characters`() async {
        var user = anna
        user.address.street = "Main Street 1\r\nYard 2"
        (user.jobTitle, user.manager) = ("\u{1B}[31mEditor", .init(id: "m1"))
        user.emails = [.init(value: "a@b", kind: "work"), .init(value: "c@d")]
        let ended = await show("id-anna", "--field", "street,job_title,manager,emails", users: [user])
        #expect(ended.output == "Main Street 1, Yard 2\n\\u{1B}[31mEditor\nm1\na@b (work); c@d\n")
    }

    @Test func `several words are one key, else a search`() async {
        #expect(await show("Anna", "Bergström", "--field", "id").output == "id-anna\n")
        #expect(await show("bergström", "anna", "--field", "id").output == "id-anna\n")
        #expect(await show("bergst", "--field", "id").output == "id-anna\n")
        var spaced = wei
        spaced.username = "anna berg"
        #expect(await show("anna", "berg", "--field", "id", users: [anna, spaced]).output == "id-wei\n")
        let none = await show("kurt", "xylander")
        #expect(none.code == 1 && none.output == "")
        #expect(
            none.errors == """
                userctl: no user has the id, username or email address “kurt xylander”, and a search for these words finds none
                userctl: `userctl list` lists all users

                """)
    }

    @Test func `of several, ten are listed with what tells them apart`() async {
        let twins = (10..<25).map { number in
            User(id: "\(number)", name: .init(first: "Anna", last: "Keller")) {
                $0.email = "anna\(number)@example.com"
                $0.address.city = "Bern"
            }
        }
        for command in ["show", "picture"] {
            let ended = await userctl(command, "anna", "keller", userd: .mock(users: twins))
            #expect(ended.code == 1 && ended.output == "")
            let lines = ended.errors.split(separator: "\n")
            #expect(lines.count == 12)
            #expect(lines[0] == "userctl: “anna keller” matches 15 users: choose one")
            #expect(lines[1] == "userctl:   10  anna10@example.com")
            #expect(lines.last == "userctl:   and 5 more")
        }
    }

    @Test(
        arguments: [
            (\.department, ["Sales", "IT"], ["1  Sales", "2  IT"]),
            (\.address.city, ["Bern", nil], ["1  Bern", "2  Anna Keller, twin"]),
            (\.displayName, ["A. K.", nil], ["1  A. K.", "2  Anna Keller"]),
            (\.gender, ["a", "b"], ["1  Anna Keller, twin, Rom", "2  Anna Keller, twin, Rom"]),
        ] as [(any UserField.Path<String?>, [String?], [String])])
    func `namesakes are told apart by the first members that differ`(
        member: any UserField.Path<String?>, values: [String?], lines: [String]
    ) async {
        let users = values.enumerated().map { number, value in
            User(id: "\(number + 1)", name: .init(first: "Anna", last: "Keller")) {
                ($0.username, $0.address.city) = ("twin", "Rom")
                $0[keyPath: member] = value
            }
        }
        let ended = await show("keller", users: users)
        let listed = ended.errors.split(separator: "\n").dropFirst().map(String.init)
        #expect(listed == lines.map { "userctl:   " + $0 })
    }

    @Test func `picture searches, too`() async throws {
        let asked = Asked<GetPicture>()
        var userd = UserdClient.mock(users: [anna, wei])
        let picture = userd.getPicture
        userd.getPicture = {
            asked.note($0)
            return try picture($0)
        }
        _ = await userctl("picture", "anna", "bergström", userd: userd)
        #expect(asked.all.map(\.key) == ["anna bergström", "id-anna"])
    }
}
