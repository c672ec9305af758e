import NIOHTTP1

/// The answer to `/api/`, like randomuser.me 1.4: its members, their order and types. Invalid values are ignored.
func usersReply(_ request: Request, _ population: Population, base: String, _ effects: FaultEffects) -> Reply
{
    let seed =
        request.parameters["seed"].flatMap { $0.isEmpty ? nil : $0 } ?? String(UInt64.random(in: 0 ... .max))
    let people = People(population, request, seed: seed, base: base)
    let results = request.number("results", 1...5000) ?? 1
    let page = effects.has(.ignoresPage) ? 1 : request.number("page", 1...1_000_000_000) ?? 1
    let start = (page - 1) * results
    let positions = (start..<start + (effects.has(.empty) ? 0 : results)).clamped(
        to: 0..<(population.count ?? .max))
    let ending =
        #"],"info":{"seed":\#(seed.jsonQuoted),"results":\#(results),"page":\#(page),"version":"1.4"}}"#
    let body = Body.list(#"{"results":["#, positions, ending, effects) { position, out in
        var person = people.person(at: position)
        userRecord.write(&person, of: people, to: &out)
    }
    return Reply(
        .ok,
        [
            "content-type": "application/json; charset=utf-8", "cache-control": "no-cache",
            "access-control-allow-origin": "*",
        ], body)
}

private let listsFile = DataSection.all(in: PackageResources.lists_txt)
private let userRecord = RecordTemplate(listsFile[0]["record"] ?? "")

/// A directory's list as lists.txt describes it, with the paging and the records of a product.
struct DirectoryList: Sendable {
    /// Pages begin at the position of the first user, from 1 (`position`) or from 0 (`offset`), at the number
    /// of the page, from 1, or at a text from the page before.
    private enum Paging: String { case position, offset, number, cursor }

    private let section: DataSection
    private let paging: Paging
    private let record: RecordTemplate

    private init?(_ section: DataSection) {
        guard let paging = section["paging"].flatMap(Paging.init), let record = section["record"] else {
            return nil
        }
        (self.section, self.paging) = (section, paging)
        // A path stands for the record of that list.
        self.record = RecordTemplate(listsFile.first { $0.name == record }?["record"] ?? record)
    }

    static func reply(to request: Request, _ people: People, base: String, _ effects: FaultEffects) -> Reply {
        if let text = listsFile.first(where: { $0.name == request.path })?["text"] {
            return Reply(.ok, headers(request), Body(text))
        }
        guard let list = all.first(where: { $0.section.name == request.path }) else {
            return .json(#"{"detail":"the path is unknown"}"#, .notFound)
        }
        // An endless population has no total, so a directory shows only its beginning.
        let count = effects.has(.empty) ? 0 : people.population.count ?? 250
        return list.reply(to: request, people, base: base, count: count, effects)
    }

    private func reply(
        to request: Request, _ people: People, base: String, count: Int, _ effects: FaultEffects
    ) -> Reply {
        let page = section["page"] ?? ""
        let size = min(max(request.number(section["size"] ?? "") ?? 100, paging == .position ? 0 : 1), 1000)
        guard var start = start(request, page: page, size: size) else {
            return .json(#"{"detail":"the cursor is unknown"}"#, .badRequest)
        }
        if effects.has(.ignoresPage) { start = 0 }
        if let beyond = effects.beyond, start > 0, start >= count {
            guard beyond == 0 else {
                let body = Body(beyond == 200 ? " " : #"{"detail":"Invalid page."}"#)
                return Reply(HTTPResponseStatus(statusCode: beyond), Self.headers(request), body)
            }
            start = max(0, count - 1) / size * size
        }
        let grows = effects.has(.lastPageGrows) && count > 0
        if !grows { start = min(start, count) }
        var end = grows ? start + size : min(start + size, count)
        if effects.has(.shortPage), end - start > 1 { end -= 1 }
        let next = grows || end < count ? Self.cursorPrefix + String(end) : nil
        let nextURL = base + request.uri(with: page, next ?? "")
        let total = (grows ? end + 1 : count) + (effects.has(.largeTotal) ? 10 : 0)
        let isLast = next == nil || section["next"] == nil
        let texts = ["opening", isLast ? "closing" : "next"].map { key in
            (section[key] ?? "").replacing("$total", with: String(total)).replacing(
                "$position", with: String(start + 1)
            )
            .replacing("$count", with: String(end - start)).replacing("$nextURL", with: nextURL)
            .replacing("$next", with: next ?? "").replacing("$base", with: base)
        }
        let body = Body.list(texts[0], start..<end, texts[1], effects) { position, out in
            var person = people.person(at: position % count)
            record.write(&person, of: people, to: &out)
        }
        var reply = Reply(.ok, Self.headers(request), body)
        if section["link"] != nil, next != nil {
            reply.headers.add(name: "link", value: #"<\#(nextURL)>; rel="next""#)
        }
        return reply
    }

    /// The position of the first user; nil for an unknown cursor.
    private func start(_ request: Request, page: String, size: Int) -> Int? {
        let number = request.number(page).map { min($0, 1_000_000_000) }
        switch paging {
        case .offset: return max(0, number ?? 0)
        case .number: return (max(1, number ?? 1) - 1) * size
        case .position: return max(1, number ?? 1) - 1
        case .cursor:
            guard let cursor = request.parameters[page], !cursor.isEmpty else { return 0 }
            let position = UInt32(cursor.dropFirst(Self.cursorPrefix.count)).map(Int.init)
            return cursor.hasPrefix(Self.cursorPrefix) ? position : nil
        }
    }

    private static func headers(_ request: Request) -> HTTPHeaders {
        ["content-type": request.path.hasPrefix("/scim/") ? "application/scim+json" : "application/json"]
    }

    private static let all = listsFile.compactMap(DirectoryList.init)
    private static let cursorPrefix = "at-"
}
