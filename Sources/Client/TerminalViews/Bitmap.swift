/// A picture's pixels.
package struct Bitmap: Hashable, Sendable {
    package let width: Int
    package let height: Int
    /// Row by row; four bytes per pixel: red, green, blue, alpha (not premultiplied).
    package let pixels: [UInt8]

    /// - Parameter pixels: `4 * width * height` bytes; neither side may be 0.
    package init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(width > 0 && height > 0 && pixels.count == 4 * width * height)
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    struct Colour: Hashable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8
    }

    /// Nil if the pixel is more transparent than opaque.
    func colour(_ x: Int, _ y: Int) -> Colour? {
        let start = 4 * (y * width + x)
        guard pixels[start + 3] >= 128 else { return nil }
        return Colour(red: pixels[start], green: pixels[start + 1], blue: pixels[start + 2])
    }

    /// Each new pixel is the mean of the pixels that it covers.
    func scaled(toWidth newWidth: Int, height newHeight: Int) -> Bitmap {
        if (newWidth, newHeight) == (width, height) { return self }
        func covered(_ index: Int, _ new: Int, _ old: Int) -> Range<Int> {
            let start = index * old / new
            return start..<max(start + 1, (index + 1) * old / new)
        }
        var scaled: [UInt8] = []
        scaled.reserveCapacity(4 * newWidth * newHeight)
        for y in 0..<newHeight {
            for x in 0..<newWidth {
                scaled += mean(covered(x, newWidth, width), covered(y, newHeight, height))
            }
        }
        return Bitmap(width: newWidth, height: newHeight, pixels: scaled)
    }

    /// Colours are weighted by alpha, so that transparent pixels don't change the colour.
    private func mean(_ columns: Range<Int>, _ rows: Range<Int>) -> [UInt8] {
        var (red, green, blue, alpha) = (0, 0, 0, 0)
        for y in rows {
            for x in columns {
                let start = 4 * (y * width + x)
                let weight = Int(pixels[start + 3])
                red += Int(pixels[start]) * weight
                green += Int(pixels[start + 1]) * weight
                blue += Int(pixels[start + 2]) * weight
                alpha += weight
            }
        }
        guard alpha > 0 else { return [0, 0, 0, 0] }
        let count = columns.count * rows.count
        return [red / alpha, green / alpha, blue / alpha, alpha / count].map { UInt8($0) }
    }
}
