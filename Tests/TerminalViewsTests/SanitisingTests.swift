import Model
import TerminalViews
import Testing

struct SanitisingTests {
    @Test(
        "Characters that control a terminal or hide text are escaped",
        arguments: [
            ("\u{1B}[31mred", #"\u{1B}[31mred"#), ("\u{1B}]8;;http://x\u{7}", #"\u{1B}]8;;http://x\u{7}"#),
            ("a\nb\tc\rd\0", #"a\u{A}b\u{9}c\u{D}d\u{0}"#), ("a\r\nb", #"a\u{D}\u{A}b"#),
            ("\u{7F}\u{80}\u{85}\u{9B}2J\u{9F}", #"\u{7F}\u{80}\u{85}\u{9B}2J\u{9F}"#),
            ("\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}", #"\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}"#),
            ("\u{2066}\u{2067}\u{2068}\u{2069}", #"\u{2066}\u{2067}\u{2068}\u{2069}"#),
            ("\u{200E}\u{200F}\u{61C}", #"\u{200E}\u{200F}\u{61C}"#),
            ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
            ("\u{E0001}\u{E0041}\u{E007F}", #"\u{E0001}\u{E0041}\u{E007F}"#),
            ("\u{206A}\u{FFF9}", #"\u{206A}\u{FFF9}"#),
            ("\u{E000}\u{10FFFF}\u{FFFE}", #"\u{E000}\u{10FFFF}\u{FFFE}"#),
            ("\u{3164}\u{115F}", #"\u{3164}\u{115F}"#), ("\u{301}a", #"\u{301}a"#),
            ("\u{FE0F}", #"\u{FE0F}"#),
            ("\n\u{301}", #"\u{A}\u{301}"#),
        ])
    func escaped(raw: String, shown: String) {
        #expect(raw.sanitised == shown)
    }

    @Test(
        "Text in all scripts is kept unchanged",
        arguments: [
            "Jennie O'Nichols", "José", "Jose\u{301}", "Žofie", "Дмитрий", "王小明", "علی رضایی",
            "می\u{200C}شود",
            "שָׁלוֹם", "क्षि", "ശ്രീ", "ന്\u{200D}", "กำ", "한국", "葛\u{E0100}", "👩\u{200D}👩\u{200D}👧\u{200D}👦", "🇩🇪",
            "1\u{FE0F}\u{20E3}", "👨🏻\u{200D}❤\u{FE0F}\u{200D}💋\u{200D}👨🏿", "a\u{A0}b\u{3000}c", #"\u{1B}"#,
        ])
    func kept(text: String) {
        #expect(text.sanitised.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test("Invisible characters without a meaning are dropped")
    func dropped() {
        #expect("\u{FEFF}An\u{200B}na\u{2060}\u{AD}".sanitised == "Anna")
        #expect("\u{200D}\u{200C}a".sanitised == "a")
    }

    @Test("A letter keeps at most eight marks, even with invisible characters between them")
    func marks() {
        let eight = "a" + String(repeating: "\u{301}", count: 8)
        #expect(("a" + String(repeating: "\u{301}", count: 1000)).sanitised == eight)
        #expect(("a" + String(repeating: "\u{301}\u{200B}", count: 1000)).sanitised == eight)
        #expect((eight + "\u{302}b\u{302}").sanitised == eight + "b\u{302}")
    }

    @Test("An endless chain of joined emoji is broken up")
    func chain() {
        let chain = String(repeating: "👩\u{200D}", count: 1000).sanitised
        #expect(chain.count > 100)
        #expect(chain.allSatisfy { $0.unicodeScalars.count <= 18 })
    }

    @Test("No sanitised character controls the terminal or has an unknown width")
    func everyScalar() {
        // The other planes have only unassigned or private characters.
        let planes: [ClosedRange<UInt32>] = [0...0x33FFF, 0xE0000...0xE0FFF, 0xFFFF0...0x10000F]
        for value in planes.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let shown = "a\(scalar)".sanitised
            if shown.unicodeScalars.last != scalar { continue }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
                Issue.record("\(value)")
            case .format: #expect(value == 0x200C || value == 0x200D)
            default: break
            }
        }
    }
}
