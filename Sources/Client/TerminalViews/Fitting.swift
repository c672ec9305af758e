package let columnGap = 2

/// The widths that a column asks for, in cells.
struct FlexibleWidth {
    var natural: Int
    /// Enough for nearly all of its rows.
    var usual: Int?
    /// Needed only if `natural` is wider.
    var minimum: Int
    /// Columns of lower priority shrink first.
    var priority = 0

    var least: Int { min(natural, usual ?? natural, minimum) }
}

/// Widths that fill at most `available` cells, or nil if even the least widths don't fit.
///
/// Within a priority the widest columns shrink first, to equal widths. A column gets more than its usual width only if no
/// other column needs the room, so that one long cell does not shrink all other columns; nor more than half of the room,
/// if the usual widths don't fit.
func fitted(_ columns: [FlexibleWidth], to available: Int) -> [Int]? {
    guard columns.reduce(0, { $0 + $1.least }) <= available else { return nil }
    let usual = columns.map { min($0.natural, $0.usual ?? $0.natural) }
    let most = usual.reduce(0, +) <= available ? available : available / 2
    let modest = zip(columns, usual).map { column, usual in
        var column = column
        column.natural = max(min(usual, most), column.least)
        return column
    }
    var widths = narrowed(modest, to: available)
    var spare = available - widths.reduce(0, +)
    for index in columns.indices.sorted(by: { columns[$0].priority > columns[$1].priority }) {
        let more = min(spare, columns[index].natural - widths[index])
        widths[index] += more
        spare -= more
    }
    return widths
}

private func narrowed(_ columns: [FlexibleWidth], to available: Int) -> [Int] {
    var widths = columns.map { $0.natural }
    guard widths.reduce(0, +) > available else { return widths }
    for priority in Set(columns.map(\.priority)).sorted() {
        guard widths.reduce(0, +) > available else { break }
        let group = columns.indices.filter { columns[$0].priority == priority }
        let others = widths.indices.filter { !group.contains($0) }.reduce(0) { $0 + widths[$1] }
        func shrunk(_ index: Int, to cap: Int) -> Int { max(columns[index].least, min(widths[index], cap)) }

        // The largest cap with which all columns fit; 0 if they never do.
        var cap = min(group.map { widths[$0] }.max() ?? 0, available)
        while cap > 0, group.reduce(others, { $0 + shrunk($1, to: cap) }) > available { cap -= 1 }
        for index in group { widths[index] = shrunk(index, to: cap) }

        // The remainder after equal widths.
        var spare = available - widths.reduce(0, +)
        for index in group where spare > 0 && widths[index] == cap && columns[index].natural > cap {
            widths[index] += 1
            spare -= 1
        }
    }
    return widths
}

/// Blocks of lines side by side, each padded to its width.
func sideBySide(_ blocks: [[Line]], widths: [Int], spacing: Int) -> [Line] {
    let height = blocks.map(\.count).max() ?? 0
    return (0..<height).map { row in
        let cells = zip(blocks, widths).map { block, width in
            (row < block.count ? block[row] : Line()).padded(to: width)
        }
        return cells.joined(gap: spacing)
    }
}

extension [Line] {
    var width: Int { map(\.width).max() ?? 0 }

    func joined(gap: Int) -> Line {
        var joined = Line()
        for (index, line) in enumerated() {
            if index > 0, gap > 0 { joined.spans.append(Span(blanks: gap)) }
            joined.spans += line.spans
        }
        return joined
    }
}
