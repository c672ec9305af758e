import DirectoryFormats
import Model
import StrictJSON
import Synchronization

/// A format that the answer to its probe settles once. If the probe fails other than by 404, the next sync
/// repeats it.
final class SettledFormat<Record: Sendable>: Sendable {
    private let usual: FormatProbe<Record>.Listing
    private let probe: FormatProbe<Record>?
    private let settled = Mutex<FormatProbe<Record>.Listing?>(nil)

    init(_ usual: FormatProbe<Record>.Listing, _ probe: FormatProbe<Record>?) {
        self.usual = usual
        self.probe = probe
    }

    func listing(_ page: PageRequest, from upstream: Upstream) async throws -> FormatProbe<Record>.Listing {
        guard let probe else { return usual }
        if let settled = settled.withLock({ $0 }) { return settled }
        // All pages of one list are requested in the same way.
        guard page.number == 1 else { return usual }
        do {
            let found = try await upstream.fetch(probe.url, reading: probe.reader, complaint: { _ in nil }) {
                answer throws(FormatError) in probe.adapt(probe.reader.read(answer))
            }
            settled.withLock { $0 = found ?? usual }
            return found ?? usual
        } catch let error as UpstreamError {
            // Other failures may be temporary.
            if error.failure.httpStatus == 404 { settled.withLock { $0 = usual } }
            return usual
        }
    }
}
