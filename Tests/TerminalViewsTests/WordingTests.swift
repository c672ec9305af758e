import TerminalViews
import Testing

struct WordingTests {
    @Test(
        "An age has its largest unit, rounded down",
        arguments: [
            (Duration.seconds(-90), "just now"), (.zero, "just now"), (.milliseconds(4999), "just now"),
            (.seconds(5), "5 s ago"), (.milliseconds(59_999), "59 s ago"), (.seconds(60), "1 min ago"),
            (.seconds(3599), "59 min ago"), (.seconds(3600), "1 h ago"), (.seconds(172_799), "47 h ago"),
            (.seconds(172_800), "2 days ago"), (.seconds(86_400_000), "1,000 days ago"),
        ])
    func age(duration: Duration, text: String) {
        #expect(ago(duration) == text)
    }

    @Test(
        "A future time has its largest unit, rounded up",
        arguments: [
            (Duration.seconds(-1), "now"), (.zero, "now"), (.milliseconds(1), "in 1 s"),
            (.seconds(42), "in 42 s"),
            (.milliseconds(41_001), "in 42 s"), (.seconds(900), "in 15 min"), (.seconds(841), "in 15 min"),
            (.seconds(7200), "in 2 h"), (.seconds(21_599), "in 6 h"), (.seconds(172_800), "in 2 days"),
        ])
    func remaining(duration: Duration, text: String) {
        #expect(until(duration) == text)
    }

    @Test(
        "Thousands are separated by commas",
        arguments: [
            (0, "0"), (999, "999"), (1000, "1,000"), (100_000, "100,000"), (-1234, "-1,234"), (-123, "-123"),
            (Int.min, "-9,223,372,036,854,775,808"),
        ])
    func thousands(number: Int, text: String) {
        #expect(grouped(number) == text)
    }

    @Test("One thing is singular, any other number plural")
    func things() {
        #expect(
            [0, 1, 2, 1000].map { counted($0, "user") } == ["0 users", "1 user", "2 users", "1,000 users"])
    }
}
