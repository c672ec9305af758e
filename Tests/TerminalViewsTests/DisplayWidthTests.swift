import TerminalViews
import Testing

struct DisplayWidthTests {
    @Test(
        "The width of a text is the sum of its characters' cells",
        arguments: [
            ("", 0), ("Jennie", 6), ("José", 4), ("Jose\u{301}", 4), ("Žžř", 3),
            ("王小明", 6), ("ｱｲｳ", 3), ("ＡＢ", 4), ("\u{3000}", 2), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2),
            ("\u{1112}\u{D7B5}", 2),
            ("علی", 3), ("می\u{200C}شود", 5), ("שלום", 4), ("กำ", 2), ("कि", 2), ("𠀀", 2),
            ("🙂", 2), ("👍🏽", 2), ("👩\u{200D}👩\u{200D}👧\u{200D}👦", 2), ("🇩🇪🇫🇷", 4), ("1\u{FE0F}\u{20E3}", 2),
            ("❤\u{FE0F}", 2), ("❤", 1), ("☝🏽", 2), ("⌚", 2), ("©", 1), ("©\u{FE0F}", 2), ("a\u{FE0F}", 1),
            ("1\u{301}", 1), ("1\u{200D}", 1), ("a\u{20DD}", 1), ("…", 1), ("\u{2068}a\u{2069}", 1), ("☰", 2),
        ])
    func cells(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test("The table of wide characters begins and ends where Unicode says")
    func edges() throws {
        let wide: [UInt32] = [
            0x1100, 0x115F, 0x2329, 0x303E, 0x3041, 0xA4C6, 0xFF60, 0xFFE0, 0x1B2FB, 0x33479,
        ]
        let narrow: [UInt32] = [
            0x10FF, 0x2328, 0x303F, 0x3248, 0x324F, 0xA4D0, 0xFF61, 0xFFDC, 0xFFE8, 0x1B300,
        ]
        for value in wide { #expect(try #require(Unicode.Scalar(value)).displayWidth == 2, "\(value)") }
        for value in narrow { #expect(try #require(Unicode.Scalar(value)).displayWidth == 1, "\(value)") }
    }

    @Test("Control characters and line separators have no width")
    func controls() {
        #expect("\u{1B}\n\u{9B}\u{2028}\u{2029}".displayWidth == 0)
    }
}
