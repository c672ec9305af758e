import Model
import Services

/// Fetches page after page, and stages each before the next is asked for.
/// - Parameters:
///   - enough: records after which no further page is asked for.
///   - maximumPages: an upstream whose pages never end is left here.
///   - stage: returns how many of a page's records were staged before.
package func stagePages<Record: Sendable>(
    fetch: @Sendable (PageRequest) async throws -> Page<Record>, enough: Int = .max,
    maximumPages: Int = 100_000,
    stage: @Sendable ([Record]) async throws -> Int, report: @Sendable (Progress) -> Void
) async throws -> StagedPages {
    var staged = StagedPages()
    var next: PageRequest? = .first
    while let request = next {
        let page = try await fetch(request)
        try Task.checkCancellation()
        staged.duplicates += try await stage(page.records)
        staged.pages += 1
        staged.records += page.records.count
        report(Progress(done: staged.records, total: page.total))
        next = staged.records < enough ? page.next : nil
        guard staged.pages < maximumPages || next == nil else {
            throw UpstreamError(
                Failure(
                    kind: .tooLarge, message: "upstream still has pages after \(maximumPages)",
                    retryable: false))
        }
    }
    return staged
}
