import NIOCore

/// A page of facts as Laravel's `LengthAwarePaginator` writes it, which catfact.ninja uses.
struct Paginator {
    let data: [CatFact]
    let page: Int
    let perPage: Int
    /// Whether the number a page was asked for: it is then a string in the answer.
    let isLimited: Bool
    let total: Int
    /// `http://127.0.0.1:8080/facts`
    let path: String

    var lastPage: Int { max(1, (total + perPage - 1) / perPage) }

    func json() -> ByteBuffer {
        var out = ByteBuffer()
        let from = data.isEmpty ? nil : (page - 1) * perPage + 1
        out.writeStaticString(#"{"current_page":"#)
        out.writeInteger(asText: page)
        out.writeStaticString(#","data":["#)
        for (offset, fact) in data.enumerated() {
            if offset > 0 { out.writeStaticString(",") }
            out.writeFact(fact)
        }
        out.writeStaticString(#"],"first_page_url":"#)
        writeURL(1, to: &out)
        out.writeStaticString(#","from":"#)
        out.writeOptional(from)
        out.writeStaticString(#","last_page":"#)
        out.writeInteger(asText: lastPage)
        out.writeStaticString(#","last_page_url":"#)
        writeURL(lastPage, to: &out)
        out.writeStaticString(#","links":["#)
        writeLinks(to: &out)
        out.writeStaticString(#"],"next_page_url":"#)
        writeURL(next, to: &out)
        out.writeStaticString(#","path":"#)
        out.writePHPString(path)
        out.writeStaticString(#","per_page":"#)
        if isLimited { out.writePHPString(String(perPage)) } else { out.writeInteger(asText: perPage) }
        out.writeStaticString(#","prev_page_url":"#)
        writeURL(previous, to: &out)
        out.writeStaticString(#","to":"#)
        out.writeOptional(from.map { $0 + data.count - 1 })
        out.writeStaticString(#","total":"#)
        out.writeInteger(asText: total)
        out.writeStaticString("}")
        return out
    }

    private var next: Int? { page < lastPage ? page + 1 : nil }
    private var previous: Int? { page > 1 ? page - 1 : nil }

    /// The numbered links, nil where some were left out: as `Illuminate\Pagination\UrlWindow`, three each side.
    var window: [Int?] {
        if lastPage < 14 { return Array(1...lastPage) }
        if page <= 7 { return Array(1...10) + [nil, lastPage - 1, lastPage] }
        if page > lastPage - 7 { return [1, 2, nil] + Array((lastPage - 9)...lastPage) }
        return [1, 2, nil] + Array((page - 3)...(page + 3)) + [nil, lastPage - 1, lastPage]
    }

    private func writeLinks(to out: inout ByteBuffer) {
        writeLink(previous, label: "Previous", to: &out)
        for number in window {
            out.writeStaticString(",")
            writeLink(number, label: number.map(String.init) ?? "...", to: &out)
        }
        out.writeStaticString(",")
        writeLink(next, label: "Next", to: &out)
    }

    private func writeLink(_ number: Int?, label: String, to out: inout ByteBuffer) {
        out.writeStaticString(#"{"url":"#)
        writeURL(number, to: &out)
        out.writeStaticString(#","label":"#)
        out.writePHPString(label)
        out.writeString(#","active":\#(label == String(page))}"#)
    }

    /// The link forgets `limit` and `max_length`, as the real one does.
    private func writeURL(_ number: Int?, to out: inout ByteBuffer) {
        guard let number else {
            out.writeStaticString("null")
            return
        }
        out.writePHPString("\(path)?page=\(number)")
    }
}

extension ByteBuffer {
    mutating func writeFact(_ fact: CatFact) {
        writeStaticString(#"{"fact":"#)
        writePHPString(fact.text)
        writeStaticString(#","length":"#)
        writeInteger(asText: fact.length)
        writeStaticString("}")
    }

    fileprivate mutating func writeOptional(_ value: Int?) {
        writeString(value.map(String.init) ?? "null")
    }
}
