import TestSupport
import Testing

@testable import Cache

@Suite("Text without case and accents")
struct FoldingTests {
    @Test(
        "Folding removes accents and keeps letters",
        arguments: [
            ("Ådne Øst", "adne ost"), ("Straße", "strasse"), ("ŁÓDŹ", "lodz"), ("İstanbul", "istanbul"),
            ("Ющенко", "ющенко"), ("Ёлка", "елка"), ("Ελλάδα", "ελλαδα"), ("مُحَمَّد", "محمد"), ("שָׁלוֹם", "שלום"),
            ("がぎ", "がぎ"), ("한국", "한국"), ("कि", "कि"), ("\u{958}", "\u{915}\u{93C}"), ("a\u{200B}b", "ab"),
            ("", ""),
            ("Nguyễn Thị", "nguyen thi"), ("DVOŘÁK", "dvorak"), ("Þórður", "thordur"), ("Νίκος", "νικοσ"),
            ("เชียงใหม่", "เชียงใหม"), ("தமிழ்", "தமிழ்"), ("Հայկ", "հայկ"), ("Ⴀⴀ", "ⴀⴀ"), ("𐐀", "𐐨"),
            ("\u{1100}\u{1161}", "가"), ("\u{212B}ngström", "angstrom"),
            ("Zalgo\u{0300}\u{0301}\u{0302}", "zalgo"), ("ﬁ", "fi"),
            ("ＩＴ１", "it1"), ("ｽｽﾞｷ", "スズキ"), ("ΝΙΚΟΣ", "νικοσ"), ("کریمی", "كريمي"), ("مـحـمـد", "محمد"),
            ("فاطمة", "فاطمه"), ("ﻣﺤﻤﺪ", "محمد"), ("①", "1"), ("Ĳsbrand", "ijsbrand"), ("山田　太郎", "山田 太郎"),
        ])
    func folds(text: String, expected: String) {
        #expect(folded(text) == expected)
    }

    @Test("The table folds a text like the rule, whichever letters are neighbours")
    func table() throws {
        let marks: [Unicode.Scalar] = ["\u{301}", "\u{327}", "\u{338}", "\u{64E}", "\u{5B0}", "가", "क"]
        let letters = (1..<tableEnd).compactMap(Unicode.Scalar.init)
        var generator = SeededRandom(seed: 1)
        var (byTable, byRule) = (0, 0)
        for _ in 0..<20_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let isMark = Int.random(in: 0..<20, using: &generator) == 0
                text.append((isMark ? marks : letters).randomElement(using: &generator)!)
            }
            guard let folded = foldedByLetters(String(text)) else {
                byRule += 1
                continue
            }
            byTable += 1
            try #require(Array(folded.utf8) == Array(foldedByRule(String(text)).utf8), "\(text.map(\.value))")
        }
        #expect(byTable > 5000 && byRule > 2000)
    }
}
