import Glibc

/// Names of the open objects, to find duplicates.
///
/// Names are compared when their object ends: pairwise if there are few, otherwise by their hashes. `Hasher` is seeded per
/// process, so crafted names cannot collide.
struct MemberNames {
    /// Above this number, hashing is faster than comparing.
    static let few = 32

    private var names: [(range: Range<Int>, hasEscapes: Bool)] = []

    var count: Int { names.count }

    mutating func append(_ range: Range<Int>, hasEscapes: Bool) { names.append((range, hasEscapes)) }

    /// Drops the names of the object that begins at `firstName`. Returns the range of a duplicate, if there is one.
    mutating func closeObject(firstName: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        defer { names.removeLast(names.count - firstName) }
        let own = names[firstName...]
        guard own.count > Self.few || own.contains(where: \.hasEscapes) else {
            return secondOfFew(own, in: bytes)
        }
        var seen: Set<[UInt8]> = []
        return own.first { !seen.insert(unescape(bytes[$0.range])).inserted }?.range
    }

    private func secondOfFew(
        _ own: ArraySlice<(range: Range<Int>, hasEscapes: Bool)>, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Range<Int>? {
        guard let start = bytes.baseAddress else { return nil }
        for last in own.indices {
            let name = own[last].range
            for earlier in own[..<last] where earlier.range.count == name.count {
                if memcmp(start + name.lowerBound, start + earlier.range.lowerBound, name.count) == 0 {
                    return name
                }
            }
        }
        return nil
    }
}
