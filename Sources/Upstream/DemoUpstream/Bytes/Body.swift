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

    /// A JSON list with its envelope.
    ///
    /// - Parameters:
    ///   - cutOff: comes in the middle of the list, in place of all that follows.
    ///   - element: the element at a position; nil past the end.
    static func list(
        _ opening: String, _ positions: Range<Int>, ending: String, cutOff: String? = nil,
        element: @escaping (Int) -> String?
    ) -> Body {
        var left = cutOff == nil ? positions : positions.prefix(positions.count / 2)
        var opening: String? = opening
        var separator = ""
        var isEnded = false
        return Body {
            guard !isEnded else { return nil }
            var out = ""
            out.reserveCapacity(pieceSize + 4096)
            out += opening ?? ""
            opening = nil
            while out.utf8.count < pieceSize, !isEnded {
                guard let text = left.popFirst().flatMap(element) else {
                    out += cutOff ?? ending
                    isEnded = true
                    break
                }
                out.add(separator, text)
                separator = ","
            }
            return ByteBuffer(string: out)
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
