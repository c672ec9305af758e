import HTTP
import Model
import Synchronization

/// Notes the shape of the last list of users while its pages are fetched, one after the other.
package final class ListSurvey: Sendable {
    private struct Notes {
        var shape: ListShape?
        /// The last answer over HTTP.
        var answer: (status: Int, bytes: Int)?
    }

    private let notes = Mutex(Notes())
    /// Limit of the first pages that are kept, and of the last.
    private static let pages = 50

    package init() {}

    /// Nil before the first list.
    package var shape: ListShape? { notes.withLock { $0.shape } }

    /// Notes each answer to a request for users.
    @Sendable package func see(_: HTTPRequest, _ response: HTTPResponse) {
        notes.withLock { $0.answer = (response.status, response.body.count) }
    }

    package func surveying(_ fetch: @escaping FetchPage<User>) -> FetchPage<User> {
        { [self] request, known in
            notes.withLock { $0.answer = nil }
            var (page, fields) = (ListShape.Page(request.number), ListShape?.none)
            defer { note(page, fields) }
            do {
                let answer = try await fetch(request, known)
                page.take(answer)
                fields = answer.shape
                return answer
            } catch {
                page.end = ((error as? UpstreamError)?.failure.kind ?? .other).rawValue
                throw error
            }
        }
    }

    /// - Parameter fields: counted on the page. Those of an earlier list stay until a first page is read.
    private func note(_ page: ListShape.Page, _ fields: ListShape?) {
        notes.withLock { notes in
            var (page, shape) = (page, fields ?? notes.shape ?? ListShape())
            shape.pages = page.number == 1 ? [] : notes.shape?.pages ?? []
            (page.status, page.bytes) = (notes.answer?.status, notes.answer?.bytes)
            shape.pages.append(page)
            if shape.pages.count > 2 * Self.pages { shape.pages.remove(at: Self.pages) }
            notes.shape = shape
        }
    }
}

extension ListShape.Page {
    fileprivate mutating func take(_ answer: Model.Page<User>) {
        switch answer.change {
        case .unchanged: end = "unchanged"
        case .unchangedList: end = "unchanged list"
        case .read:
            leftOut = answer.leftOut.count + answer.unread.unidentified
            records = answer.records.count + leftOut
            // Larger pages would take time.
            duplicates = answer.records.count <= 10_000 ? SharedIDs(in: answer.records).count : 0
            end = answer.isCut ? "users.pages" : answer.end.map { "\($0)" }
        }
    }
}
