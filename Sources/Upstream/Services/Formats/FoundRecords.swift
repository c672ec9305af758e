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
    /// The numbers of those that are known, by where they begin in the answer.
    private var numbers: [Int: Int] = [:]

    init(_ base: SHA256?, known: KnownRecords) {
        (self.base, self.known) = (base, known)
    }

    /// For a run of the same page.
    private var empty: Self {
        var empty = Self(base, known: known)
        empty.numbers = numbers
        return empty
    }

    /// A record of which all bytes are known need not be validated again.
    mutating func isKnown(_ record: RawJSON, at start: Int) -> Bool {
        guard let base, let number = known[Self.digest(record, base)] else { return false }
        numbers[start] = number
        return true
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
        let (list, found) = (try list.records(reading: shape), self)
        let runs = inParallelRuns(of: list.count, least: 256) { run in
            Result { () throws(FormatError) in
                var found = found.empty
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
            where: { record, start in
                var number = numbers[start]
                if number == nil, let base {
                    let found = Self.digest(record, base)
                    (digest, number) = (found, known[found])
                }
                guard let number else { return true }
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
