import Model
import StrictJSON
import Synchronization

/// A format that the answer to its probe settles once. If the probe fails other than by 404, the next sync
/// repeats it.
final class SettledFormat<Record: Sendable>: Sendable {
    private typealias Settled = (isSettled: Bool, other: FormatProbe<Record>.Listing?)

    private let probe: FormatProbe<Record>?
    private let settled: Mutex<Settled>

    init(_ probe: FormatProbe<Record>?) {
        self.probe = probe
        settled = Mutex((probe == nil, nil))
    }

    var isSettled: Bool { settled.withLock { $0.isSettled } }

    /// The listing to use instead of the usual one; nil for that.
    func other(_ page: PageRequest, from upstream: Upstream) async throws -> FormatProbe<Record>.Listing? {
        let known = settled.withLock { $0 }
        // All pages of one list are requested in the same way.
        guard let probe, !known.isSettled, page.number == 1 else { return known.other }
        do {
            let found = try await upstream.fetch(
                probe.url, reading: probe.reader, isList: false, complaint: { _ in nil }
            ) {
                answer throws(FormatError) in probe.adapt(probe.reader.read(answer))
            }
            settled.withLock { $0 = (true, found) }
            return found
        } catch let error as UpstreamError {
            // Other failures may be temporary.
            if error.failure.httpStatus == 404 { settled.withLock { $0 = (true, nil) } }
            return nil
        }
    }
}
