/// How a terminal is given a picture.
package struct PictureDrawing: Hashable, Sendable {
    package enum Method: Hashable, Sendable {
        /// kitty's graphics protocol (https://sw.kovidgoyal.net/kitty/graphics-protocol).
        case kitty
        /// iTerm2's inline images (https://iterm2.com/documentation-images.html).
        case iterm2
        /// Two pixels in a cell, one above the other; in ASCII one.
        case blocks(ColourDepth)
    }

    package enum ColourDepth: Hashable, Sendable { case all, palette }

    package var method: Method
    /// Of a cell, in pixels.
    package var cell: (width: Int, height: Int) {
        get { (cellWidth, cellHeight) }
        set { (cellWidth, cellHeight) = newValue }
    }
    private var cellWidth = 10
    private var cellHeight = 20

    package init(_ method: Method) { self.method = method }
}

/// A picture, as large as its place lets it be.
package struct Picture: View {
    private let bitmap: Bitmap
    private let file: [UInt8]
    private let drawing: PictureDrawing
    private let columns: Int
    private let rows: Int

    /// - Parameters:
    ///   - file: what the bitmap was decoded from.
    ///   - columns: how wide it may be, in cells.
    ///   - rows: how high it may be. A terminal must be higher than that.
    package init(_ bitmap: Bitmap, file: [UInt8], _ drawing: PictureDrawing, columns: Int, rows: Int) {
        self.bitmap = bitmap
        self.file = file
        self.drawing = drawing
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
    }

    package func lines(on canvas: Canvas) -> [Line] {
        let size = cells(columns: min(columns, canvas.width ?? columns))
        switch drawing.method {
        case .kitty: return placed(Drawing.kitty(sent(size), size), size)
        case .iterm2: return placed(Drawing.iterm2(file, size), size)
        case .blocks(let depth):
            let perCell = canvas.charset == .unicode ? 2 : 1
            let bitmap = bitmap.scaled(toWidth: size.columns, height: size.rows * perCell)
            return (0..<size.rows).map { row in
                Line(spans: [Span(Drawing.blocks(of: bitmap, row: row, perCell: perCell, depth))])
            }
        }
    }

    /// As many as fit in its shape, one at least.
    private func cells(columns: Int) -> CellSize {
        let (cell, columns) = (drawing.cell, max(columns, 1))
        let rows = rounded(columns * cell.width * bitmap.height, by: bitmap.width * cell.height)
        if rows <= self.rows { return CellSize(columns: columns, rows: max(rows, 1)) }
        let fewer = rounded(self.rows * cell.height * bitmap.width, by: bitmap.height * cell.width)
        return CellSize(columns: min(max(fewer, 1), columns), rows: self.rows)
    }

    /// No more pixels than are seen.
    private func sent(_ size: CellSize) -> Bitmap {
        bitmap.scaled(
            toWidth: min(bitmap.width, size.columns * drawing.cell.width),
            height: min(bitmap.height, size.rows * drawing.cell.height))
    }

    /// Drawn from the last of its lines upwards: by then the terminal has made room for all of them.
    private func placed(_ image: Drawing, _ size: CellSize) -> [Line] {
        let blank = [Line](repeating: .blank(size.columns), count: size.rows - 1)
        return blank + [Line(spans: [Span(image.raised(by: size.rows - 1))])]
    }
}

struct CellSize: Hashable {
    var columns: Int
    var rows: Int
}

private func rounded(_ number: Int, by divisor: Int) -> Int { (number + divisor / 2) / divisor }
