import SQLite

/// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/): detects changes; not for security.
struct FNV {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    static func stored(_ content: [UInt8]) -> Value {
        var digest = FNV()
        digest.add(content)
        return withUnsafeBytes(of: digest.value.bigEndian) { Array($0) }.value
    }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// - Parameter part: an end is added, so that `ab` and `c` differ from `a` and `bc`.
    mutating func add(part: String?) {
        guard let part else { return add([1, 0]) }
        add(part.utf8)
        add([0])
    }
}
