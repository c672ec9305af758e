import Glibc

/// Names of the open objects, to find duplicates.
///
/// Names are compared when their object ends: pairwise if there are few, otherwise by sorting their hashes, which
/// takes n log n steps. `Hasher` is seeded per process, so crafted names cannot collide.
struct MemberNames {
    /// Above this number, hashing is faster than comparing.
    static let few = 32

    private struct Name {
        let range: Range<Int>
        let beginning: UInt64
        let hasEscapes: Bool
    }

    private var names: [Name] = []

    var count: Int { names.count }

    mutating func append(_ range: Range<Int>, hasEscapes: Bool, in bytes: UnsafeBufferPointer<UInt8>) {
        let beginning = bytes.beginning(of: range)
        names.append(Name(range: range, beginning: beginning, hasEscapes: hasEscapes))
    }

    /// Drops the names of the object that begins at `firstName`. Returns the range of a duplicate, if there is one.
    mutating func closeObject(firstName: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        defer { names.removeLast(names.count - firstName) }
        return names.withUnsafeBufferPointer { names in
            let own = UnsafeBufferPointer(rebasing: names[firstName...])
            return own.count > Self.few || own.contains(where: \.hasEscapes)
                ? secondOfMany(own, in: bytes) : secondOfFew(own, in: bytes)
        }
    }

    private func secondOfFew(_ own: UnsafeBufferPointer<Name>, in bytes: UnsafeBufferPointer<UInt8>) -> Range<
        Int
    >? {
        guard let start = bytes.baseAddress else { return nil }
        for last in own.indices {
            let name = own[last]
            for earlier in own[..<last]
            where earlier.beginning == name.beginning && earlier.range.count == name.range.count {
                let (a, b) = (start + name.range.lowerBound, start + earlier.range.lowerBound)
                if memcmp(a, b, name.range.count) == 0 { return name.range }
            }
        }
        return nil
    }

    private func secondOfMany(_ own: UnsafeBufferPointer<Name>, in bytes: UnsafeBufferPointer<UInt8>)
        -> Range<Int>?
    {
        var hashed = own.map { name in
            let text = bytes[name.range]
            var hasher = Hasher()
            if name.hasEscapes {
                unescape(text).withUnsafeBytes { hasher.combine(bytes: $0) }
            } else {
                hasher.combine(bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: text)))
            }
            return (hash: hasher.finalize(), range: name.range)
        }
        hashed.sort { ($0.hash, $0.range.lowerBound) < ($1.hash, $1.range.lowerBound) }
        for (name, next) in zip(hashed, hashed.dropFirst()) where name.hash == next.hash {
            if unescape(bytes[name.range]) == unescape(bytes[next.range]) { return next.range }
        }
        return nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The last eight bytes of a text that is longer; else 0.
    @inline(__always)
    func ending(of range: Range<Int>) -> UInt64 {
        guard range.count > 8 else { return 0 }
        return UnsafeRawBufferPointer(self).loadUnaligned(
            fromByteOffset: range.upperBound - 8, as: UInt64.self)
    }

    /// The first eight bytes of a text, or all of a shorter one: most names differ there.
    @inline(__always)
    func beginning(of range: Range<Int>) -> UInt64 {
        let text = UnsafeRawBufferPointer(self)
        if range.lowerBound + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self)
            return range.count >= 8 ? word : UInt64(littleEndian: word) & ((1 << (range.count * 8)) - 1)
        }
        return self[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
