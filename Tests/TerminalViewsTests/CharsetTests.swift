import TerminalViews
import Testing

struct CharsetTests {
    @Test(
        "In ASCII, signs and punctuation are replaced, and other characters are escaped",
        arguments: [
            ("Jennie", "Jennie"), ("“Björn”…", #""Bj\u{F6}rn"..."#), ("• Cats’ • a — b", "* Cats' * a - b"),
            ("王\u{A0}小", #"\u{738B} \u{5C0F}"#), ("Jose\u{301}", #"Jose\u{301}"#), ("███▌░░", "###-.."),
            ("🇩🇪", #"\u{1F1E9}\u{1F1EA}"#),
        ])
    func ascii(text: String, shown: String) {
        #expect(Charset.ascii.shown(text) == shown)
        #expect(Charset.unicode.shown(text) == text)
    }

    @Test("In ASCII, columns are as wide as their escaped text")
    func table() {
        let table = peopleTable([
            Person(name: "Ødegård, Åse", email: "a@example.no", nationality: "NO", age: 5),
            Person(name: "Ng", email: "a-long-address@example.com", nationality: "🇩🇪", age: 44),
        ])
        #expect(
            render(table, width: 84, colour: false, charset: .ascii) == #"""
                Name                         Email                       Nat                 Age
                \u{D8}deg\u{E5}rd, \u{C5}se  a@example.no                NO                    5
                Ng                           a-long-address@example.com  \u{1F1E9}\u{1F1EA}   44

                """#
        )
    }

    @Test("In ASCII, fields and cards keep their columns, and escaped texts wrap")
    func card() {
        let card = Card("Åse") {
            Fields {
                Field("Städt", "Malmö Malmö")
                Field("ID", "1")
            }
            Text("Über").truncated()
        }
        #expect(
            render(card, width: 30, colour: false, charset: .ascii) == #"""
                \u{C5}se
                  St\u{E4}dt  Malm\u{F6}
                              Malm\u{F6}
                  ID          1
                  \u{DC}ber

                """#)
    }

    @Test("In ASCII, the two parts of a progress bar differ")
    func bar() {
        let bar = ProgressBar(done: 1, total: 3)
        #expect(
            render(bar, width: 80, colour: false, charset: .ascii)
                == "====--------\n")
    }

    @Test("In ASCII, a cut text ends in as many dots as fit")
    func ellipsis() {
        func cut(to width: Int) -> String {
            render(
                Text("Nichols").truncated().frame(width: width), width: 20, colour: false, charset: .ascii)
        }
        #expect(
            (0...7).map(cut) == ["\n", ".\n", "..\n", "...\n", "N...\n", "Ni...\n", "Nic...\n", "Nichols\n"])
    }

    @Test("Escaped right-to-left text is not isolated")
    func rightToLeft() {
        let output = render(Text("علی"), width: 40, colour: true, charset: .ascii)
        #expect(output == #"\u{639}\u{644}\u{6CC}"# + "\n")
    }
}
