import NIOCore

/// A generated portrait: head and shoulders on a plain background.
struct Portrait {
    /// The cases are the members of a user's `picture`.
    enum Size: String, CaseIterable {
        case large, medium, thumbnail

        var folder: String {
            switch self {
            case .large: "/portraits/"
            case .medium: "/portraits/med/"
            case .thumbnail: "/portraits/thumb/"
            }
        }

        /// In pixels.
        var side: Int {
            switch self {
            case .large: 128
            case .medium: 72
            case .thumbnail: 48
            }
        }
    }

    /// Number of portraits per gender.
    static let count = 100

    let size: Size
    let isWoman: Bool
    let number: Int

    /// Parses a path such as `/portraits/med/women/12.png`; nil for others.
    init?(path: String) {
        guard let size = Size.allCases.last(where: { path.hasPrefix($0.folder) }) else { return nil }
        let rest = path.dropFirst(size.folder.count).split(separator: "/", omittingEmptySubsequences: false)
        guard rest.count == 2, rest[0] == "men" || rest[0] == "women", rest[1].hasSuffix(".png"),
            let number = Int(rest[1].dropLast(4)), (0..<Self.count).contains(number),
            rest[1] == "\(number).png"
        else { return nil }
        self.size = size
        self.isWoman = rest[0] == "women"
        self.number = number
    }

    func png() -> ByteBuffer {
        var random = SplitMix64(key: SplitMix64.key(isWoman ? 1 : 0, number))
        let palette = [
            random.one(of: Self.walls), random.one(of: Self.clothes), random.one(of: Self.skins),
            random.one(of: Self.hair),
        ]
        let width = random.within(190...230)
        let fringe = random.within(300...380)
        return PNG(side: size.side, palette: palette) { x, y in
            colour(1000 * x / size.side - 500, 1000 * y / size.side, faceWidth: width, fringe: fringe)
        }.encoded()
    }

    /// Palette index at a position in thousandths of the side, `x` from the centre and `y` from the top.
    private func colour(_ x: Int, _ y: Int, faceWidth: Int, fringe: Int) -> UInt8 {
        func isWithin(_ centre: Int, _ width: Int, _ height: Int) -> Bool {
            let dx = x * 1000 / width
            let dy = (y - centre) * 1000 / height
            return dx * dx + dy * dy <= 1_000_000
        }
        if y > fringe, isWithin(440, faceWidth, 260) { return 2 }
        if y < (isWoman ? 760 : 420), isWithin(isWoman ? 480 : 420, faceWidth + 50, isWoman ? 340 : 290) {
            return 3
        }
        if abs(x) < 85, (600..<760).contains(y) { return 2 }
        if isWithin(1040, 430, 330) { return 1 }
        return 0
    }

    private static let walls: [UInt32] = [0xDDE5EC, 0xE8DFD0, 0xD5E3D5, 0xE6D6DC, 0xCFD8E6, 0xEFE8C8]
    private static let clothes: [UInt32] = [0x2F4B7C, 0x7C2F3F, 0x2F7C5A, 0x5A4A8A, 0x444444, 0xB5651D]
    private static let skins: [UInt32] = [0xF6D7C3, 0xE8B998, 0xC98F65, 0x9C6B43, 0x6B4429, 0xFAE3D3]
    private static let hair: [UInt32] = [0x1C1410, 0x4A2F1B, 0x8A5A2B, 0xC9A24B, 0x9A9A9A, 0xA0401C]
}
