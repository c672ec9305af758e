import FoundationEssentials

/// Escape sequences that draw a picture. They hold only numbers, base64 and block characters, no text from outside.
struct Drawing: Sendable {
    let sequence: String
    /// In cells.
    let width: Int

    /// The drawing, begun that many lines higher; the cursor ends right of the last line.
    func raised(by lines: Int) -> Drawing {
        let up = lines > 0 ? "\u{1B}[\(lines)A" : ""
        return Drawing(sequence: "\u{1B}7\(up)\(sequence)\u{1B}8\u{1B}[\(width)C", width: width)
    }

    // MARK: Protocols

    /// Sends chunks of 4096 bytes, as the protocol requires. `q=2` suppresses replies, `C=1` fixes the cursor.
    static func kitty(_ bitmap: Bitmap, _ size: CellSize) -> Drawing {
        let content = Array(Data(bitmap.pixels).base64EncodedData())
        let keys =
            "a=T,f=32,s=\(bitmap.width),v=\(bitmap.height),c=\(size.columns),r=\(size.rows),C=1,q=2,"
        let pieces = stride(from: 0, to: content.count, by: 4096).map { start in
            let end = min(start + 4096, content.count)
            let text = String(decoding: content[start..<end], as: UTF8.self)
            return "\u{1B}_G\(start == 0 ? keys : "q=2,")m=\(end < content.count ? 1 : 0);\(text)\u{1B}\\"
        }
        return Drawing(sequence: pieces.joined(), width: size.columns)
    }

    /// Sends the file, which the terminal decodes.
    static func iterm2(_ file: [UInt8], _ size: CellSize) -> Drawing {
        let keys = "inline=1;size=\(file.count);width=\(size.columns);height=\(size.rows)"
        let exactly = "preserveAspectRatio=0;doNotMoveCursor=1"
        return Drawing(
            sequence: "\u{1B}]1337;File=\(keys);\(exactly):\(Data(file).base64EncodedString())\u{7}",
            width: size.columns)
    }

    // MARK: Blocks

    /// - Parameter perCell: 1 or 2 pixels in a cell, one above the other.
    static func blocks(
        of bitmap: Bitmap, row: Int, perCell: Int, _ depth: PictureDrawing.ColourDepth
    ) -> Drawing {
        var sequence = ""
        var last: String?
        for x in 0..<bitmap.width {
            let upper = bitmap.colour(x, row * perCell)
            let lower = perCell == 1 ? upper : bitmap.colour(x, row * perCell + 1)
            let block: (sign: String, front: Bitmap.Colour?, back: Bitmap.Colour?) =
                if upper == lower {
                    (" ", nil, upper)
                } else if upper == nil {
                    ("▄", lower, nil)
                } else {
                    ("▀", upper, lower)
                }
            // SGR's parameters, after the reset.
            let front = block.front.map { ";38;\($0.parameters(depth))" } ?? ""
            let colours = front + (block.back.map { ";48;\($0.parameters(depth))" } ?? "")
            if colours != last { sequence += "\u{1B}[0\(colours)m" }
            last = colours
            sequence += block.sign
        }
        return Drawing(sequence: sequence + "\u{1B}[0m", width: bitmap.width)
    }
}

extension Bitmap.Colour {
    /// SGR's parameters of a colour (ISO 8613-6).
    fileprivate func parameters(_ depth: PictureDrawing.ColourDepth) -> String {
        switch depth {
        case .all: "2;\(red);\(green);\(blue)"
        case .palette: "5;\(paletteIndex)"
        }
    }

    /// The nearest colour of xterm's palette: a 6 × 6 × 6 cube and 24 greys.
    private var paletteIndex: Int {
        let parts = [red, green, blue].map { Int($0) }
        let levels = parts.map { part in
            cubeLevels.indices.min { distance(part, $0) < distance(part, $1) } ?? 0
        }
        let cubeError = zip(parts, levels).reduce(0) { $0 + distance($1.0, $1.1) * distance($1.0, $1.1) }
        let grey = min(max((parts.reduce(0, +) / 3 - 3) / 10, 0), 23)
        let greyError = parts.reduce(0) { $0 + ($1 - (8 + 10 * grey)) * ($1 - (8 + 10 * grey)) }
        return greyError < cubeError ? 232 + grey : levels.reduce(0) { 6 * $0 + $1 } + 16
    }

    private func distance(_ part: Int, _ level: Int) -> Int { abs(part - cubeLevels[level]) }
}

private let cubeLevels = [0, 95, 135, 175, 215, 255]
