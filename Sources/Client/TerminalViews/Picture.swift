package struct PictureDrawing: Sendable {
    package enum Method: Hashable, Sendable {
        /// kitty's graphics protocol (https://sw.kovidgoyal.net/kitty/graphics-protocol).
        case kitty
        /// iTerm2's inline images (https://iterm2.com/documentation-images.html).
        case iterm2
        /// Two pixels in a cell, one above the other; one in ASCII.
        case blocks(ColourDepth)
    }

    package enum ColourDepth: Hashable, Sendable { case all, palette }

    package var method: Method
    /// A cell's size in pixels.
    package var cell = (width: 10, height: 20)

    package init(_ method: Method) { self.method = method }
}

/// A picture, as large as fits.
package struct Picture: View {
    private let bitmap: Bitmap
    private let file: [UInt8]
    private let drawing: PictureDrawing
    private let columns: Int
    private var rows: Int

    /// - Parameters:
    ///   - file: the file that the bitmap was decoded from.
    ///   - columns: the maximum width, in cells.
    ///   - rows: the maximum height, in cells; smaller than the terminal.
    package init(_ bitmap: Bitmap, file: [UInt8], _ drawing: PictureDrawing, columns: Int, rows: Int) {
        (self.bitmap, self.file, self.drawing) = (bitmap, file, drawing)
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
    }

    func limited(toRows most: Int) -> Picture {
        var copy = self
        copy.rows = min(rows, most)
        return copy
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

    /// The largest size with the picture's aspect ratio; at least one cell.
    private func cells(columns: Int) -> CellSize {
        let (cell, columns) = (drawing.cell, max(columns, 1))
        let rows = rounded(columns * cell.width * bitmap.height, by: bitmap.width * cell.height)
        if rows <= self.rows { return CellSize(columns: columns, rows: max(rows, 1)) }
        let fewer = rounded(self.rows * cell.height * bitmap.width, by: bitmap.height * cell.width)
        return CellSize(columns: min(max(fewer, 1), columns), rows: self.rows)
    }

    /// The bitmap, scaled down to the pixels that are visible.
    private func sent(_ size: CellSize) -> Bitmap {
        bitmap.scaled(
            toWidth: min(bitmap.width, size.columns * drawing.cell.width),
            height: min(bitmap.height, size.rows * drawing.cell.height))
    }

    /// Draws the image upwards from the last line: by then the terminal has scrolled to make room.
    private func placed(_ image: Drawing, _ size: CellSize) -> [Line] {
        let blank = [Line](repeating: .blank(size.columns), count: size.rows - 1)
        return blank + [Line(spans: [Span(image.raised(by: size.rows - 1))])]
    }
}

struct CellSize {
    var columns: Int
    var rows: Int
}

private func rounded(_ number: Int, by divisor: Int) -> Int { (number + divisor / 2) / divisor }
