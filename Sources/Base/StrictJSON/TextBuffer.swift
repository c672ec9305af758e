/// Text that is put together, in memory that serves for one text after the other: for very many.
package struct TextBuffer: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    package private(set) var count = 0

    package init(capacity: Int = 1024) {
        bytes = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { bytes.deallocate() }

    package mutating func removeAll() { count = 0 }

    package var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }

    package var text: String { String(decoding: written, as: UTF8.self) }

    package var isASCII: Bool {
        var rest = UnsafeRawBufferPointer(written)
        while rest.count >= 8 {
            if rest.loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[8...])
        }
        return rest.allSatisfy { $0 < 0x80 }
    }

    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        bytes[count] = byte
        count += 1
    }

    package mutating func append(_ text: String) {
        text.withBytes { append($0) }
    }

    package mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        guard let start = text.baseAddress else { return }
        reserve(text.count)
        (bytes + count).update(from: start, count: text.count)
        count += text.count
    }

    /// - Parameter write: writes that many bytes.
    package mutating func append(count added: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Void) {
        reserve(added)
        write(bytes + count)
        count += added
    }

    @inline(__always)
    private mutating func reserve(_ added: Int) {
        if capacity - count < added { grow(added) }
    }

    @inline(never)
    private mutating func grow(_ added: Int) {
        capacity = max(2 * capacity, count + added)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: bytes, count: count)
        bytes.deallocate()
        bytes = larger
    }

    /// As a JSON string with quotes.
    mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) {
        reserve(text.count + 2)
        bytes[count] = UInt8(ascii: "\"")
        count += 1
        // Copies while it looks: most texts have nothing to escape.
        var at = copyPlainText(text, from: 0)
        while at < text.count {
            var escape: [UInt8] = []
            StrictJSON.appendEscape(of: text[at], to: &escape)
            escape.withUnsafeBufferPointer { append($0) }
            reserve(text.count - at)
            at = copyPlainText(text, from: at + 1)
        }
        append(UInt8(ascii: "\""))
    }

    /// - Returns: where the copy ends, at what is to be escaped or at the end.
    @inline(__always)
    private mutating func copyPlainText(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let end = endOfPlainText(text, from: start)
        guard let source = text.baseAddress else { return end }
        (bytes + count).update(from: source + start, count: end - start)
        count += end - start
        return end
    }
}

extension String {
    /// Calls the body with its UTF-8.
    @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var text = self
        return text.withUTF8(body)
    }
}
