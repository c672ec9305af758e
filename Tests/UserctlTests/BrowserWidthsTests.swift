import Model
import TerminalViews
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("Long values in browse")
struct BrowserWidthsTests {
    private static let address = "maximilian.von-hohenstein@berlin.example-company.com"
    private static let title = "Senior Vice President of International Regulatory Affairs and Compliance"

    private static let maximilian = User(
        id: "id-max", name: .init(first: "Maximilian", last: "von Hohenstein")
    ) {
        $0.email = address
        $0.jobTitle = title
        $0.department = "国際規制対応およびコンプライアンス統括本部第二課"
        $0.company = "Jose\u{301} y Ma\u{301}s Compan\u{303}i\u{301}a de Construccio\u{301}n"
        $0.employeeNumber = "0000-1111-2222-3333"
        $0.phone = "+49 30 1234567"
        $0.address.city = "Llanfairpwllgwyngyll"
    }

    private static func begun(
        _ columns: Int, _ rows: Int, _ users: [User] = [maximilian, anna, wei]
    ) -> Browsing {
        Browsing.begun(users, columns: columns, rows: rows)
    }

    private static let sizes = [(80, 24), (100, 30), (160, 50)]

    @Test("An address is whole in the pane beside the list, and on the whole card", arguments: sizes)
    func whole(columns: Int, rows: Int) {
        var browsing = Self.begun(columns, rows)
        for _ in 1...2 {
            let lines = browsing.lines
            // The list has the address at the left of the pane, if it has a column for it.
            let shown = lines.filter { $0.hasSuffix(Self.address) }
            #expect(shown.count == 1, "\(browsing.screen)")
            #expect(lines.allSatisfy { $0.displayWidth <= columns })
            browsing.press(.enter)
        }
    }

    @Test("All words of a long title are whole in the pane", arguments: sizes)
    func titles(columns: Int, rows: Int) {
        let words = Self.begun(columns, rows).screen.split(whereSeparator: \.isWhitespace).map(String.init)
        for word in Self.title.split(separator: " ") { #expect(words.contains(String(word))) }
        for word in ["Jose\u{301}", "Compan\u{303}i\u{301}a", "Construccio\u{301}n"] {
            #expect(words.contains(word))
        }
    }

    @Test("Wide characters are broken at the pane's end, and none is lost", arguments: sizes)
    func wide(columns: Int, rows: Int) {
        let screen = Self.begun(columns, rows).screen
        let shown = screen.filter { Self.maximilian.department?.contains($0) == true }
        #expect(shown.count >= Self.maximilian.department?.count ?? 0, "\(screen)")
    }

    @Test("A wide list shows whole names and addresses before it has further columns")
    func columns() {
        let row = Self.begun(160, 50).lines[2]
        #expect(row.hasPrefix(">  von Hohenstein, Maximilian"))
        #expect(row.contains("  \(Self.address)  "))
    }

    @Test("No cell of the list is cut while another column has more room than its cells need")
    func spare() {
        var user = Self.maximilian
        (user.jobTitle, user.department) = ("Vice President", "国際")
        let row = Self.begun(200, 50, [user]).lines[2]
        #expect(!row.contains("…"), "\(row)")
    }

    @Test("The columns keep their places when the search changes")
    func steady() {
        var browsing = Self.begun(160, 50)
        let headings = browsing.lines[1].prefix(90)
        browsing.type("ber")
        browsing.answer()
        #expect(browsing.place == "1 of 1")
        #expect(browsing.lines[1].prefix(90) == headings)
    }

    @Test("An address that is wider than the screen is broken after a sign")
    func wider() {
        let browsing = Self.begun(40, 40)
        #expect(browsing.screen.contains("maximilian.von-hohenstein@\n"), "\(browsing.screen)")
        #expect(browsing.screen.contains("berlin.example-company.com\n"))
    }
}
