import NIOCore

/// The gzip format with stored blocks.
struct StoredGzip {
    private var isBegun = false
    private var checksum = CRC32()
    private var size: UInt32 = 0

    /// No flags, no time, unknown system.
    static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    mutating func block(_ bytes: ByteBuffer) -> ByteBuffer {
        var out = ByteBuffer()
        begin(&out)
        checksum.update(bytes)
        size &+= UInt32(truncatingIfNeeded: bytes.readableBytes)
        var left = bytes
        while left.readableBytes > 0 {
            let count = min(left.readableBytes, 0xFFFF)
            writeStored(left.readSlice(length: count) ?? ByteBuffer(), isLast: false, to: &out)
        }
        return out
    }

    mutating func end() -> ByteBuffer {
        var out = ByteBuffer()
        begin(&out)
        writeStored(ByteBuffer(), isLast: true, to: &out)
        out.writeInteger(checksum.value, endianness: .little)
        out.writeInteger(size, endianness: .little)
        return out
    }

    private mutating func begin(_ out: inout ByteBuffer) {
        if !isBegun { out.writeBytes(Self.header) }
        isBegun = true
    }
}

/// A stored block of at most 65,535 bytes.
func writeStored(_ bytes: ByteBuffer, isLast: Bool, to out: inout ByteBuffer) {
    let count = UInt16(bytes.readableBytes)
    out.writeInteger(UInt8(isLast ? 1 : 0))
    out.writeInteger(count, endianness: .little)
    out.writeInteger(~count, endianness: .little)
    out.writeImmutableBuffer(bytes)
}

/// An endless gzip stream of spaces; each byte inflates to about 160.
struct GzipBomb {
    private var isBegun = false

    mutating func next() -> ByteBuffer {
        var out = ByteBuffer()
        if !isBegun {
            isBegun = true
            out.writeBytes(StoredGzip.header)
            var blank = ByteBuffer()
            blank.writeInteger(UInt8(ascii: " "))
            writeStored(blank, isLast: false, to: &out)
            out.writeBytes(Self.opening)
        }
        for _ in 0..<Self.repeats {
            out.writeBytes(Self.cycle)
        }
        return out
    }

    private static let repeats = 1024

    /// A block with fixed Huffman codes (RFC 1951, section 3.2.6): three bits and one match fill two bytes; eight
    /// more matches fill thirteen bytes, which can be repeated forever.
    private static let (opening, cycle) = {
        // Code 285 for length 258 is 11000101; code 0 for distance 1 is 00000.
        let match: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
        let head: [UInt8] = [0, 1, 0] + match
        return (packed(head), packed(Array(repeating: match, count: 8).flatMap { $0 }))
    }()

    /// Packs bits in stream order, the lowest bit of each byte first.
    private static func packed(_ bits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<min(start + 8, bits.count)].reversed().reduce(0) { $0 << 1 | $1 }
        }
    }
}
