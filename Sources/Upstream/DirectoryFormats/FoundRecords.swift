/// The records of a page, while they are found.
package struct FoundRecords<Record: Sendable>: Sendable {
    package var records: [Record] = []
    package var leftOut: [String] = []

    package init() {}

    package var count: Int { records.count + leftOut.count }
}
