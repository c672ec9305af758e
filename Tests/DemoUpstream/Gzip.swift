import CZlib
import NIOCore

/// Compresses pieces with gzip (RFC 1952); each result can be inflated when it has arrived.
func gzipped(_ pieces: [ByteBuffer], ends: Bool = true) -> [ByteBuffer] {
    var stream = z_stream()
    // 15 bits of window; 16 more for gzip.
    guard czlib_begin(&stream, 15 + 16) == Z_OK else { preconditionFailure("zlib has no memory") }
    defer { deflateEnd(&stream) }
    return pieces.enumerated().map { index, piece in
        var (input, output) = (piece, ByteBuffer())
        let isLast = ends && index == pieces.count - 1
        input.withUnsafeMutableReadableBytes { input in
            stream.next_in = input.bindMemory(to: UInt8.self).baseAddress
            stream.avail_in = UInt32(input.count)
            let size = Int(deflateBound(&stream, UInt(input.count))) + 64
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { output in
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(output.count)
                deflate(&stream, isLast ? Z_FINISH : Z_FULL_FLUSH)
                return output.count - Int(stream.avail_out)
            }
        }
        return output
    }
}

extension Body {
    /// An endless gzip stream of spaces, which inflates several hundredfold.
    static let gzipBomb = {
        let spaces = ByteBuffer(repeating: UInt8(ascii: " "), count: 1 << 20)
        // After a full flush, the same input gives the same output.
        let pieces = gzipped([spaces, spaces], ends: false)
        return endless(pieces[0], then: pieces[1])
    }()
}
