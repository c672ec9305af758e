import MockDaemon
import Model
import Testing
import UserdAPI

@testable import UserctlCommands

/// Tests how a person is called where the display name comes first, and how lists sort them.
@Suite struct NameOrderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let (first, last, display): (String, String, String?)
        /// The name in cards, `show`, mutt and --field.
        let called: String
        let listed: String
        var testDescription: String { called }

        init(_ first: String, _ last: String, _ display: String?, _ called: String, _ listed: String) {
            (self.first, self.last, self.display, self.called, self.listed) = (
                first, last, display, called, listed
            )
        }

        var user: User {
            User(id: "1", name: .init(first: first, last: last)) {
                ($0.displayName, $0.email) = (display, "a@b")
            }
        }
    }

    static let rows = [
        Row("Anna", "Keller", nil, "Anna Keller", "Keller, Anna"),
        Row("Anna", "Keller", "", "Anna Keller", "Keller, Anna"),
        // Active Directory, as companies fill it.
        Row("Anna", "Keller", "Keller, Anna (EXT) /ZRH", "Keller, Anna (EXT) /ZRH", "Keller, Anna"),
        // Hungarian: the family first, as only the display name says.
        Row("Ferenc", "Nagy", "Nagy Ferenc", "Nagy Ferenc", "Nagy, Ferenc"),
        Row("", "Reception", "Reception (Øster Voldgade)", "Reception (Øster Voldgade)", "Reception"),
        // Japanese, Chinese and Korean, without a display name.
        Row("太郎", "山田", nil, "山田 太郎", "山田 太郎"), Row("小明", "王", nil, "王 小明", "王 小明"),
        Row("イチロー", "スズキ", nil, "スズキ イチロー", "スズキ イチロー"),
        Row("ﾊﾅｺ", "ｶﾄｳ", nil, "ｶﾄｳ ﾊﾅｺ", "ｶﾄｳ ﾊﾅｺ"), Row("민준", "김", nil, "김 민준", "김 민준"),
        // macOS writes Hangul in its parts.
        Row("\u{1106}\u{1175}\u{11AB}", "\u{1100}\u{1175}\u{11B7}", nil, "김 민", "김 민"),
        Row("太郎", "山田", "太郎 山田", "太郎 山田", "山田 太郎"),
        // Scripts that are mixed or others.
        Row("Wei", "王", nil, "Wei 王", "王, Wei"), Row("太郎", "Smith", nil, "太郎 Smith", "Smith, 太郎"),
        Row("สมชาย", "ใจดี", nil, "สมชาย ใจดี", "ใจดี, สมชาย"),
        Row("Ｂｏｂ", "Ｓｍｉｔｈ", nil, "Ｂｏｂ Ｓｍｉｔｈ", "Ｓｍｉｔｈ, Ｂｏｂ"),
    ]

    @Test(arguments: rows)
    func `the display name comes first, and tables have the family first`(row: Row) async {
        let userd = UserdClient.mock(users: [row.user])
        func output(_ arguments: String...) async -> String {
            await userctl(arguments + ["--quiet"], userd: userd).output
        }
        #expect(await output("show", "1", "--field", "name") == row.called + "\n")
        #expect(await output("show", "1").hasPrefix(row.called + "\n"))
        #expect(await output("show", "1", "-o", "mutt").hasSuffix("\na@b\t\(row.called)\t\n"))
        let card = await output("show", "1", "-o", "vcard")
        #expect(card.contains("\r\nFN:\(row.called.replacing(",", with: "\\,"))\r\n"))
        #expect(card.contains("\r\nN:\(row.last);\(row.first);;;\r\n"))
        let table = await output("list", "--columns", "name", "--no-header")
        #expect(table.contains(row.listed + "\n"))
        // CSV keeps its columns.
        let csv = await output("list", "--columns", "name", "-o", "csv", "--no-header")
        #expect(csv == ",\(row.first.isEmpty ? "\"\"" : row.first),\(row.last)\r\n")
        #expect(cardFileName(of: row.user) == row.called.replacing("/", with: "_") + ".vcf")
    }

    @Test func `a title belongs to the name, not to the display name`() {
        var user = anna
        #expect(user.shownName == "Dr Anna Bergström" && user.name.untitled == "Anna Bergström")
        user.displayName = "Bergström Anna"
        #expect(user.shownName == "Bergström Anna")
    }
}
