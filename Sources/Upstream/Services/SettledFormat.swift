import DirectoryFormats
import Model
import StrictJSON
import Synchronization

/// A format that is settled by the answer to its probe, once: an upstream that neither answered it nor said that there is no
/// answer is asked again with the next sync.
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
        // The pages of one list are asked for in one way.
        guard page.number == 1 else { return usual }
        do {
            let found = try await upstream.fetch(probe.url, reading: probe.reader, complaint: { _ in nil }) {
                answer throws(FormatError) in probe.adapt(probe.reader.read(answer))
            }
            settled.withLock { $0 = found ?? usual }
            return found ?? usual
        } catch let error as UpstreamError {
            // Any other may pass.
            if error.failure.httpStatus == 404 { settled.withLock { $0 = usual } }
            return usual
        }
    }
}
