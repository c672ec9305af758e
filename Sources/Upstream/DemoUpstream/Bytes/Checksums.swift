import NIOCore

/// CRC-32 of gzip (RFC 1952, section 8) and PNG (annex D), computed incrementally.
struct CRC32 {
    private var register: UInt32 = 0xFFFF_FFFF

    var value: UInt32 { ~register }

    mutating func update(_ bytes: ByteBuffer) {
        let table = Self.table
        bytes.withUnsafeReadableBytes { raw in
            for byte in raw {
                register = table[Int((register ^ UInt32(byte)) & 0xFF)] ^ (register >> 8)
            }
        }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }
}

/// Adler-32 of zlib streams (RFC 1950, section 8).
func adler32(_ bytes: ByteBuffer) -> UInt32 {
    var a: UInt32 = 1
    var b: UInt32 = 0
    for byte in bytes.readableBytesView {
        a = (a + UInt32(byte)) % 65521
        b = (b + a) % 65521
    }
    return b << 16 | a
}
