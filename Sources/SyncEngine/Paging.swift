import Model
import Services

/// An upstream whose pages never end is left here.
let maximumPages = 100_000

/// Fetches page after page, and stages each before the next is asked for.
/// - Parameters:
///   - enough: records after which no further page is asked for.
///   - stage: returns how many of a page's records were staged before.
func stagePages<Record: Sendable>(
    fetch: @Sendable (PageRequest) async throws -> Page<Record>, enough: Int = .max,
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
