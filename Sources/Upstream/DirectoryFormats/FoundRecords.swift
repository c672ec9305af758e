/// The records of a page that have been read so far.
package struct FoundRecords<Record: Sendable>: Sendable {
    package var records: [Record] = []
    package var leftOut: [String] = []

    package init() {}

    package var count: Int { records.count + leftOut.count }
}
