import NIOCore

/// A response body, generated piece by piece as the reader takes it. Confined to its event loop.
struct Body {
    /// The next piece, never empty; nil at the end.
    private(set) var next: () -> ByteBuffer?

    init(_ next: @escaping () -> ByteBuffer?) {
        self.next = next
    }

    init(_ bytes: ByteBuffer) {
        var left: ByteBuffer? = bytes.readableBytes > 0 ? bytes : nil
        self.init {
            defer { left = nil }
            return left
        }
    }

    init(_ text: String) {
        self.init(ByteBuffer(string: text))
    }

    /// Minimum size of a piece before it is sent, except for the last.
    static let pieceSize = 64 * 1024

    func pretty() -> Body {
        var formatter = PrettyJSON()
        return Body { next().map { formatter.format($0) } }
    }

    /// As gzip (RFC 1952) with stored blocks (RFC 1951, section 3.2.4): valid, but not smaller.
    func gzipped() -> Body {
        var gzip: StoredGzip? = StoredGzip()
        return Body {
            guard let piece = next() else {
                defer { gzip = nil }
                return gzip?.end()
            }
            return gzip?.block(piece)
        }
    }

    /// An endless JSON list.
    static func endless() -> Body {
        var piece = ByteBuffer(staticString: "[\n")
        return Body {
            defer {
                if piece.readableBytes == 2 {
                    piece = ByteBuffer(repeating: UInt8(ascii: " "), count: Body.pieceSize)
                }
            }
            return piece
        }
    }
}
