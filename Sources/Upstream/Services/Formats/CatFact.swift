import FoundationEssentials
import Model
import StrictJSON

extension UpstreamFormat<NewFact> {
    /// catfact.ninja: Laravel's paginator `{data: [fact], next_page_url, total, …}`, or the bare list of facts.
    ///
    /// Only the page number of `next_page_url` is used, because it lacks our other parameters.
    package static let catfact = UpstreamFormat(
        name: "catfact",
        answer: .object([
            "data": .list(of: fact), "next_page_url": .text(pageNumber(in:)), "total": .scalar,
        ]).or(.list(of: fact)),
        parameters: ["limit", "page", "max_length"],
        pageURL: { settings, page in
            settings.url(with: QueryParameters("limit=\(settings.pageSize)&page=\(page.number)"))
        },
        decodePage: { node, _, settings, page throws(FormatError) in
            let top = node.kind == .array ? nil : try node.object()
            let list = if let top { try top.required("data") } else { node }
            var facts: [NewFact] = []
            try list.forEach { record throws(FormatError) in
                let text = try record.object().required("fact").text()
                facts.append(NewFact(text: text))
            }
            guard let top else { return Page(records: facts, total: facts.count) }
            let next = facts.isEmpty ? nil : try nextPage(top, after: page.number)
            return Page(
                records: facts,
                next: next.flatMap { settings.allows(page: $0) ? PageRequest(number: $0) : nil },
                total: total(top["total"]))
        },
        complaint: { value in
            guard !value.has("data"), !value.has("fact"), let message = value["message"],
                message.kind == .string
            else { return nil }
            let code = value["code"]?.int.flatMap { 400...599 ~= $0 ? Int($0) : nil }
            return UpstreamComplaint(message, of: value, status: code)
        })

    /// One fact alone: `{fact, length}`.
    static let fact = JSONDeclaration.object(["fact": .scalar])

    static func catfactOne(_ node: JSONNode) throws(FormatError) -> NewFact {
        let answer = try node.object()
        // With status 200, if no fact is short enough for `max_length`.
        guard let fact = answer["fact"] else { throw node.error("upstream has no fact that fits") }
        return NewFact(text: try fact.text())
    }

    /// Nil if no page follows this one.
    private static func nextPage(_ top: JSONObject, after current: Int) throws(FormatError) -> Int? {
        guard let node = top["next_page_url"] else { return nil }
        let number = page(of: try node.text()).flatMap(Int.init) ?? current + 1
        return number > current ? number : nil
    }

    private static func page(of address: String) -> String? {
        let query = address.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        return QueryParameters(String(query))["page"]
    }

    /// The part of an address that is recorded.
    @Sendable private static func pageNumber(in address: String) -> String {
        page(of: address).flatMap(Int.init).map { "?page=\($0)" } ?? ""
    }

    /// An integer, or one written as text.
    private static func total(_ node: JSONNode?) -> Int? {
        let number = node.flatMap { $0.value.int ?? $0.value.string.flatMap(Int64.init) }
        return number.flatMap { 0...Int64(Int32.max) ~= $0 ? Int($0) : nil }
    }
}

extension NewFact {
    /// Computes ID and length.
    package init(text: String) {
        self.init(id: Digest.factID(text), text: text, length: text.count)
    }
}
