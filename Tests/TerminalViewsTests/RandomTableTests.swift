import TerminalViews
import TestSupport
import Testing

/// Tests tables of random text, some of it hostile.
struct RandomTableTests {
    private static let pieces = [
        "Jennie", " ", "Nichols, ", "José", "Дмитрий", "王小明", "ｱ", "한국", "علی ", "שָׁלוֹם", "می\u{200C}شود", "क्षि",
        "กำ",
        "👩\u{200D}👩\u{200D}👧\u{200D}👦", "🇩🇪", "🇩", "❤\u{FE0F}", "1\u{FE0F}\u{20E3}", "\u{1100}\u{1100}",
        "\u{301}", "\u{E33}",
        "\u{200D}", "\u{200B}", "\u{202E}", "\u{2066}", "\u{1B}[31m", "\u{1B}]0;x\u{7}", "\u{9B}2J", "\r",
        "\n", "\t", "\0",
        "\u{E0041}", "\u{FF9E}", "\u{D4E}", "\u{3000}",
    ]

    private func text(_ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
            guard Int.random(in: 0..<8, using: &random) == 0,
                let scalar = Unicode.Scalar(UInt32.random(in: 0...0x3FFFF, using: &random))
            else { return Self.pieces.randomElement(using: &random) ?? "" }
            return String(scalar)
        }
        .joined()
    }

    @Test(
        "The lines of a random table fit the width and are equally wide",
        arguments: 0..<UInt64(Volume.randomInputs))
    func widths(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = (0..<5).map { _ in (0..<3).map { _ in text(&random) } }
        let table = Table(records) {
            TableColumn("A", minimum: 1, priority: 1) { Text($0[0]).style(.good) }
            TableColumn("B", alignment: .trailing) { Text($0[1]) }
            TableColumn("C", minimum: 4) { Text($0[2]).style(.bad) }
            // A last column that is not blank, so that lines keep their length.
            TableColumn("|") { _ in Text("|") }
        }
        for width in [8, 12, 20, 27, 33, 40, 80, 500, nil] {
            let output = render(table, width: width, colour: false)
            let widths = output.split(separator: "\n").map(\.displayWidth)
            #expect(widths.allSatisfy { $0 <= width ?? .max })
            // 20 cells: the minimums of 1, 8, 4 and 1, and the gaps between them.
            if width ?? .max >= 20 { #expect(Set(widths).count == 1, "width \(width ?? 0)") }
        }
    }

    @Test(
        "Only newlines and our own colours control the terminal", arguments: 0..<UInt64(Volume.randomInputs))
    func controls(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let (a, b) = (text(&random), text(&random))
        let page = Page(footer: a) {
            Table([a, b]) { TableColumn("A") { Text($0).style(.good) } }
            Card(a) { Fields { Field(b, Text(a).style(.warning)) } }
            Notice(a, .bad, advice: b)
            Row {
                Text(a).style(.title).truncated(); Text(b).style(.secondary)
            }
        }
        for width in [8, 40, nil] {
            var output = Array(render(page, width: width, colour: true).unicodeScalars)
            for code in [0, 1, 2, 31, 32, 33] {
                output.replace(Array("\u{1B}[\(code)m".unicodeScalars), with: [])
            }
            for scalar in output where scalar != "\n" {
                let isIsolate = width != nil && (scalar == "\u{2068}" || scalar == "\u{2069}")
                let isJoiner = scalar == "\u{200C}" || scalar == "\u{200D}"
                let category = scalar.properties.generalCategory
                #expect(category != .control)
                #expect(category != .format || isIsolate || isJoiner, "\(scalar.value)")
            }
        }
    }
}
