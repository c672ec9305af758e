import Testing

@testable import CardDAV

@Suite("Conditions on cards")
struct CardFilterTests {
    private let card = Array(
        "BEGIN:VCARD\r\nFN:Ada Love\r\n lace\\, Countess\r\nEMAIL;TYPE=WORK:ada@example.com\r\nORG:A;B\r\nEND:VCARD\r\n"
            .utf8)

    private func matches(_ name: String, _ match: CardFilter.Text.Match, _ text: String, not: Bool = false)
        -> Bool
    {
        CardFilter(properties: [
            .init(name: name, texts: [.init(match: match, isNegated: not, text: text)])
        ]).matches(card)
    }

    @Test func `values are compared without folds, escapes and case`() {
        #expect(matches("FN", .equals, "ada lovelace, countess"))
        #expect(matches("FN", .contains, "lovelace"))
        #expect(matches("FN", .startsWith, "ada"))
        #expect(matches("FN", .endsWith, "countess"))
        #expect(matches("EMAIL", .contains, "@example"))
        #expect(!matches("EMAIL", .startsWith, "example"))
        #expect(!matches("FN", .contains, "ada", not: true))
        #expect(matches("TEL", .contains, "1", not: true))
    }

    @Test func `absence, presence, any and all`() {
        let (absent, present) = (
            CardFilter.Property(name: "TEL", isAbsent: true), CardFilter.Property(name: "TEL")
        )
        #expect(CardFilter(properties: [absent]).matches(card))
        #expect(!CardFilter(properties: [present]).matches(card))
        #expect(CardFilter(needsAll: false, properties: [absent, present]).matches(card))
        #expect(!CardFilter(needsAll: true, properties: [absent, present]).matches(card))
        #expect(CardFilter().matches(card))
    }
}
