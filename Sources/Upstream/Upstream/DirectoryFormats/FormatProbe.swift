import FoundationEssentials
import Model
import StrictJSON

/// A request to make before the first page, whose answer says how to request pages. If the answer can't be
/// read, pages are requested in the usual way.
package struct FormatProbe<Record: Sendable>: Sendable {
    package typealias Listing = (format: UpstreamFormat<Record>, settings: UpstreamSettings)

    package var url: URL
    /// Reads the answer.
    package var reader: RecordReader
    /// Returns nil for the usual way.
    package var adapt: @Sendable (JSONRecord) -> Listing?
}
