import Glibc

/// Splits a byte stream into messages that end with a NUL (varlink.org, "Protocol").
package struct FrameDecoder {
    /// A message exceeds the limit. The rest of the stream can't be read.
    package struct TooLong: Error, Hashable, Sendable {
        package let limit: Int
    }

    /// In bytes. A larger message's buffer is released with it.
    private static let keptCapacity = 65_536

    /// In bytes, without the NUL.
    package let maximumLength: Int
    private var buffer: [UInt8] = []
    /// Bytes before this index were returned.
    private var start = 0
    /// There is no NUL between `start` and this index.
    private var searched = 0

    package init(maximumLength: Int) { self.maximumLength = maximumLength }

    package var count: Int { buffer.count - start }
    /// Bytes of memory.
    package var capacity: Int { buffer.capacity }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next complete message without its NUL; nil if more bytes are needed.
    package mutating func next() throws(TooLong) -> ArraySlice<UInt8>? {
        let end = buffer.firstNUL(from: searched)
        searched = end ?? buffer.endIndex
        guard searched - start <= maximumLength else { throw TooLong(limit: maximumLength) }
        guard let end else {
            if count == 0, buffer.capacity > Self.keptCapacity {
                buffer = []; (start, searched) = (0, 0)
            }
            return nil
        }
        let frame = buffer[start..<end]
        (start, searched) = (end + 1, end + 1)
        if frame.count > Self.keptCapacity {
            buffer = Array(buffer[start...])
            (start, searched) = (0, 0)
        }
        return frame
    }

    package mutating func removeAll() {
        self = FrameDecoder(maximumLength: maximumLength)
    }
}

extension [UInt8] {
    /// Uses memchr(3), which looks at many bytes at a time.
    fileprivate func firstNUL(from start: Int) -> Int? {
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, 0, bytes.count - start)
            else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }
}
