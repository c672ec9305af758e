import ParallelRuns
import StrictJSON

/// The records of a page, while they are found.
package struct FoundRecords<Record: Sendable>: Sendable {
    package var records: [Record] = []
    package var leftOut: [String] = []

    package init() {}

    package var count: Int { records.count + leftOut.count }

    /// Reads runs of the list at the same time. Of several errors, throws that of the first record.
    /// - Parameters:
    ///   - shape: nil: records are read without it.
    ///   - read: appends the record, or what is left out.
    package mutating func take(
        _ list: JSONNode, reading shape: RecordShape? = nil,
        _ read: @escaping @Sendable (JSONRecord, inout Self) throws(FormatError) -> Void
    ) throws(FormatError) {
        let list = try list.records(reading: shape)
        let runs = inParallelRuns(of: list.count, least: 256) { run in
            Result { () throws(FormatError) in
                var found = Self()
                try list.forEach(in: run) { record throws(FormatError) in try read(record, &found) }
                return found
            }
        }
        for run in runs {
            let found = try run.get()
            records += found.records
            leftOut += found.leftOut
        }
        if let excess = list.excess { throw excess }
    }
}
