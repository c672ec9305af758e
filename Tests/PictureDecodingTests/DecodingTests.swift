import TerminalViews
import TestSupport
import Testing

@testable import UserctlCommands

struct DecodingTests {
    @Test("A PNG file is decoded to the exact pixels, including transparent ones")
    func png() throws {
        let bitmap = try Bitmap(file: Sample.png.file)
        #expect((bitmap.width, bitmap.height) == (2, 2))
        #expect(bitmap.pixels == [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 128])
    }

    @Test("Other kinds of PNG are also decoded to red, green, blue and alpha")
    func otherPNG() throws {
        let bitmap = try Bitmap(file: Sample.grey16.file)
        #expect((bitmap.width, bitmap.height) == (2, 1))
        #expect(bitmap.pixels == [0, 0, 0, 255, 255, 255, 255, 255])
    }

    @Test(
        "A JPEG file is decoded to nearly the original pixels",
        arguments: [Sample.jpeg, Sample.progressive, Sample.cmyk])
    func jpeg(sample: Sample) throws {
        let bitmap = try Bitmap(file: sample.file)
        #expect((bitmap.width, bitmap.height) == (16, 16))
        #expect(corners(bitmap) == "RGBW")
    }

    /// The colours of the four quarters, from left to right and down: nearly red, green, blue, white, or ?.
    private func corners(_ bitmap: Bitmap) -> String {
        let colours = ["R": [255, 0, 0], "G": [0, 255, 0], "B": [0, 0, 255], "W": [255, 255, 255]]
        return [(2, 2), (13, 2), (2, 13), (13, 13)].map { x, y in
            let start = 4 * (bitmap.width * y + x)
            let pixel = bitmap.pixels[start..<start + 4].map { Int($0) }
            return colours.first { zip(pixel, $0.value + [255]).allSatisfy { abs($0 - $1) <= 4 } }?.key ?? "?"
        }.joined()
    }

    /// The file with EXIF data in front: CIPA DC-008, section 4.5.
    private func file(_ sample: Sample, orientation: UInt8, isLittleEndian: Bool = true) -> [UInt8] {
        func number(_ value: UInt8, _ count: Int) -> [UInt8] {
            let zeros = [UInt8](repeating: 0, count: count - 1)
            return isLittleEndian ? [value] + zeros : zeros + [value]
        }
        let mark: [UInt8] = isLittleEndian ? Array("II".utf8) : Array("MM".utf8)
        let tag: [UInt8] = isLittleEndian ? [0x12, 0x01] : [0x01, 0x12]
        let other: [UInt8] = isLittleEndian ? [0x0F, 0x01] : [0x01, 0x0F]
        let entries =
            other + number(3, 2) + number(1, 4) + number(8, 2) + [0, 0]
            + tag + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0]
        let tiff = mark + number(42, 2) + number(8, 4) + number(2, 2) + entries + [0, 0, 0, 0]
        let content = Array("Exif\0\0".utf8) + tiff
        return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(content.count + 2)] + content + sample.file.dropFirst(2)
    }

    @Test(
        "A photo is drawn as its EXIF data says that it was held",
        arguments: [
            (0, "RGBW"), (1, "RGBW"), (2, "GRWB"), (3, "WBGR"), (4, "BWRG"), (5, "RBGW"), (6, "BRWG"),
            (7, "WGBR"), (8, "GWRB"), (9, "RGBW"), (255, "RGBW"),
        ] as [(UInt8, String)])
    func orientations(orientation: UInt8, expected: String) throws {
        for sample in [Sample.jpeg, .progressive, .cmyk] {
            for isLittleEndian in [true, false] {
                let photo = file(sample, orientation: orientation, isLittleEndian: isLittleEndian)
                let turned = try upright(photo)
                #expect(corners(try Bitmap(file: turned)) == expected, "\(sample.testDescription)")
                // It is not turned again by a terminal that knows EXIF, and another file stays as it is.
                #expect(try upright(turned) == turned)
                #expect((turned == photo) == (expected == "RGBW"))
            }
        }
        #expect(try upright(Sample.png.file) == Sample.png.file)
    }

    @Test("EXIF data that ends anywhere turns nothing, and a turned bomb is refused")
    func damagedEXIF() throws {
        let photo = file(.jpeg, orientation: 6)
        for end in 6..<60 {
            let cut = Array(photo[..<end])
            #expect((try? upright(cut)) ?? cut == cut)
        }
        var bomb = photo
        let header = try #require(bomb.indices.first { bomb[$0...].starts(with: [0xFF, 0xC0]) })
        bomb.replaceSubrange(header + 5..<header + 9, with: [0xEA, 0x60, 0xEA, 0x60])
        #expect(throws: PictureError.tooLarge(width: 60_000, height: 60_000)) { try upright(bomb) }
    }

    @Test("A JPEG that only causes warnings is drawn, turned or not")
    func warnings() throws {
        for sample in [Sample.jpeg, .progressive] {
            let file = sample.file
            let end = file.count - 2
            let unknownVersion = Array(file[..<11]) + [9] + file[12...]
            // The last: cut as a download is.
            for odd in [unknownVersion, file[..<end] + [0, 0, 0] + file[end...], Array(file[..<end])] {
                #expect(corners(try Bitmap(file: odd)) == "RGBW")
                let photo = self.file(Sample("odd", odd), orientation: 6)
                #expect(corners(try Bitmap(file: upright(photo))) == "BRWG")
            }
        }
    }

    @Test("An error after a warning is still an error")
    func errorAfterWarning() throws {
        let file = Sample.jpeg.file
        var odd = Array(file[..<11]) + [9] + file[12...]
        let scan = try #require(odd.indices.first { odd[$0...].starts(with: [0xFF, 0xDA]) })
        // Huffman tables that the file does not have.
        odd[scan + 6] = 0x33
        #expect(throws: PictureError.damaged) { try Bitmap(file: odd) }
        // A future version of JFIF, which is a warning, and two components, which are no colour space.
        let future: [UInt8] = [
            0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0, 0xFF, 0xC0,
            0,
            14, 8, 0, 8, 0, 8, 2, 1, 0x11, 0, 2, 0x11, 0, 0xFF, 0xDA, 0, 10, 2, 1, 0, 2, 0, 0, 63, 0, 0, 0,
            0xFF, 0xD9,
        ]
        #expect(throws: PictureError.damaged) { try Bitmap(file: future) }
    }

    @Test("A JPEG of a thousand scans is refused, also after a warning")
    func scans() throws {
        let file = Sample.progressive.file
        let starts = file.indices.filter { file[$0...].starts(with: [0xFF, 0xDA]) }
        let last = try #require(starts.last)
        let scans = Array(repeating: file[last..<file.count - 2], count: 1000).joined()
        let many = file[..<(file.count - 2)] + scans + [0xFF, 0xD9]
        for odd in [many, many[..<11] + [9] + many[12...]] {
            #expect(throws: PictureError.damaged) { try Bitmap(file: Array(odd)) }
        }
    }

    @Test("A grey JPEG file is decoded to equal red, green and blue")
    func grey() throws {
        let pixels = try Bitmap(file: Sample.greyJPEG.file).pixels
        let isGrey = stride(from: 0, to: pixels.count, by: 4).allSatisfy { start in
            Set(pixels[start..<start + 3]).count == 1 && pixels[start + 3] == 255
        }
        #expect(isGrey)
        #expect(Set(pixels).count > 3)
    }

    @Test("Files of other formats and damaged files have different errors")
    func others() {
        for file in ["", "GIF89a", "RIFF....WEBP", "\u{7F}ELF"] {
            #expect(throws: PictureError.otherFormat) { try Bitmap(file: Array(file.utf8)) }
        }
    }

    @Test("A picture with too many pixels is refused before it is decoded")
    func bombs() throws {
        let tooLarge = PictureError.tooLarge(width: 60_000, height: 60_000)
        #expect(throws: tooLarge) { try Bitmap(file: Sample.bomb.file) }
        var jpeg = Sample.jpeg.file
        let header = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0]) })
        jpeg.replaceSubrange(header + 5..<header + 9, with: [0xEA, 0x60, 0xEA, 0x60])
        #expect(throws: tooLarge) { try Bitmap(file: jpeg) }
    }

    @Test(
        "A file that ends before its picture is refused",
        arguments: [Sample.png, Sample.jpeg, Sample.progressive])
    func truncated(sample: Sample) {
        let file = sample.file
        let picture = file.indices.first { file[$0...].starts(with: [0xFF, 0xDA]) } ?? file.count - 12
        for count in stride(from: 4, to: picture, by: 7) {
            #expect(throws: PictureError.damaged) { try Bitmap(file: Array(file[..<count])) }
        }
    }

    @Test(
        "A damaged file is decoded to a picture or refused, and does nothing else",
        arguments: [Sample.png, Sample.grey16, Sample.jpeg, Sample.progressive, Sample.bomb])
    func damaged(sample: Sample) {
        for seed in 0..<400 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var file = sample.file
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                file[Int.random(in: 4..<file.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let bitmap = try? Bitmap(file: file) else { continue }
            #expect(bitmap.width * bitmap.height <= Bitmap.maximumPixels)
        }
    }
}
