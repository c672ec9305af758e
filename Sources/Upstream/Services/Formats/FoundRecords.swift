import StrictJSON

/// The records of a page, while they are found.
package struct FoundRecords<Record: Sendable>: Sendable {
    package var records: [Record] = []
    package var leftOut: [String] = []

    package init() {}

    package var count: Int { records.count + leftOut.count }

    /// - Parameters:
    ///   - shape: nil: records are read without it.
    ///   - read: appends the record, or what is left out.
    package mutating func take(
        _ list: JSONNode, reading shape: RecordShape? = nil,
        _ read: (JSONRecord, inout Self) throws(FormatError) -> Void
    ) throws(FormatError) {
        let list = try list.records(reading: shape)
        try list.forEach(in: 0..<list.count) { record throws(FormatError) in try read(record, &self) }
        if let excess = list.excess { throw excess }
    }
}
