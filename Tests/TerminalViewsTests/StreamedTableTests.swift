import TerminalViews
import TestSupport
import Testing

@Suite("A table written row by row")
struct StreamedTableTests {
    private let headings = [
        TableHeading("Name", rank: .name), TableHeading("Age", alignment: .trailing, rank: .whole),
        TableHeading("City"),
    ]

    private func streamed(
        _ rows: [[String]], _ headings: [TableHeading]? = nil, hasHeader: Bool = true, width: Int?
    ) -> String {
        var table = StreamedTable(
            headings ?? self.headings, hasHeader: hasHeader, width: width, colour: false, charset: .unicode)
        var bytes: [UInt8] = []
        for row in rows { table.append(row, to: &bytes) }
        return String(decoding: bytes + table.end(), as: UTF8.self)
    }

    @Test("A streamed table is the same as a table drawn at once", arguments: [nil, 80, 30, 14], 0..<10)
    func same(width: Int?, seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let pieces = ["", " ", "Ada", "Jennie Nichols", "王小明", "é", "\u{1B}[31m", "\n", "علی", "a b  ", "7"]
        let rows = (0..<20).map { _ in
            (0..<3).map { _ in
                (0..<Int.random(in: 0...3, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                    .joined()
            }
        }
        let table = Table(headings, cells: rows.map { $0.map { Text($0) } })
        #expect(streamed(rows, width: width) == render(table, width: width, colour: false))
    }

    @Test("A streamed table without rows is empty")
    func empty() { #expect(streamed([], width: 80) == "") }

    @Test("An optional column that is empty in the first rows is left out")
    func optional() {
        let headings = ["A", "B", "C"].map { TableHeading($0, isOptional: $0 != "A") }
        #expect(streamed([["1", "", "3"], ["4", "", ""]], headings, width: 80) == "A  C\n1  3\n4\n")
        #expect(streamed([["", "", ""]], headings, width: nil) == "A\n\n")
        let many = Array(repeating: ["1", "2", ""], count: StreamedTable.fittedRows)
        #expect(streamed(many + [["4", "5", "6"]], headings, width: 80).hasSuffix("1  2\n4  5\n"))
        #expect(streamed(many + [["4", "5", "6"]], headings, width: 80).hasPrefix("A  B\n1  2\n"))
        // A file loses nothing.
        #expect(streamed(many + [["4", "5", "6"]], headings, width: nil).hasSuffix("1  2\n4  5  6\n"))
        #expect(streamed(many + [["4", "5", "6"]], headings, width: nil).hasPrefix("A  B  C\n1  2\n"))
        #expect(streamed(many.dropLast(), headings, width: nil).hasPrefix("A  B\n1  2\n"))
    }

    @Test("A table without header has only rows, as wide as their cells")
    func noHeader() {
        let rows = [["Ada", "7", "Ulm"], ["Eve", "8", ""]]
        #expect(streamed(rows, hasHeader: false, width: nil) == "Ada  7  Ulm\nEve  8\n")
        #expect(streamed(rows, hasHeader: false, width: 80) == "Ada  7  Ulm\nEve  8\n")
    }

    @Test("A cell that is wider than the first ten thousand is complete in a file, and cut on a terminal")
    func wider() {
        let rows =
            Array(repeating: ["Ada", "7", "Rome"], count: StreamedTable.fittedRows) + [
                ["Ada Lovelace", "8", "Ulm"]
            ]
        let file = streamed(rows, width: nil).split(separator: "\n")
        #expect(file.first == "Name  Age  City" && file[1] == "Ada     7  Rome")
        #expect(file.last == "Ada Lovelace    8  Ulm")
        #expect(streamed(rows, width: 80).split(separator: "\n").last == "Ada…    8  Ulm")
        let asked = ["Name", "Age", "City"].map { TableHeading($0, isAsked: true) }
        #expect(streamed(rows, asked, width: 80).hasSuffix("\n      8    Ulm\n  Ada Lovelace\n"))
    }
}
