import Crypto
import Model
import ParallelRuns
import StrictJSON

/// The records of a page, while they are found.
package struct FoundRecords<Record: Sendable>: Sendable {
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

    /// Reads runs of the list at the same time. Of several errors, throws that of the first record.
    /// - Parameters:
    ///   - shape: nil: records are read without it.
    ///   - read: appends the record, or what is left out.
    package mutating func take(
        _ list: JSONNode, reading shape: RecordShape? = nil,
        _ read: @escaping @Sendable (JSONRecord, inout Self) throws(FormatError) -> Void
    ) throws(FormatError) {
        let (list, base, known) = (try list.records(reading: shape), base, known)
        let runs = inParallelRuns(of: list.count, least: 256) { run in
            Result { () throws(FormatError) in
                var found = Self(base, known: known)
                try found.take(list, run, read)
                return found
            }
        }
        for run in runs { append(try run.get()) }
        if let excess = list.excess { throw excess }
    }

    private mutating func take(
        _ list: JSONRecords, _ run: Range<Int>,
        _ read: (JSONRecord, inout Self) throws(FormatError) -> Void
    ) throws(FormatError) {
        var digest: Int64?
        try list.forEach(
            in: run,
            where: { record in
                guard let base else { return true }
                let found = Self.digest(record, base)
                digest = found
                guard let number = known[found] else { return true }
                same.append(SameRecord(number: number, place: records.count))
                return false
            }
        ) { record throws(FormatError) in
            let before = records.count
            try read(record, &self)
            if let digest, records.count > before { digests.append(digest) }
        }
    }

    private static func digest(_ record: RawJSON, _ base: SHA256) -> Int64 {
        var hash = base
        hash.update(bufferPointer: UnsafeRawBufferPointer(record.bytes))
        return hash.finalize().withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
    }

    private mutating func append(_ run: Self) {
        for var same in run.same {
            same.place += records.count
            self.same.append(same)
        }
        records += run.records
        leftOut += run.leftOut
        digests += run.digests
    }
}
