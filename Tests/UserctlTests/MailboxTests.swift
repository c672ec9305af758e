import MockDaemon
import Model
import Testing
import UserdAPI

@testable import UserctlCommands

/// Tests the column `mailbox`: one recipient, whatever the directory sends.
@Suite struct MailboxTests {
    private func user(_ name: String?, _ email: String?, id: String = "1") -> User {
        User(id: id, name: .init(first: "Anna", last: "Keller")) {
            ($0.displayName, $0.email) = (name, email)
        }
    }

    @Test(arguments: [
        ("", "Anna Keller <a@b.test>"),
        ("Zoë Quartermaine", "Zoë Quartermaine <a@b.test>"), ("山田　太郎", "山田 太郎 <a@b.test>"),
        ("Keller, Anna", #""Keller, Anna" <a@b.test>"#), ("J. O'Neill", #""J. O'Neill" <a@b.test>"#),
        (#"An "A" \ na"#, #""An \"A\" \\ na" <a@b.test>"#), ("Anna (Sales)", #""Anna (Sales)" <a@b.test>"#),
        // A quote with a combining mark is another Character.
        ("An\"\u{301}na", "\"An\\\"\u{301}na\" <a@b.test>"),
        ("a@b.test>, c@d.test", #""a@b.test>, c@d.test" <a@b.test>"#),
        ("\";rm -rf", #""\";rm -rf" <a@b.test>"#), ("=?utf-8?q?=0A?=", #""=?utf-8?q?=0A?=" <a@b.test>"#),
        ("Anna\r\nBcc: c@d.test\u{2028}\u{85}", #""Anna Bcc: c@d.test" <a@b.test>"#),
        ("\u{1B}\u{7}An\u{202E}n\u{2066}a\u{200F}\u{E0041} \u{0}", "Anna <a@b.test>"),
        ("\u{202E}\n\t", "a@b.test"), ("نمی\u{200C}خواهم", "\"نمی\u{200C}خواهم\" <a@b.test>"),
    ])
    func `a name is a phrase of one line`(name: String, mailbox: String) {
        #expect(UserCells([.mailbox]).cells(of: user(name, "a@b.test")) == [mailbox])
    }

    @Test(arguments: [
        "a@b>, c@d", "a@b,c@d", "a@b;c@d", "a b@c", "a@b\n", "a@b\u{85}", "a@b\u{202E}c", "<a@b>", "a@b@c",
        "a",
        "@b", "a@", ".a@b", "a..b@c", "a.@b", "\"a\"@b", "a@[127.0.0.1]", "a(b)@c", "a@b\u{0}", "a@b\u{A0}",
        "", String(repeating: "a", count: 10_000) + "@b",
    ])
    func `an address that is not plain makes no mailbox`(address: String) {
        #expect(UserCells([.mailbox]).cells(of: user("Anna", address)) == [""])
    }

    @Test func `addresses of all scripts and signs are kept`() {
        for address in ["zoë@exämple.test", "o'neill+x=y@b.test", "山田@例え.test"] {
            #expect(Mailbox.text(name: "", address: address) == address)
        }
    }

    @Test func `a name of 10,000 letters is cut`() {
        let name = String(repeating: "é", count: 10_000)
        #expect(Mailbox.text(name: name, address: "a@b") == String(name.prefix(200)) + " <a@b>")
        let marks = "e" + String(repeating: "\u{301}", count: 10_000)
        #expect(Mailbox.text(name: marks, address: "a@b").unicodeScalars.count < 20)
    }

    @Test func `list, search and show have it, and CSV if it is named`() async {
        let keller = user("Keller, Anna", "anna@b.test")
        let userd = UserdClient.mock(users: [keller, user("Nobody", nil, id: "2")])
        let listed = await userctl("list", "--columns", "mailbox", "--no-header", userd: userd)
        #expect(listed.output == "\"Keller, Anna\" <anna@b.test>\n\n")
        let narrow = await userctl(["list", "--columns", "name,mailbox,id"], userd: userd, width: 50)
        #expect(narrow.output.contains("\"Keller, Anna\" <anna@b.test>"))
        let shown = await userctl("show", "1", "--field", "mailbox,id", userd: userd)
        #expect(shown.output == "\"Keller, Anna\" <anna@b.test>\n1\n")
        #expect(await userctl("show", "2", "--field", "mailbox", userd: userd).output == "\n")
        let csv = await userctl("show", "1", "--output", "csv", userd: userd)
        #expect(!csv.output.contains("mailbox") && !csv.output.contains("<"))
        let named = await userctl("list", "--columns", "mailbox,id,manager", "-o", "csv", userd: userd)
        #expect(
            named.output == "mailbox,id,manager_id,manager_name\r\n"
                + "\"\"\"Keller, Anna\"\" <anna@b.test>\",1,,\r\n,2,,\r\n")
    }
}
