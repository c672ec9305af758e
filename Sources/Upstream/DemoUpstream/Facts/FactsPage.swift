/// A request for `/facts` and its answer.
struct FactsPage {
    private let maxLength: Int?
    private let limit: Int?
    private let page: Int

    /// Invalid values are ignored.
    init(_ parameters: [String: String], ignoresPage: Bool = false) {
        maxLength = parameters["max_length"].flatMap { Int($0) }
        limit = parameters["limit"].flatMap { Int($0) }.flatMap {
            (1...Self.maxLimit).contains($0) ? $0 : nil
        }
        let asked = ignoresPage ? 1 : parameters["page"].flatMap { Int($0) } ?? 1
        page = (1...Self.maxPage).contains(asked) ? asked : 1
    }

    /// With `grows`, there is always another page, with the same facts.
    func json(_ all: [CatFact], grows: Bool, path: String) -> String {
        let facts = CatFact.fitting(all, maxLength: maxLength)
        let perPage = limit ?? 10
        let start = (page - 1) * perPage
        let data =
            grows && !facts.isEmpty
            ? (start..<start + perPage).map { facts[$0 % facts.count] }
            : Array(facts.dropFirst(start).prefix(perPage))
        return Paginator(
            data: data, page: page, perPage: perPage, isLimited: limit != nil,
            total: grows ? (page + 1) * perPage : facts.count, path: path
        ).json()
    }

    private static let maxLimit = 100_000
    private static let maxPage = 1_000_000_000
}

extension CatFact {
    static func fitting(_ facts: [CatFact], maxLength: Int?) -> [CatFact] {
        guard let maxLength else { return facts }
        return facts.filter { $0.length <= maxLength }
    }
}
