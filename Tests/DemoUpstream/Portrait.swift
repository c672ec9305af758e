import CPictures
import NIOCore

/// A generated portrait: head and shoulders on a plain background.
struct Portrait {
    /// Number of portraits per gender.
    static let count = 100
    /// In pixels.
    private let side: Int
    private let isWoman: Bool
    private let number: Int

    /// Parses a path such as `/portraits/med/women/12.png`; nil for others.
    init?(path: String) {
        guard let match = path.wholeMatch(of: #//portraits(/med|/thumb)?/(women|men)/(0|[1-9][0-9]?)\.png/#),
            let number = Int(match.3)
        else { return nil }
        (isWoman, self.number) = (match.2 == "women", number)
        side = match.1 == "/med" ? 72 : match.1 == "/thumb" ? 48 : 128
    }

    func png() -> ByteBuffer {
        var random = SplitMix64(key: SplitMix64.key(isWoman ? 1 : 0, number))
        let colours = Self.colours.map { random.one(of: $0) }
        let width = random.within(190...230)
        var pixels: [UInt8] = []
        for y in 0..<side {
            for x in 0..<side {
                let part = part(1000 * x / side - 500, 1000 * y / side, faceWidth: width)
                pixels += [16, 8, 0].map { UInt8(colours[part] >> $0 & 0xFF) } + [0xFF]
            }
        }
        var image = png_image()
        (image.version, image.format) = (cpictures_png_version(), cpictures_png_rgba())
        (image.width, image.height) = (UInt32(side), UInt32(side))
        var out = ByteBuffer()
        out.writeWithUnsafeMutableBytes(minimumWritableBytes: 2 * pixels.count) { bytes in
            var size = bytes.count
            return png_image_write_to_memory(&image, bytes.baseAddress, &size, 0, pixels, 0, nil) == 0
                ? 0 : size
        }
        return out
    }

    /// Wall, clothes, skin or hair at a position in thousandths of the side, `x` from the centre and `y` from the top.
    private func part(_ x: Int, _ y: Int, faceWidth: Int) -> Int {
        func isWithin(_ centre: Int, _ width: Int, _ height: Int) -> Bool {
            let (dx, dy) = (x * 1000 / width, (y - centre) * 1000 / height)
            return dx * dx + dy * dy <= 1_000_000
        }
        if y > 340, isWithin(440, faceWidth, 260) { return 2 }
        if isWithin(isWoman ? 480 : 420, faceWidth + 50, isWoman ? 340 : 290) { return 3 }
        return isWithin(1040, 430, 330) ? 1 : 0
    }

    /// Colours of walls, clothes, skins and hair.
    private static let colours = [
        [0xDDE5EC, 0xE8DFD0, 0xD5E3D5, 0xE6D6DC, 0xCFD8E6, 0xEFE8C8],
        [0x2F4B7C, 0x7C2F3F, 0x2F7C5A, 0x5A4A8A, 0x444444, 0xB5651D],
        [0xF6D7C3, 0xE8B998, 0xC98F65, 0x9C6B43, 0x6B4429, 0xFAE3D3],
        [0x1C1410, 0x4A2F1B, 0x8A5A2B, 0xC9A24B, 0x9A9A9A, 0xA0401C],
    ]
}
