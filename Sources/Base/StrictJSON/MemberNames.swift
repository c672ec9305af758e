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
        let hasEscapes: Bool
    }

    private var names: [Name] = []

    var count: Int { names.count }

    mutating func append(_ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress, !range.isEmpty else {
            return names.append(Name(range: range, hasEscapes: false))
        }
        let backslash = memchr(start + range.lowerBound, Int32(UInt8(ascii: "\\")), range.count)
        names.append(Name(range: range, hasEscapes: backslash != nil))
    }

    /// Drops the names of the object that begins at `firstName`. Returns the range of a duplicate, if there is one.
    mutating func closeObject(firstName: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        defer { names.removeSubrange(firstName...) }
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
            let range = own[last].range
            for earlier in own[..<last] where earlier.range.count == range.count {
                let (a, b) = (start + range.lowerBound, start + earlier.range.lowerBound)
                if memcmp(a, b, range.count) == 0 { return range }
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
