import Model
import StrictJSON
import TerminalViews
import Testing
import UserdAPI

@testable import UserctlCommands

/// Tests the fields that directories have in addition to those of randomuser.me.
@Suite struct DirectoryFieldsTests {
    private let full = User.samples[0]

    private func list(
        _ arguments: [String], users: [User], total: Int? = nil, next: String? = nil,
        _ asked: Asked<ListUsers> = Asked()
    ) async throws -> Ended {
        let page = UserList(
            users: users, total: total ?? users.count, next: next,
            freshness: Freshness(phase: .loaded, syncedAt: noon, age: 0, stale: false))
        var userd = UserdClient.untouched
        userd.listUsers = asked.answering(.listUsers, String(decoding: try encoded(page), as: UTF8.self))
        return await userctl(arguments, userd: userd, width: 1000)
    }

    @Test func `list sends the department`() async throws {
        let asked = Asked<ListUsers>()
        _ = try await list(["list", "--department", "Відділ кадрів"], users: [full], asked)
        // Before, whether somebody has it.
        #expect(asked.all.map(\.department) == ["Відділ кадрів", "Відділ кадрів"])
        #expect(asked.all.allSatisfy { $0.beginnings == nil })
    }

    @Test func `a table has their columns`() async throws {
        let columns =
            "display_name,job_title,department,company,employee_number,office,manager,updated_at,emails,phones"
        let ended = try await list(["list", "--columns", columns], users: [full])
        let lines = ended.output.split(separator: "\n").map {
            $0.split(separator: "  ").map { $0.trimmed }.filter { !$0.isEmpty }
        }
        try #require(lines.count == 2)
        #expect(
            lines[0] == [
                "Display name", "Job title", "Department", "Company", "Employee no.", "Office", "Manager",
                "Updated",
                "Emails",
                "Phones",
            ])
        #expect(
            lines[1] == [
                "Jennie Nichols (Editing)", "Editor in Chief", "Editing", "Example News", "00417",
                "Room 4.12", "髙橋花子",
                "2026-01-02", "jennie.nichols@example.com (work); bigswan571@example.org (home)",
                "(272) 790-0888 (work); (489) 330-2385 (mobile); +1 272 790 0889 (fax); (406) 555-0142",
            ])
    }

    @Test func `a manager without a name is an id, and nobody's manager nothing`() {
        let cells = UserCells([.manager])
        var user = full
        user.manager = .init(id: "m1")
        #expect(cells.cells(of: user) == ["m1"])
        user.manager = nil
        #expect(cells.cells(of: user) == [""])
    }

    @Test func `csv has them, each with its name`() async throws {
        let columns = "manager,emails,department"
        let ended = try await list(["list", "--columns", columns, "-o", "csv", "-n", "1"], users: [full])
        #expect(
            ended.output == """
                manager_id,manager_name,emails,department
                sample-wide,髙橋花子,jennie.nichols@example.com (work); bigswan571@example.org (home),Editing

                """)
    }

    @Test func `a card has no name that says the display name again`() {
        func card(_ displayName: String) -> String {
            let name = User.Name(title: "Dr", first: "Ada", last: "King")
            return render(
                UserCard(
                    user: User(id: "1", name: name) {
                        $0.displayName = displayName
                    }), width: 60, colour: false)
        }
        #expect(!card("Dr Ada King").contains("Name"))
        #expect(card("King, Ada").hasPrefix("King, Ada\n  Name  Dr Ada King\n"))
    }

    @Test func `a card and an address book have each address and telephone once`() {
        var user = full
        #expect(user.allEmails == full.emails)
        #expect(user.allPhones == full.phones)
        (user.emails, user.phones) = (nil, nil)
        #expect(user.allEmails == [.init(value: "jennie.nichols@example.com")])
        #expect(user.allPhones == [.init(value: "(272) 790-0888"), .init(value: "(489) 330-2385")])
        user.phones = [.init(value: "1", kind: "home"), .init(value: "(489) 330-2385", kind: "mobile")]
        user.email = "Jennie@example.com"
        user.emails = [
            .init(value: "jennie@EXAMPLE.com", kind: "work"), .init(value: "Cafe\u{301}@example.com"),
        ]
        user.emails?.append(.init(value: "Caf\u{E9}@example.com"))
        #expect(user.allEmails.map(\.text).map(\.utf8.count) == [25, 18, 17])
        #expect(user.allPhones.map(\.text) == ["(272) 790-0888", "(489) 330-2385 (mobile)", "1 (home)"])
    }

    @Test(arguments: [
        (["search", "an"], 10_001, "at least 9,901 more"), (["search", "an"], 10_000, "9,900 more"),
        (["list"], 10_001, "9,901 more"),
    ])
    func `what a search has not counted is told as such`(arguments: [String], total: Int, said: String)
        async throws
    {
        let page = Array(repeating: full, count: 100)
        let ended = try await list(arguments, users: page, total: total, next: "c")
        #expect(ended.errors.hasPrefix("userctl: \(said): --all prints all\n"))
    }

    @Test func `a search in the browser says where its count ends`() {
        var browsing = Browsing.begun([anna, wei])
        browsing.total = 10_001
        browsing.type("a")
        browsing.answer(atMost: 20)
        #expect(browsing.place == "1 of 10,000+")
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(self.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

@Suite struct StoredUserReaderTests {
    private let users = StoredUserReader.standard

    private func user(_ record: String) throws -> User? {
        let record = try JSONValue(validating: Array(record.utf8), maximumDepth: 4)
        return users.user(users.members.read(record))
    }

    @Test func `users are read as they are decoded`() throws {
        var user = User.samples[0]
        user.emails = [.init(value: "a@b", kind: "work"), .init(value: "\"c\"@d")]
        user.phones = []
        user.manager = .init(name: "M")
        user.updatedAt = noon
        (user.displayName, user.jobTitle, user.address.latitude) = ("A \\ é\n", "", -1.5)
        for user in User.samples + [user, User(id: "", name: .init(first: "", last: ""))] {
            let record = JSONValue(trusting: try StrictJSON.encode(user))
            #expect(users.user(users.members.read(record)) == user)
        }
    }

    @Test func `addresses are read whichever way their names are written`() throws {
        let record =
            #"{"emails":[{"kind":null,"\u0076alue":"a@b","x":1}],"id":"1","name":{"first":"A","last":"B"},"#
            + #""phones":[{"kin\u0064":"home","value":"1"}]}"#
        let user = try user(record)
        #expect(user?.emails == [.init(value: "a@b")])
        #expect(user?.phones == [.init(value: "1", kind: "home")])
    }

    @Test(arguments: [
        #"{"id":"1","name":{"first":"A","last":"B"},"emails":[{"kind":"home"}]}"#,
        #"{"id":"1","name":{"first":"A","last":"B"},"phones":[{"kind":1,"value":"1"}]}"#,
    ])
    func `lists of other things than addresses are left to decoding`(record: String) throws {
        #expect(try user(record) == nil)
    }

    @Test(arguments: [#"{"id":1}"#, #"{"id":"1","name":{"first":"A"}}"#, #"{"id":"1","age":"2"}"#, "[]"])
    func `what is no user is left to decoding`(record: String) throws {
        #expect(try user(record) == nil)
    }
}
