import FoundationEssentials
import Model
import StrictJSON

/// A question to ask an upstream before its first page, whose answer says how its pages are to be asked for. Without an
/// answer that can be read, they are asked for as they would be without the question.
package struct FormatProbe<Record: Sendable>: Sendable {
    package typealias Listing = (format: UpstreamFormat<Record>, settings: UpstreamSettings)

    package var url: URL
    /// What of the answer is read.
    package var reader: RecordReader
    /// Nil: as without the question.
    package var adapt: @Sendable (JSONRecord) -> Listing?

    package init(
        url: URL, reader: RecordReader, adapt: @escaping @Sendable (JSONRecord) -> Listing?
    ) {
        self.url = url
        self.reader = reader
        self.adapt = adapt
    }
}
