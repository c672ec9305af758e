import TerminalViews
import Testing

struct PictureTests {
    private static let red: [UInt8] = [255, 0, 0, 255]
    private static let green: [UInt8] = [0, 255, 0, 255]
    private static let blue: [UInt8] = [0, 0, 255, 255]
    private static let clear: [UInt8] = [9, 9, 9, 0]

    /// Red and green above blue and nothing.
    private let four = Bitmap(width: 2, height: 2, pixels: red + green + blue + clear)

    private func drawn(
        _ bitmap: Bitmap, _ method: PictureDrawing.Method, columns: Int = 2, rows: Int = 9,
        charset: Charset = .unicode
    ) -> String {
        let picture = Picture(
            bitmap, file: Array("file".utf8), PictureDrawing(method), columns: columns, rows: rows)
        return render(picture, width: 40, colour: true, charset: charset)
    }

    @Test("A block shows two pixels, and transparent pixels have no colour")
    func blocks() {
        #expect(
            drawn(four, .blocks(.all))
                == "\u{1B}[0;38;2;255;0;0;48;2;0;0;255m▀\u{1B}[0;38;2;0;255;0m▀\u{1B}[0m\n")
        let clear = Bitmap(width: 2, height: 2, pixels: Self.clear + Self.clear + Self.red + Self.clear)
        #expect(drawn(clear, .blocks(.all)) == "\u{1B}[0;38;2;255;0;0m▄\u{1B}[0m \u{1B}[0m\n")
    }

    @Test("Colours are repeated only if they change")
    func sameColours() {
        let bitmap = Bitmap(
            width: 3, height: 2, pixels: Array([Self.red, Self.red, Self.green].joined()) * 2)
        #expect(
            drawn(bitmap, .blocks(.all), columns: 3)
                == "\u{1B}[0;48;2;255;0;0m  \u{1B}[0;48;2;0;255;0m \u{1B}[0m\n")
    }

    @Test(
        "On a terminal with few colours, the nearest colour of the palette is used",
        arguments: [
            ([255, 0, 0], 196), ([0, 0, 0], 16), ([255, 255, 255], 231), ([128, 128, 128], 244),
            ([8, 8, 8], 232),
            ([95, 135, 175], 67), ([238, 238, 238], 255), ([250, 130, 10], 208),
        ] as [([UInt8], Int)])
    func palette(colour: [UInt8], index: Int) {
        let bitmap = Bitmap(width: 1, height: 1, pixels: colour + [255])
        #expect(drawn(bitmap, .blocks(.palette), columns: 1) == "\u{1B}[0;48;5;\(index)m \u{1B}[0m\n")
    }

    @Test("In ASCII, each cell of a picture is a blank of one colour")
    func ascii() {
        let column = Bitmap(width: 1, height: 2, pixels: Self.red + Self.red)
        #expect(
            drawn(column, .blocks(.all), columns: 2, charset: .ascii)
                == "\u{1B}[0;48;2;255;0;0m  \u{1B}[0m\n\u{1B}[0;48;2;255;0;0m  \u{1B}[0m\n")
    }

    @Test("Pixels of the same cell are mixed, weighted by alpha")
    func scaled() {
        let bitmap = Bitmap(
            width: 6, height: 1,
            pixels: Self.red + Self.red + Self.clear + Self.red + Self.blue + Self.blue)
        #expect(
            drawn(bitmap, .blocks(.all), columns: 2)
                == "\u{1B}[0;48;2;255;0;0m \u{1B}[0;48;2;85;0;170m \u{1B}[0m\n")
    }

    @Test("kitty gets the pixels in chunks of 4096 bytes, and sends no reply")
    func kitty() throws {
        #expect(
            drawn(four, .kitty)
                == "\u{1B}7\u{1B}_Ga=T,f=32,s=2,v=2,c=2,r=1,C=1,q=2,m=0;/wAA/wD/AP8AAP//CQkJAA==\u{1B}\\\u{1B}8\u{1B}[2C\n"
        )
        let large = Bitmap(width: 50, height: 50, pixels: Self.red * 2500)
        let output = drawn(large, .kitty, columns: 20)
        let pieces = output.split(separator: "\u{1B}\\").filter { $0.contains("_G") }
        #expect(pieces.map { $0.contains("m=1;") } == [true, true, true, false])
        #expect(pieces.dropFirst().allSatisfy { $0.hasPrefix("\u{1B}_Gq=2,m=") })
        let content = pieces.map { $0.split(separator: ";").last ?? "" }
        #expect(content.dropLast().allSatisfy { $0.count == 4096 })
        #expect(content.joined().count == (10_000 + 2) / 3 * 4)
    }

    @Test("iTerm2 gets the picture file unchanged")
    func iterm2() {
        #expect(
            drawn(four, .iterm2)
                == "\u{1B}7\u{1B}]1337;File=inline=1;size=4;width=2;height=1;preserveAspectRatio=0;doNotMoveCursor=1:ZmlsZQ==\u{7}\u{1B}8\u{1B}[2C\n"
        )
    }

    @Test("A picture of a graphics protocol is drawn upwards from its last line")
    func raised() {
        let output = drawn(four, .iterm2, columns: 6)
        #expect(output.hasPrefix("\n\n\u{1B}7\u{1B}[2A\u{1B}]1337;"))
        #expect(output.hasSuffix("\u{7}\u{1B}8\u{1B}[6C\n"))
    }

    @Test(
        "A picture keeps its aspect ratio",
        arguments: [
            (100, 100, 40, 20, "c=40,r=20,"), (100, 100, 40, 5, "c=10,r=5,"), (100, 50, 40, 20, "c=40,r=10,"),
            (1, 1000, 40, 5, "c=1,r=5,"), (1000, 1, 40, 5, "c=40,r=1,"),
            // The terminal has 40 columns.
            (100, 100, 90, 50, "c=40,r=20,"),
        ])
    func shape(width: Int, height: Int, columns: Int, rows: Int, expected: String) {
        let bitmap = Bitmap(width: width, height: height, pixels: Self.red * (width * height))
        #expect(drawn(bitmap, .kitty, columns: columns, rows: rows).contains(expected))
    }

    @Test("A picture's size depends on the height of the terminal's cells")
    func cell() {
        var drawing = PictureDrawing(.iterm2)
        drawing.cell = (10, 10)
        let picture = Picture(four, file: [], drawing, columns: 4, rows: 9)
        #expect(render(picture, width: 40, colour: true).contains("width=4;height=4;"))
    }

    @Test("Only visible pixels are sent")
    func sent() {
        let bitmap = Bitmap(width: 100, height: 100, pixels: Self.red * 10_000)
        #expect(drawn(bitmap, .kitty, columns: 2).contains("s=20,v=20,c=2,r=1,"))
    }

    @Test("A picture is beside the fields, or above them if there is no room for both")
    func composed() {
        let row = Row {
            Picture(four, file: [], PictureDrawing(.iterm2), columns: 4, rows: 2).atLeast(width: 4)
            Fields {
                Field("Email", "jennie@example.com")
                Field("Age", "31")
                Field("ID", "1")
            }
            .atLeast(width: 20)
        }
        let picture =
            "\u{1B}7\u{1B}[1A\u{1B}]1337;File=inline=1;size=0;width=4;height=2;preserveAspectRatio=0;doNotMoveCursor=1:\u{7}\u{1B}8\u{1B}[4C"
        #expect(
            render(row, width: 40, colour: false) == """
                      Email  jennie@example.com
                \(picture)  Age    31
                      ID     1

                """)
        #expect(
            render(row, width: 24, colour: false) == """

                \(picture)
                Email
                  jennie@example.com
                Age    31
                ID     1

                """)
    }
}

private func * (pixel: [UInt8], count: Int) -> [UInt8] {
    Array(repeatElement(pixel, count: count).joined())
}
