/// A fact with the length that upstream reports.
struct CatFact: Sendable {
    let text: String
    let length: Int

    var json: String { #"{"fact":\#(text.jsonQuoted),"length":\#(length)}"# }

    /// Contains, like the real facts, a text five times, a no-break space and a wrong length.
    static let all = String(decoding: PackageResources.facts_txt, as: UTF8.self).split(separator: "\n")
        .enumerated()
        .map { CatFact(text: String($1), length: $1.count + ($0 == 12 ? 1 : 0)) }

    static func fitting(_ count: Int, _ request: Request, _ effects: FaultEffects) -> [CatFact] {
        let longest = request.number("max_length") ?? .max
        return effects.has(.empty) ? [] : all.prefix(count).filter { $0.length <= longest }
    }

    /// The answer to `/facts`, like catfact.ninja, without its addresses of pages other than the next. Invalid values are
    /// ignored.
    static func page(of facts: [CatFact], url: String, _ request: Request, _ effects: FaultEffects) -> Reply {
        let limit = request.number("limit", 1...100_000)
        let size = limit ?? 10
        let page = effects.has(.ignoresPage) ? 1 : request.number("page", 1...1_000_000_000) ?? 1
        let start = (page - 1) * size
        let grows = effects.has(.lastPageGrows) && !facts.isEmpty
        let positions = start..<(grows ? start + size : max(start, min(start + size, facts.count)))
        let data = positions.map { facts[$0 % facts.count] }
        let total = grows ? (page + 1) * size : facts.count
        let last = max(1, (total + size - 1) / size)

        // Lacks `limit` and `max_length`, like the real address.
        let next = page < last ? "\(url)?page=\(page + 1)".jsonQuoted : "null"
        return .json(
            #"""
            {"current_page":\#(page),"data":[\#(data.map(\.json).joined(separator: ","))],"last_page":\#(last),\#
            "next_page_url":\#(next),"per_page":\#(limit.map { "\"\($0)\"" } ?? "10"),"total":\#(total)}
            """#)
    }
}
