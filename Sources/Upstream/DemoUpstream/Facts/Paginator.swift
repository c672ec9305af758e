/// A page in the format of Laravel's `LengthAwarePaginator`, which catfact.ninja uses.
struct Paginator {
    let data: [CatFact]
    let page: Int
    let perPage: Int
    /// Whether the request had a limit: the answer then has it as a string.
    let isLimited: Bool
    let total: Int
    /// `http://127.0.0.1:8080/facts`
    let path: String

    private var lastPage: Int { max(1, (total + perPage - 1) / perPage) }

    func json() -> String {
        let facts = data.map(\.json).joined(separator: ",")
        let from = data.isEmpty ? nil : (page - 1) * perPage + 1
        let to = from.map { $0 + data.count - 1 }
        let next = page < lastPage ? page + 1 : nil
        let previous = page > 1 ? page - 1 : nil
        let inner = window.map { number in link(number, label: number.map { "\($0)" } ?? "...") }
        let links = [link(previous, label: "Previous")] + inner + [link(next, label: "Next")]
        let limit = isLimited ? "\"\(perPage)\"" : "\(perPage)"
        return #"""
            {"current_page":\#(page),"data":[\#(facts)],"first_page_url":\#(url(1)),"from":\#(orNull(from)),\#
            "last_page":\#(lastPage),"last_page_url":\#(url(lastPage)),\#
            "links":[\#(links.joined(separator: ","))],"next_page_url":\#(url(next)),\#
            "path":\#(path.phpQuoted),"per_page":\#(limit),"prev_page_url":\#(url(previous)),\#
            "to":\#(orNull(to)),"total":\#(total)}
            """#
    }

    /// Numbers of the links; nil for a gap. Like `Illuminate\Pagination\UrlWindow` with three on each side.
    private var window: [Int?] {
        if lastPage < 14 { return Array(1...lastPage) }
        if page <= 7 { return Array(1...10) + [nil, lastPage - 1, lastPage] }
        if page > lastPage - 7 { return [1, 2, nil] + Array((lastPage - 9)...lastPage) }
        return [1, 2, nil] + Array((page - 3)...(page + 3)) + [nil, lastPage - 1, lastPage]
    }

    private func link(_ number: Int?, label: String) -> String {
        #"{"url":\#(url(number)),"label":"\#(label)","active":\#(label == String(page))}"#
    }

    /// Drops `limit` and `max_length`, like the real one.
    private func url(_ number: Int?) -> String { number.map { "\(path)?page=\($0)".phpQuoted } ?? "null" }

    private func orNull(_ number: Int?) -> String { number.map { "\($0)" } ?? "null" }
}

extension CatFact {
    var json: String { #"{"fact":\#(text.phpQuoted),"length":\#(length)}"# }
}
