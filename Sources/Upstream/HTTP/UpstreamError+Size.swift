import FoundationEssentials
import Model

extension UpstreamError {
    /// - Parameter limit: of the body, in bytes.
    package static func tooLarge(_ url: URL, _ limit: Int) -> UpstreamError {
        UpstreamError(.tooLarge, "the answer of \(url.shown) is larger than \(limit) bytes")
    }
}
