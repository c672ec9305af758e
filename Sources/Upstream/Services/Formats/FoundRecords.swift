import Crypto
import Model
import StrictJSON

/// The records of a page, while they are found.
package struct FoundRecords<Record: Sendable> {
    package var records: [Record] = []
    package var leftOut: [String] = []
    private(set) var digests: [Int64] = []
    private(set) var same: [SameRecord] = []
    /// What else records depend on; nil if they are all to be read, because they depend on the day.
    private let base: SHA256?
    private let known: KnownRecords

    init(_ base: SHA256?, known: KnownRecords) {
        (self.base, self.known) = (base, known)
    }

    package var count: Int { records.count + same.count + leftOut.count }

    /// - Parameter read: appends the record, or what is left out.
    package mutating func take(
        _ node: JSONNode, _ read: (JSONNode, inout Self) throws(FormatError) -> Void
    ) throws(FormatError) {
        guard var hash = base else { return try read(node, &self) }
        node.value.raw.withUnsafeBytes { hash.update(bufferPointer: $0) }
        let digest = hash.finalize().withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
        if let number = known[digest] {
            same.append(SameRecord(number: number, place: records.count))
            return
        }
        let before = records.count
        try read(node, &self)
        if records.count > before { digests.append(digest) }
    }
}
