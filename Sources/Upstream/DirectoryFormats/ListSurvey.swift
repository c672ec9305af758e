import HTTP
import Model
import StrictJSON
import Synchronization

/// Notes the shape of the last list of users while it is read.
package final class ListSurvey: Sendable {
    private struct Notes {
        var shape: ListShape?
        /// The records of this list whose fields are counted. Until the first, the fields are those of an earlier list: one
        /// that fails at once, or is unchanged, shows none.
        var counted = 0
        var isFirstPage = false
        /// The last answer over HTTP.
        var answer: (status: Int, bytes: Int)?
    }

    private let notes = Mutex(Notes())
    private static let surveyed = 1000
    /// Limit of the first pages that are kept, and of the last.
    private static let pages = 50

    package init() {}

    /// Nil before the first list.
    package var shape: ListShape? { notes.withLock { $0.shape } }

    /// Notes each answer to a request for users.
    @Sendable package func see(_: HTTPRequest, _ response: HTTPResponse) {
        notes.withLock {
            $0.answer = (response.status, response.body.count)
            // With a password, the first page is read before the server is asked what it can do, and again afterwards.
            if $0.isFirstPage { $0.counted = 0 }
        }
    }

    package func surveying(_ fetch: @escaping FetchPage<User>) -> FetchPage<User> {
        { [self] request, known in
            notes.withLock {
                $0.isFirstPage = request.number == 1
                if $0.isFirstPage {
                    var shape = $0.shape ?? ListShape()
                    (shape.pages, shape.pageCount, shape.end) = ([], 0, nil)
                    ($0.shape, $0.counted) = (shape, 0)
                }
                $0.answer = nil
            }
            do {
                let answer = try await fetch(request, known)
                note(ListShape.Page(request.number, answer), end: answer.end)
                return answer
            } catch {
                var page = ListShape.Page(request.number)
                page.failure = (error as? UpstreamError)?.failure.kind ?? .other
                note(page, end: nil)
                throw error
            }
        }
    }

    private func note(_ page: ListShape.Page, end: String?) {
        notes.withLock { notes in
            var (page, shape) = (page, notes.shape ?? ListShape())
            (page.status, page.bytes) = (notes.answer?.status, notes.answer?.bytes)
            shape.pages.append(page)
            if shape.pages.count > 2 * Self.pages { shape.pages.remove(at: Self.pages) }
            shape.pageCount += 1
            shape.end = end
            notes.shape = shape
        }
    }

    /// Counts the fields of one of the first records.
    /// - Parameter values: the kind of each value of a field, and the bytes of a text.
    package func add(
        _ fields: [UserField], values: (UserField) -> [(kind: String, bytes: Int?)]
    ) {
        notes.withLock { notes in
            guard notes.counted < Self.surveyed, var shape = notes.shape else { return }
            if notes.counted == 0 { shape.fields = [:] }
            notes.shape = nil
            notes.counted += 1
            shape.surveyed = notes.counted
            for field in fields {
                let found = values(field)
                var counted = shape.fields[field.name] ?? ListShape.Field()
                if !found.isEmpty { counted.found += 1 }
                for (kind, bytes) in found { counted.add(kind, bytes: bytes) }
                shape.fields[field.name] = counted
            }
            notes.shape = shape
        }
    }
}

extension ListSurvey {
    func add(_ record: JSONRecord, _ slots: FieldPlaces<UpstreamUserReader.Slot>) {
        add(slots.fields) { field in
            slots[field].flatMap { record.values(at: $0.place) }.compactMap { value in
                guard let value, value.kind != .null else { return nil }
                return ("\(value.kind)", value.scalar?.utf8.count)
            }
        }
    }
}

extension ListShape.Page {
    fileprivate init(_ number: Int, _ answer: PageAnswer<User>) {
        self.init(number)
        guard case .page(let page) = answer else {
            isUnchanged = true
            return
        }
        nameless = page.unread.nameless
        unidentified = page.unread.unidentified
        leftOut = page.leftOut.count
        records = page.records.count + leftOut + unidentified
        // Larger pages would take time.
        duplicates = page.records.count <= 10_000 ? SharedIDs(in: page.records).count : 0
    }
}

extension PageAnswer {
    fileprivate var end: String? {
        switch self {
        case .unchanged: nil
        case .unchangedList: "unchanged list"
        case .page(let page): page.isCut ? "users.pages" : page.end.map { "\($0)" }
        }
    }
}
