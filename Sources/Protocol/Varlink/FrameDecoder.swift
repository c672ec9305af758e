/// Cuts a stream of bytes into messages, each of which ends with a NUL (varlink.org, "Protocol").
package struct FrameDecoder {
    /// A message went past the limit. The stream cannot be read any further.
    package struct TooLong: Error, Hashable, Sendable {
        package let limit: Int
    }

    /// In bytes: what held one long message is not held for ever.
    private static let keptCapacity = 65_536

    /// In bytes, without the NUL.
    package let maximumLength: Int
    private var buffer: [UInt8] = []
    /// What lies before has been handed out.
    private var start = 0
    /// No NUL lies between `start` and here.
    private var searched = 0

    package init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    /// Bytes received that were not handed out yet.
    package var count: Int { buffer.count - start }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole message without its NUL; nil where more bytes have to come first.
    package mutating func next() throws(TooLong) -> ArraySlice<UInt8>? {
        let end = buffer[searched...].firstIndex(of: 0)
        searched = end ?? buffer.endIndex
        guard searched - start <= maximumLength else { throw TooLong(limit: maximumLength) }
        guard let end else {
            if count == 0, buffer.capacity > Self.keptCapacity { buffer = []; (start, searched) = (0, 0) }
            return nil
        }
        defer {
            start = end + 1
            searched = start
        }
        return buffer[start..<end]
    }

    package mutating func removeAll() {
        self = FrameDecoder(maximumLength: maximumLength)
    }
}
