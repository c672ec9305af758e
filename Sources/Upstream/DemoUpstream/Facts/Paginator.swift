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

    var lastPage: Int { max(1, (total + perPage - 1) / perPage) }

    func json() -> String {
        var out = ""
        let from = data.isEmpty ? nil : (page - 1) * perPage + 1
        out += #"{"current_page":"#
        out.append(page)
        out += #","data":["#
        for (offset, fact) in data.enumerated() {
            if offset > 0 { out += "," }
            out.appendFact(fact)
        }
        out += #"],"first_page_url":"#
        writeURL(1, to: &out)
        out += #","from":"#
        out.appendOptional(from)
        out += #","last_page":"#
        out.append(lastPage)
        out += #","last_page_url":"#
        writeURL(lastPage, to: &out)
        out += #","links":["#
        writeLinks(to: &out)
        out += #"],"next_page_url":"#
        writeURL(next, to: &out)
        out += #","path":"#
        out.appendPHPString(path)
        out += #","per_page":"#
        if isLimited { out.appendPHPString(String(perPage)) } else { out.append(perPage) }
        out += #","prev_page_url":"#
        writeURL(previous, to: &out)
        out += #","to":"#
        out.appendOptional(from.map { $0 + data.count - 1 })
        out += #","total":"#
        out.append(total)
        out += "}"
        return out
    }

    private var next: Int? { page < lastPage ? page + 1 : nil }
    private var previous: Int? { page > 1 ? page - 1 : nil }

    /// Numbers of the links; nil for a gap. Like `Illuminate\Pagination\UrlWindow` with three on each side.
    var window: [Int?] {
        if lastPage < 14 { return Array(1...lastPage) }
        if page <= 7 { return Array(1...10) + [nil, lastPage - 1, lastPage] }
        if page > lastPage - 7 { return [1, 2, nil] + Array((lastPage - 9)...lastPage) }
        return [1, 2, nil] + Array((page - 3)...(page + 3)) + [nil, lastPage - 1, lastPage]
    }

    private func writeLinks(to out: inout String) {
        writeLink(previous, label: "Previous", to: &out)
        for number in window {
            out += ","
            writeLink(number, label: number.map(String.init) ?? "...", to: &out)
        }
        out += ","
        writeLink(next, label: "Next", to: &out)
    }

    private func writeLink(_ number: Int?, label: String, to out: inout String) {
        out += #"{"url":"#
        writeURL(number, to: &out)
        out += #","label":"#
        out.appendPHPString(label)
        out += #","active":\#(label == String(page))}"#
    }

    /// Drops `limit` and `max_length`, like the real one.
    private func writeURL(_ number: Int?, to out: inout String) {
        guard let number else {
            out += "null"
            return
        }
        out.appendPHPString("\(path)?page=\(number)")
    }
}

extension String {
    mutating func appendFact(_ fact: CatFact) {
        self += #"{"fact":"#
        appendPHPString(fact.text)
        self += #","length":"#
        append(fact.length)
        self += "}"
    }

    fileprivate mutating func appendOptional(_ value: Int?) {
        self += value.map(String.init) ?? "null"
    }
}
