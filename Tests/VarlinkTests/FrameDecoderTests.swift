import Testing
import Varlink

@Suite struct FrameDecoderTests {
    @Test("Messages come out the same however the bytes were split")
    func splits() throws {
        let bytes = Array("a\0\0bcd\0e".utf8)
        for first in bytes.indices {
            for second in first..<bytes.count {
                var decoder = FrameDecoder(maximumLength: 3)
                var messages: [String] = []
                for part in [bytes[..<first], bytes[first..<second], bytes[second...]] {
                    decoder.append(part)
                    while let frame = try decoder.next() {
                        messages.append(String(decoding: frame, as: UTF8.self))
                    }
                }
                #expect(messages == ["a", "", "bcd"])
                #expect(decoder.count == 1)
            }
        }
    }

    @Test("A message past the limit is refused before its end has come, one at the limit is not")
    func limit() throws {
        var decoder = FrameDecoder(maximumLength: 3)
        decoder.append(Array("abc".utf8))
        #expect(try decoder.next() == nil)
        decoder.append(Array("d".utf8))
        #expect(throws: FrameDecoder.TooLong.self) { try decoder.next() }
    }

    @Test("A message past the limit is refused with its end there, too")
    func limitOfWhole() throws {
        var decoder = FrameDecoder(maximumLength: 3)
        decoder.append(Array("abc\0abcd\0".utf8))
        #expect(try decoder.next()?.count == 3)
        #expect(throws: FrameDecoder.TooLong.self) { try decoder.next() }
    }
}
