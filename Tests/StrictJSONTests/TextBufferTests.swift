import StrictJSON
import Testing

@Suite("Text that is put together")
struct TextBufferTests {
    private static let texts = [
        "", "a", "1234567", "12345678", "123456789", "\"", "12345678\"", "1234567\\90", "\u{1}\n\t\u{7F}",
        "Ünïcødé, 日本語", String(repeating: "long \"quoted\" ", count: 500),
        String(repeating: "x", count: 5000),
    ]

    @Test("grows, is quoted as all JSON is, and serves for the next", arguments: [1, 16, 1024])
    func quoted(capacity: Int) {
        var buffer = TextBuffer(capacity: capacity)
        for text in Self.texts {
            buffer.removeAll()
            buffer.object { $0.member("text", text) }
            #expect(
                Array(buffer.written) == Array("{\"text\":".utf8) + StrictJSON.quoted(text) + Array("}".utf8))
            buffer.removeAll()
            buffer.append(text)
            buffer.append(UInt8(ascii: "."))
            #expect(buffer.text == text + ".")
            #expect(buffer.isASCII == text.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test("has the members of an object in the order of the calls, without those that are nil")
    func members() {
        var buffer = TextBuffer(capacity: 1)
        buffer.object { json in
            json.member("none", String?.none)
            json.object("empty") { _ in }
            json.member("whole", 7)
            json.member("half", 0.5)
            json.member("one", 1.0 as Double?)
            json.member("infinite", Double.infinity)
            json.objects("none", [Int]?.none) { $0.member("x", $1) }
            json.objects("list", [1, 2]) { $0.member("x", $1) }
            json.member("date", plainText: 2) { bytes in
                bytes[0] = UInt8(ascii: "o")
                bytes[1] = UInt8(ascii: "k")
            }
        }
        #expect(
            buffer.text == #"{"empty":{},"whole":7,"half":0.5,"one":1,"list":[{"x":1},{"x":2}],"date":"ok"}"#)
    }
}
