/// The places and widths of a table's columns.
struct TableLayout {
    let headings: [TableHeading]
    let canvas: Canvas
    /// 0 for a column that is left out.
    private(set) var widths: [Int]
    /// The columns of each line of a row.
    private(set) var grid: [[Int]]
    /// True if a row whose cells are not wider than their columns is one line.
    private(set) var isPlain = true

    /// Left of a row's further lines.
    fileprivate static let indent = 2

    /// Nil if too little of a row fits on its first line.
    init?(_ headings: [TableHeading], _ rows: [[Span]], hasTitles: Bool = true, _ canvas: Canvas) {
        (self.headings, self.canvas, grid) = (headings, canvas, [Array(headings.indices)])
        let columns = headings.indices.map { column in
            let title = hasTitles ? Span(headings[column].title).shown(in: canvas.charset).width : 0
            return FlexibleWidth(
                headings[column], title: title, rows.map { $0[column].width }, in: canvas.width)
        }
        widths = columns.map(\.natural)
        guard let width = canvas.width else { return }
        if headings.contains(where: \.isAsked) {
            grid = Self.folded(columns, to: width)
            if grid.count > 1, grid[0].count == 1 { return nil }
        } else {
            grid = [Self.kept(headings, columns, in: width)]
            if grid[0].isEmpty { return nil }
        }
        widths = columns.map { _ in 0 }
        for (number, line) in grid.enumerated() {
            let room = width - (number > 0 ? Self.indent : 0) - columnGap * (line.count - 1)
            guard let fitted = fitted(line.map { columns[$0] }, to: room) else { return nil }
            for (column, width) in zip(line, fitted) { widths[column] = width }
        }
        isPlain =
            grid.count == 1 && headings.indices.allSatisfy { headings[$0].isCut || grid[0].contains($0) }
    }

    /// Columns line by line, each line as full as possible.
    private static func folded(_ columns: [FlexibleWidth], to width: Int) -> [[Int]] {
        var (lines, left) = ([[Int]](), 0)
        for (column, flexible) in columns.enumerated() {
            let claim = flexible.claim(in: width)
            if lines.isEmpty || claim + columnGap > left {
                left = width - (lines.isEmpty ? 0 : indent)
                lines.append([])
            } else {
                left -= columnGap
            }
            lines[lines.count - 1].append(column)
            left -= claim
        }
        return lines
    }

    /// The columns that stay, and of the others as many as fit.
    private static func kept(_ headings: [TableHeading], _ columns: [FlexibleWidth], in width: Int) -> [Int] {
        var kept = headings.indices.filter { [.name, .whole].contains(headings[$0].rank) }
        var left = width + columnGap - kept.reduce(0) { $0 + columnGap + columns[$1].claim(in: width) }
        let others = [.extra, .message].flatMap { rank in
            headings.indices.filter { headings[$0].rank == rank }
        }
        for column in others {
            left -= columnGap + columns[column].least
            guard left >= 0 else { break }
            kept.append(column)
        }
        return kept.sorted()
    }

    var titles: [Line] {
        drawn(headings.map { Span($0.title, style: .title).shown(in: canvas.charset) })
    }

    /// The lines of a row.
    func lines(_ row: [Span]) -> [Line] {
        // Nothing is cut in a file.
        guard let width = canvas.width else { return drawn(row) }
        var (cells, below) = (row, [Span]())
        for (column, heading) in headings.enumerated() {
            if heading.isCut {
                cells[column] = row[column].truncated(to: widths[column], canvas.charset)
            } else if row[column].width > widths[column] {
                below += row[column].wrapped(to: width - Self.indent)
                cells[column] = Span("")
            }
        }
        return drawn(cells, withMore: !below.isEmpty)
            + below.map { Line(spans: [Span(blanks: Self.indent), $0]) }
    }

    /// - Parameter withMore: true to leave out also a first line without text.
    private func drawn(_ cells: [Span], withMore: Bool = false) -> [Line] {
        grid.enumerated().compactMap { number, columns in
            if number > 0 || withMore, columns.allSatisfy({ cells[$0].width == 0 }) { return nil }
            let line = columns.map { column in
                Line(spans: [cells[column]]).padded(to: widths[column], headings[column].alignment)
            }.joined(gap: columnGap)
            return .blank(number > 0 ? Self.indent : 0) + line
        }
    }
}

extension TableHeading {
    fileprivate var isCut: Bool { !isAsked && [.extra, .name].contains(rank) }
}

extension FlexibleWidth {
    /// - Parameters:
    ///   - widths: of the cells.
    ///   - screen: the width of the terminal.
    fileprivate init(_ heading: TableHeading, title: Int, _ widths: [Int], in screen: Int?) {
        let widths = widths.filter { $0 > 0 }.sorted()
        /// Wide enough for so many cells of ten.
        func enough(_ tenths: Int) -> Int {
            max(title, widths.isEmpty ? 0 : widths[(widths.count * tenths + 9) / 10 - 1])
        }
        (natural, usual) = (enough(10), enough(9))
        switch heading.rank {
        case .extra: (priority, minimum) = (0, max(title, 16))
        // Fewer than four rows have no typical width.
        case .whole: (priority, minimum) = (1, enough(widths.count < 4 ? 5 : 7))
        // Room for the shortest at least.
        case .message: (priority, minimum) = (-1, max(title, widths.first ?? 0))
        // Few names are longer than 30 cells.
        case .name: (priority, minimum) = (2, max(title, 12))
        }
        if heading.rank == .name, !heading.isAsked { usual = min(natural, max(title, 30)) }
        if let screen, heading.isAsked, heading.rank != .whole {
            minimum = min(enough(9), screen - TableLayout.indent)
        }
    }

    /// The room that others leave to the column.
    fileprivate func claim(in width: Int) -> Int { max(least, min(usual ?? natural, natural, width / 2)) }
}
