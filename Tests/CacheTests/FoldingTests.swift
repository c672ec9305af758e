import Testing
import TextFolding

@Suite("Text without case and accents")
struct FoldingTests {
    @Test(
        "Accents go, letters stay",
        arguments: [
            ("Ådne Øst", "adne ost"), ("Straße", "strasse"), ("ŁÓDŹ", "lodz"), ("İstanbul", "istanbul"),
            ("Ющенко", "ющенко"), ("Ёлка", "елка"), ("Ελλάδα", "ελλαδα"), ("مُحَمَّد", "محمد"), ("שָׁלוֹם", "שלום"),
            ("がぎ", "がぎ"), ("한국", "한국"), ("कि", "कि"), ("\u{958}", "\u{915}\u{93C}"), ("a\u{200B}b", "ab"),
            ("", ""),
            ("Nguyễn Thị", "nguyen thi"), ("DVOŘÁK", "dvorak"), ("Þórður", "thordur"), ("Νίκος", "νικος"),
            ("เชียงใหม่", "เชียงใหม"), ("தமிழ்", "தமிழ்"), ("Հայկ", "հայկ"), ("Ⴀⴀ", "ⴀⴀ"), ("𐐀", "𐐨"),
            ("\u{1100}\u{1161}", "가"), ("\u{212B}ngström", "angstrom"),
            ("Zalgo\u{0300}\u{0301}\u{0302}", "zalgo"), ("ﬁ", "ﬁ"),
        ])
    func folds(text: String, expected: String) {
        #expect(folded(text) == expected)
    }
}
