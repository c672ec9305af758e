import TerminalViews
import Testing

struct WordingTests {
    @Test("A time in the future or a few seconds ago is just now")
    func now() {
        for duration in [Duration.seconds(-90), .zero, .milliseconds(4999)] {
            #expect(ago(duration) == "just now")
        }
        #expect(until(.seconds(-1)) == "now" && until(.zero) == "now")
        #expect(ago(.seconds(5)) == "5 s ago" && until(.seconds(42)) == "in 42 s")
    }

    @Test(
        "A duration is rounded to the nearest unit, and below ten hours or ten days it has two units",
        arguments: [
            (0.001, "1 s"), (59.4, "59 s"), (59.999, "1 min"), (89, "1 min"), (900, "15 min"),
            (3569, "59 min"),
            (3599, "1 h"), (3900, "1 h 5 min"), (7200, "2 h"), (21_598, "6 h"), (35_969, "9 h 59 min"),
            (35_971, "10 h"), (170_900, "47 h"), (172_799, "2 days"), (194_400, "2 days 6 h"),
            (863_999, "10 days"), (86_400_000, "1,000 days"), (1e15, "11,574,074,074 days"),
        ] as [(Double, String)])
    func inWords(seconds: Double, text: String) {
        #expect(TerminalViews.inWords(.seconds(seconds)) == text)
    }

    @Test(
        "A number has commas between thousands",
        arguments: [
            (0, "0"), (999, "999"), (1000, "1,000"), (100_000, "100,000"), (-1234, "-1,234"), (-123, "-123"),
            (Int.min, "-9,223,372,036,854,775,808"),
        ])
    func thousands(number: Int, text: String) {
        #expect(grouped(number) == text)
    }

    @Test("A counted noun is singular for one, and plural for other numbers")
    func things() {
        #expect(
            [0, 1, 2, 1000].map { counted($0, "user") } == ["0 users", "1 user", "2 users", "1,000 users"])
    }
}
