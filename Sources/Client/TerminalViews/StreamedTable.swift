/// A table of any number of rows, written as they come. Its widths fit the first rows: a wider cell further
/// down is cut or on a line of its own on a terminal, and in a file shifts the rest of its line. Optional columns that are empty in the first
/// rows are left out, except in a file with more rows.
package struct StreamedTable {
    package static let fittedRows = 10_000

    private var headings: [TableHeading]
    private let hasHeader: Bool
    /// The columns to draw; nil for all.
    private var filled: [Int]?
    private let width: Int?
    private let colour: Bool
    private let charset: Charset
    /// The rows that the widths will fit; nil once the widths are known.
    private var first: [[String]]? = []
    /// Nil if each row is a block.
    private var layout: TableLayout?
    private var isFirstBlock = true

    /// Takes the same parameters as `rendered`.
    /// - Parameter hasHeader: false for a table without titles; in blocks, values still have labels.
    package init(
        _ headings: [TableHeading], hasHeader: Bool = true, width: Int?, colour: Bool, charset: Charset
    ) {
        (self.headings, self.hasHeader) = (headings, hasHeader)
        (self.width, self.colour, self.charset) = (width, colour, charset)
    }

    package mutating func append(_ row: [String], to bytes: inout [UInt8]) {
        guard first != nil else { return write(kept(of: row), to: &bytes) }
        first?.append(row)
        if first?.count == Self.fittedRows { bytes += fit() }
    }

    /// The remaining bytes, after the last row.
    package mutating func end() -> [UInt8] { first?.isEmpty == false ? fit() : [] }

    private func kept(of row: [String]) -> [String] { filled.map { $0.map { row[$0] } } ?? row }

    private mutating func fit() -> [UInt8] {
        var rows = first ?? []
        first = nil
        let mayFollow = width == nil && rows.count == Self.fittedRows
        let filled = mayFollow ? Array(headings.indices) : headings.filled(in: rows, \.isEmpty)
        if filled.count < headings.count {
            self.filled = filled
            headings = filled.map { headings[$0] }
            rows = rows.map(kept)
        }
        let canvas = Canvas(width: width.map { max($0, 8) }, charset: charset)
        let spans = rows.map { $0.map { Span($0).shown(in: charset) } }
        layout = TableLayout(headings, spans, hasTitles: hasHeader, canvas)
        var bytes: [UInt8] = []
        if hasHeader, let layout { bytes += rendered(Drawn { _ in layout.titles }) }
        for row in rows { write(row, to: &bytes) }
        return bytes
    }

    private mutating func write(_ row: [String], to bytes: inout [UInt8]) {
        guard let layout else {
            let block = rendered(Fields(texts(row), under: headings))
            guard !block.isEmpty else { return }
            if !isFirstBlock { bytes.append(UInt8(ascii: "\n")) }
            isFirstBlock = false
            bytes += block
            return
        }
        if !layout.append(row, to: &bytes) {
            let lines = layout.lines(texts(row).map { $0.span.shown(in: charset) })
            bytes += rendered(Drawn { _ in lines })
        }
    }

    private func texts(_ row: [String]) -> [Text] {
        zip(headings, row).map { heading, text in Text(text).link(heading.link?(text)) }
    }

    private func rendered(_ view: some View) -> [UInt8] {
        Array(render(view, width: width, colour: colour, charset: charset).utf8)
    }
}
