import Model
import TerminalViews
import Testing

@Suite("Texts that are links (OSC 8)")
struct LinkTests {
    private let start = "\u{1B}]8;;mailto:anna@example.com\u{1B}\\"
    private let end = "\u{1B}]8;;\u{1B}\\"
    private var text: Text { Text("anna@example.com").link(anna) }
    private let anna: ActionAddress

    init() throws { anna = try #require(ActionAddress.mail(to: "anna@example.com")) }

    private func withoutLinks(_ text: String) -> String {
        text.replacing(/\u{1B}\]8;;[^\u{1B}]*\u{1B}\\/, with: "")
    }

    @Test("The link is around the text and its colour, and has no width")
    func around() {
        let lines = rendered(text, width: 80, colour: false)
        #expect(lines.map(\.text) == [start + "anna@example.com" + end] && lines.map(\.width) == [16])
        let coloured = render(text.style(.good), width: 80, colour: true)
        #expect(coloured == start + "\u{1B}[32manna@example.com\u{1B}[0m" + end + "\n")
        #expect(render(Text("x").link(nil), width: 80, colour: true) == "x\n")
    }

    @Test("A cut or wrapped text stays a link")
    func fitted() {
        #expect(render(text.truncated(), width: 8, colour: false) == start + "anna@ex…" + end + "\n")
        let wrapped = rendered(text, width: 8, colour: false).map(\.text)
        #expect(wrapped.count > 1)
        #expect(wrapped.allSatisfy { $0.hasPrefix(start) && $0.hasSuffix(end) })
        #expect(wrapped.map(withoutLinks).joined() == "anna@example.com")
    }

    @Test(
        "A table with links is the same table, with each whole or cut address a link",
        arguments: [100, 40, 24, 12])
    func table(width: Int) {
        func streamed(_ link: TableHeading.Link?) -> String {
            let headings = [
                TableHeading("Name", rank: .name), TableHeading("Email", rank: .whole, link: link),
            ]
            var table = StreamedTable(headings, width: width, colour: false, charset: .unicode)
            var bytes: [UInt8] = []
            for row in [["Anna", "anna@example.com"], ["王", "no address"], ["Bea", ""]] {
                table.append(row, to: &bytes)
            }
            return String(decoding: bytes + table.end(), as: UTF8.self)
        }
        let linked = streamed { ActionAddress.mail(to: $0) }
        #expect(withoutLinks(linked) == streamed(nil))
        #expect(linked.contains(start) && !linked.contains("mailto:no"))
    }
}
