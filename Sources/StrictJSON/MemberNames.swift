/// The names of the objects that are open, kept to find one that occurs twice.
///
/// Names are compared once, when their object ends, by sorting their hashes: this takes n log n steps and no allocation
/// of its own, and since `Hasher` is seeded anew in each process, nobody can prepare names that collide.
struct MemberNames {
    private struct Name {
        let hash: Int
        let range: Range<Int>
    }

    private var names: [Name] = []

    var count: Int { names.count }

    mutating func append(_ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) {
        let name = UnsafeBufferPointer(rebasing: bytes[range])
        var hasher = Hasher()
        if name.contains(UInt8(ascii: "\\")) {
            unescape(name).withUnsafeBytes { hasher.combine(bytes: $0) }
        } else {
            hasher.combine(bytes: UnsafeRawBufferPointer(name))
        }
        names.append(Name(hash: hasher.finalize(), range: range))
    }

    /// Forgets the object whose names begin at `firstName`, and returns the range of the second of two equal names.
    mutating func closeObject(firstName: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        defer { names.removeSubrange(firstName...) }
        return names.withUnsafeMutableBufferPointer { all in
            var own = UnsafeMutableBufferPointer(rebasing: all[firstName...])
            own.sort { ($0.hash, $0.range.lowerBound) < ($1.hash, $1.range.lowerBound) }
            for (name, next) in zip(own, own.dropFirst()) where name.hash == next.hash {
                if unescape(bytes[name.range]) == unescape(bytes[next.range]) { return next.range }
            }
            return nil
        }
    }
}
