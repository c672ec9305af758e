import NIOCore

/// The body of a response, made piece by piece as the reader takes it; stays on the event loop that made it.
struct Body {
    /// The next piece, or nil at the end; never an empty one.
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

    /// How large a piece becomes before it is sent.
    static let pieceSize = 64 * 1024

    func pretty() -> Body {
        var formatter = PrettyJSON()
        return Body { next().map { formatter.format($0) } }
    }

    /// In the gzip format (RFC 1952) of stored blocks (RFC 1951 section 3.2.4): valid, though no smaller.
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

    /// A JSON list that never ends.
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
