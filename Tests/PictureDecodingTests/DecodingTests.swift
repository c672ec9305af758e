import PictureDecoding
import TerminalViews
import TestSupport
import Testing

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
        arguments: [Sample.jpeg, Sample.progressive])
    func jpeg(sample: Sample) throws {
        let bitmap = try Bitmap(file: sample.file)
        #expect((bitmap.width, bitmap.height) == (16, 16))
        let expected: [(x: Int, y: Int, colour: [Int])] = [
            (2, 2, [255, 0, 0]), (13, 2, [0, 255, 0]), (2, 13, [0, 0, 255]), (13, 13, [255, 255, 255]),
        ]
        for (x, y, colour) in expected {
            let start = 4 * (16 * y + x)
            let pixel = bitmap.pixels[start..<start + 4].map { Int($0) }
            #expect(zip(pixel, colour + [255]).allSatisfy { abs($0 - $1) <= 4 }, "\(x), \(y): \(pixel)")
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
        // CMYK would need a colour profile.
        #expect(throws: PictureError.damaged) { try Bitmap(file: Sample.cmyk.file) }
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

    @Test("A file that ends too early is refused", arguments: [Sample.png, Sample.jpeg, Sample.progressive])
    func truncated(sample: Sample) {
        let file = sample.file
        for count in stride(from: 4, to: file.count - 12, by: 7) {
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
