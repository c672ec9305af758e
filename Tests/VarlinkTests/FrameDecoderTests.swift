import Testing
import Varlink

@Suite struct FrameDecoderTests {
    @Test("Messages are the same however the bytes are split")
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

    @Test("A message over the limit is refused before its end arrives; one at the limit is not")
    func limit() throws {
        var decoder = FrameDecoder(maximumLength: 3)
        decoder.append(Array("abc".utf8))
        #expect(try decoder.next() == nil)
        decoder.append(Array("d".utf8))
        #expect(throws: FrameDecoder.TooLong.self) { try decoder.next() }
    }

    @Test("A complete message over the limit is refused, too")
    func limitOfWhole() throws {
        var decoder = FrameDecoder(maximumLength: 3)
        decoder.append(Array("abc\0abcd\0".utf8))
        #expect(try decoder.next()?.count == 3)
        #expect(throws: FrameDecoder.TooLong.self) { try decoder.next() }
    }

    @Test("A long message's memory is released, and the bytes after it are kept")
    func release() throws {
        var decoder = FrameDecoder(maximumLength: 1_000_000)
        decoder.append([UInt8](repeating: 0x20, count: 1_000_000) + Array("\0ab\0c".utf8))
        #expect(try decoder.next()?.count == 1_000_000)
        #expect(decoder.capacity < 1000)
        #expect(try decoder.next() == ArraySlice("ab".utf8))
        #expect(try decoder.next() == nil)
        #expect(decoder.count == 1)
    }
}
