import Model
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
        "The rows of a random table fit the width and are equally wide",
        arguments: 0..<UInt64(Volume.randomInputs))
    func widths(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = (0..<5).map { _ in (0..<3).map { _ in text(&random) } }
        let table = Table(records) {
            TableColumn("A", rank: .name) { Text($0[0]).style(.good) }
            TableColumn("B", alignment: .trailing, rank: .whole) { Text($0[1]) }
            TableColumn("C") { Text($0[2]).style(.bad) }
            // A last column that is not blank, so that lines keep their length.
            TableColumn("|", rank: .whole) { _ in Text("|") }
        }
        for width in [8, 12, 20, 27, 33, 40, 80, 500, nil] {
            let lines = render(table, width: width, colour: false).split(separator: "\n")
            #expect(lines.allSatisfy { $0.displayWidth <= width ?? .max })
            let rows = lines.filter { $0.hasSuffix("|") }
            #expect(rows.count >= 5 && Set(rows.map(\.displayWidth)).count == 1, "width \(width ?? 0)")
        }
    }

    @Test(
        "No text of columns that were asked for is lost at any width",
        arguments: 0..<UInt64(Volume.randomInputs))
    func nothingLost(seed: UInt64) {
        func compact(_ text: String) -> [Unicode.Scalar] {
            text.unicodeScalars.filter {
                !$0.properties.isWhitespace && ![0x2068, 0x2069].contains($0.value)
            }
        }
        var random = SeededRandom(seed: seed)
        let rows = (0..<5).map { _ in (0..<3).map { _ in text(&random) } }
        let headings = ["A", "B", "C"].map { TableHeading($0, isAsked: true) }
        let table = Table(headings, cells: rows.map { $0.map { Text($0) } })
        for width in [8, 12, 20, 27, 40, 80, 500, nil] {
            let shown = compact(render(table, width: width, colour: false))
            for cell in rows.joined() {
                #expect(shown.contains(compact(cell.sanitised)), "\(cell) at \(width ?? 0)")
            }
        }
    }

    @Test(
        "Only newlines and our own colours control the terminal", arguments: 0..<UInt64(Volume.randomInputs))
    func controls(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let (a, b) = (text(&random), text(&random))
        let page = Column(spacing: 1) {
            Table([a, b]) { TableColumn("A") { Text($0).style(.good) } }
            Card(a) { Fields { Field(b, Text(a).style(.warning)) } }
            Text(a).style(.bad)
            Text(b)
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
