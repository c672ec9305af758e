import NIOCore

/// A PNG (RFC 2083) with a palette of four colours, two bits per pixel, uncompressed.
struct PNG {
    let side: Int
    /// Four colours, `0xRRGGBB`.
    let palette: [UInt32]
    /// Palette index of a pixel, 0 to 3.
    let colour: (_ x: Int, _ y: Int) -> UInt8

    func encoded() -> ByteBuffer {
        var header = ByteBuffer()
        header.writeInteger(UInt32(side))
        header.writeInteger(UInt32(side))
        // Two bits, palette, deflate, standard filters, not interlaced.
        header.writeBytes([2, 3, 0, 0, 0])
        var colours = ByteBuffer()
        for entry in palette {
            colours.writeBytes([UInt8(entry >> 16 & 0xFF), UInt8(entry >> 8 & 0xFF), UInt8(entry & 0xFF)])
        }
        var out = ByteBuffer(bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        writeChunk("IHDR", header, to: &out)
        writeChunk("PLTE", colours, to: &out)
        writeChunk("IDAT", compressed(rows()), to: &out)
        writeChunk("IEND", ByteBuffer(), to: &out)
        return out
    }

    /// Each row begins with filter type 0; the leftmost pixel is in the highest bits.
    private func rows() -> ByteBuffer {
        var out = ByteBuffer()
        for y in 0..<side {
            out.writeInteger(UInt8(0))
            for x in stride(from: 0, to: side, by: 4) {
                out.writeInteger((0..<4).reduce(UInt8(0)) { $0 << 2 | colour(x + $1, y) })
            }
        }
        return out
    }

    /// A zlib stream (RFC 1950) of one stored block: 128 rows of 33 bytes fit.
    private func compressed(_ bytes: ByteBuffer) -> ByteBuffer {
        var out = ByteBuffer(bytes: [0x78, 0x01])
        writeStored(bytes, isLast: true, to: &out)
        out.writeInteger(adler32(bytes))
        return out
    }

    private func writeChunk(_ type: String, _ data: ByteBuffer, to out: inout ByteBuffer) {
        out.writeInteger(UInt32(data.readableBytes))
        var checked = ByteBuffer(string: type)
        checked.writeImmutableBuffer(data)
        var checksum = CRC32()
        checksum.update(checked)
        out.writeBuffer(&checked)
        out.writeInteger(checksum.value)
    }
}
