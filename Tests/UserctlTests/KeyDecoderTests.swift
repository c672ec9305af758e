import TestSupport
import Testing

@testable import UserctlCommands

@Suite struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.keys(Array(text.utf8)) + decoder.pause()
    }

    @Test(
        "The sequences of each key are decoded",
        arguments: [
            ("a", [.text("a")]), ("é王👍", [.text("é"), .text("王"), .text("👍")]),
            ("\u{1B}[A\u{1B}OA", [.up, .up]), ("\u{1B}[B\u{1B}OB", [.down, .down]),
            ("\u{1B}[C\u{1B}OC", [.right, .right]), ("\u{1B}[D\u{1B}OD", [.left, .left]),
            ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
            ("\u{1B}[H\u{1B}OH\u{1B}[1~\u{1B}[7~", [.home, .home, .home, .home]),
            ("\u{1B}[F\u{1B}OF\u{1B}[4~\u{1B}[8~", [.end, .end, .end, .end]),
            ("\u{1B}OP\u{1B}[11~\u{1B}[[A", [.help, .help, .help]),
            ("\r\n", [.enter, .enter]), ("\u{7F}\u{8}", [.backspace, .backspace]),
            ("\u{17}\u{1B}\u{7F}", [.deleteWord, .deleteWord]), ("\t\u{1B}[Z", [.tab, .backTab]),
            ("\u{3}\u{15}\u{1A}", [.control("c"), .control("u"), .control("z")]),
            // With Shift, and with Ctrl.
            ("\u{1B}[1;2A\u{1B}[5;5~", [.up, .pageUp]),
        ] as [(String, [Key])])
    func known(_ text: String, _ expected: [Key]) {
        #expect(keys(text) == expected)
    }

    @Test(
        "Unknown sequences are dropped, and the next key is read",
        arguments: [
            "\u{1B}[E", "\u{1B}[3~", "\u{1B}[?1;2c", "\u{1B}[200", "\u{1B}x", "\u{1B}[[B", "\0", "\u{9B}",
            "\u{1B}[<0;10;10M", "\u{1B}[" + String(repeating: "1", count: 40),
        ])
    func unknown(_ rubbish: String) {
        var decoder = KeyDecoder()
        let keys = decoder.keys(Array(rubbish.utf8)) + decoder.pause() + decoder.keys(Array("\u{1B}[A".utf8))
        #expect(keys.last == .up)
        #expect(!keys.dropLast().contains { if case .text(let text) = $0 { text != "1" } else { true } })
    }

    @Test("An escape is the Esc key after a pause or a second escape")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1B]) == [])
        #expect(decoder.timeout == .milliseconds(50))
        #expect(decoder.pause() == [.escape])
        #expect(decoder.timeout == nil)
        #expect(decoder.keys([0x1B, 0x1B]) == [.escape])
        #expect(decoder.keys(Array("[A".utf8)) == [.up])
        #expect(decoder.keys(Array("\u{1B}[".utf8)) == [])
        #expect(decoder.pause() == [])
        #expect(decoder.keys(Array("A".utf8)) == [.text("A")])
    }

    @Test("The keys are the same, however the bytes are split")
    func splits() {
        let bytes = Array(
            "a王\u{1B}[5~é\u{1B}OA\u{1B}[200~x\ny\u{1B}[20z\u{1B}[201~b\u{1B}[[A\u{1B}\u{7F}".utf8)
        var whole = KeyDecoder()
        let expected = whole.keys(bytes)
        #expect(
            expected == [
                .text("a"), .text("王"), .pageUp, .text("é"), .up, .text("x y [20z"), .text("b"), .help,
                .deleteWord,
            ])
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var decoder = KeyDecoder()
                let parts = [bytes[..<first], bytes[first..<second], bytes[second...]]
                #expect(parts.flatMap { decoder.keys($0) } == expected, "\(first), \(second)")
            }
        }
    }

    @Test("Invalid UTF-8 is dropped, and the next key is read")
    func invalid() {
        var decoder = KeyDecoder()
        let bytes: [UInt8] = [0xC3, 0x28, 0xFF, 0x61, 0xE2, 0x82, 0x62, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0x63]
        #expect(decoder.keys(bytes) == [.text("("), .text("a"), .text("b"), .text("c")])
    }

    @Test("A paste becomes text on one line, of limited length")
    func paste() {
        #expect(
            keys("\u{1B}[200~anna\r\nberg\u{1B}[31m\u{3}\u{1B}[201~!") == [
                .text("anna  berg [31m "), .text("!"),
            ])
        #expect(keys("\u{1B}[200~\u{1B}[201~a") == [.text("a")])
        let long = keys("\u{1B}[200~" + String(repeating: "x", count: 10_000) + "\u{1B}[201~a")
        #expect(long == [.text(String(repeating: "x", count: 4096)), .text("a")])
    }

    @Test("An unfinished paste ends after a second")
    func endlessPaste() {
        for rest in ["", "\u{1B}[20"] {
            var decoder = KeyDecoder()
            #expect(decoder.keys(Array("\u{1B}[200~anna\u{3}\(rest)".utf8)) == [])
            #expect(decoder.timeout == .seconds(1))
            #expect(decoder.pause() == [.text("anna ")])
            #expect(decoder.timeout == nil)
            // A late end of the paste is ignored.
            #expect(decoder.keys(Array("\u{1B}[201~\u{3}".utf8)) == [.control("c")])
        }
    }

    @Test(
        "Random bytes yield no control characters, and the next key is read",
        arguments: 1...UInt64(Volume.randomInputs))
    func rubbish(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var decoder = KeyDecoder()
        let likely = Array("\u{1B}\u{1B}\u{1B}[[O~;019ABM\u{80}\u{9F}é王".utf8)
        for _ in 0..<50 {
            let bytes = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? likely.randomElement(using: &random) ?? 0 : .random(in: 0...255, using: &random)
            }
            for case .text(let text) in decoder.keys(bytes) {
                #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
            }
            // An incomplete character ends at the next one.
            _ = decoder.pause()
            #expect(decoder.keys([0x61, 0x0D]).suffix(1) == [.enter])
        }
    }
}
