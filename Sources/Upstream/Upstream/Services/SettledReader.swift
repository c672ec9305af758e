import Model
import StrictJSON
import Synchronization

/// The reader of a list, which a server's statement of what it can do settles once. If its request fails
/// other than by 404, the next sync repeats it.
final class SettledReader: Sendable {
    private typealias Pages = PageReader<UpstreamUserReader>
    private typealias Settled = (isSettled: Bool, other: Pages?)

    private let usual: Pages
    private let probe: ServiceProviderConfig?
    private let settled: Mutex<Settled>

    init(_ usual: PageReader<UpstreamUserReader>, _ probe: ServiceProviderConfig?) {
        (self.usual, self.probe) = (usual, probe)
        settled = Mutex((probe == nil, nil))
    }

    var isSettled: Bool { settled.withLock { $0.isSettled } }

    /// The reader to use instead of the usual one; nil for that.
    func other(_ page: PageRequest, from upstream: Upstream) async throws -> PageReader<UpstreamUserReader>? {
        let known = settled.withLock { $0 }
        // All pages of one list are requested in the same way.
        guard let probe, !known.isSettled, page.number == 1 else { return known.other }
        do {
            let found = try await upstream.fetch(
                probe.url, reading: probe.reader, isList: false, complaint: { _ in nil }
            ) { answer throws(FormatError) in probe.adapted(usual, by: answer) }
            settled.withLock { $0 = (true, found) }
            return found
        } catch let error as UpstreamError {
            // Other failures may be temporary.
            if error.failure.httpStatus == 404 { settled.withLock { $0 = (true, nil) } }
            return nil
        }
    }
}
