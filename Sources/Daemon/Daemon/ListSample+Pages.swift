import Model
import Sync
import Upstream
import UserdAPI

extension ListSample {
    /// Requests at most two more pages: the second, and the one after the last.
    /// - Parameter first: page 1.
    /// - Throws: the error that a sync would fail with.
    init(
        of fetch: FetchPage<User>, after first: Page<User>, _ paging: DirectoryFormat.Paging
    ) async throws {
        func page(_ request: PageRequest) async throws -> Page<User> {
            let page = try await fetch(request, nil)
            return page.change == .read ? page : Page()
        }
        self.init(pages: [first.sent], total: first.total)
        guard let request = first.next else {
            conclude(with: first)
            return
        }
        let second = try await page(request)
        pages.append(second.sent)
        let isRepeated = second.sent > 0 && second.ids.isSubset(of: first.ids)
        if isRepeated, request.isPastTotal != true {
            throw UpstreamError(
                .decode, "page 2 holds the users of page 1", advice: .check, about: "users.paging")
        }
        guard let next = second.next, !isRepeated else {
            conclude(with: second)
            if isRepeated { end = "page 2, which repeats page 1; page 1 has as many users as upstream says" }
            return
        }
        if paging.more != nil {
            end = "the first page that is the last by paging.more"
        } else if next.token != nil || paging.from != nil || paging.style == .none {
            end = "the first page that names no next one"
        } else {
            let total = first.total.flatMap { $0 > first.sent ? $0 : nil }
            let size = max(first.sent, 1)
            // Without a total, a page beyond the longest list that is allowed.
            let offset = total ?? PagingLimits.usual.records
            let request = PageRequest(
                number: (offset + size - 1) / size + 1, offset: offset, firstPageRecords: first.sent,
                isPastTotal: total.map { _ in true })
            if total != nil { end = "the page that reaches the total that upstream says" }
            let last = await Result(catching: page, request)
            look(at: last, number: request.number, known: first.ids.union(second.ids))
        }
    }

    private mutating func look(
        at page: Result<Page<User>, any Error>, number: Int, known: Set<String>
    ) {
        switch page {
        case .success(let page) where page.sent == 0:
            after = "Page \(number), after the last, \(page.absence)"
            end = end ?? "the first page that \(page.absence)"
        case .success(let page):
            let isNew = !page.ids.isSubset(of: known)
            after = "Page \(number), after the last, has \(isNew ? "other users" : "users who came before")"
            if isNew, end != nil { more.append("upstream has users after its total; see users.paging.total") }
        case .failure(let error):
            let words = (error as? UpstreamError)?.failure.message ?? "\(error)"
            after = "Page \(number), after the last, can't be read: \(words)"
        }
        if end == nil { more.append("the list may have no end; set users.paging.total or users.paging.more") }
    }

    private mutating func conclude(with page: Page<User>) {
        let what =
            switch page.end {
            case _ where page.isCut: "since users.pages asks for no more"
            case .onePage, nil: "since users.paging asks for no other"
            case .empty, .notThere: "which \(page.absence)"
            case .total: "which reaches the total that upstream says"
            case .noNext: "which names no next one"
            case .noMore: "which is the last by paging.more"
            }
        end = "page \(pages.count), \(what)"
        if let sign = page.more { more.append("upstream seems to have more: \(sign)") }
        hints = page.hints
    }
}

extension Result where Failure == any Error {
    fileprivate init<Input>(catching body: (Input) async throws -> Success, _ input: Input) async {
        do { self = .success(try await body(input)) } catch { self = .failure(error) }
    }
}

extension Page<User> {
    fileprivate var ids: Set<String> { Set(records.map(\.id) + leftOut) }

    fileprivate var absence: String {
        switch end {
        case .notThere(200): "is blank"
        case .notThere(let status): "is missing (\(status))"
        default: "is empty"
        }
    }
}
