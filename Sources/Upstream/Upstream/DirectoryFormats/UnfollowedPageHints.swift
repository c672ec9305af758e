import HTTP
import Model
import StrictJSON

/// A hint that upstream has more records, for people.
package struct UnfollowedPageHint: Hashable, Sendable {
    package var text: String
    /// Whether only lists with more pages have it. Only a check of the settings tells the others.
    package var isClear = false
    /// The member of the answer that is a clear hint; nil for a header.
    var place: Pointer?
}

/// Looks for hints of further pages where a list ends: without `paging`, or a part of it, the first page
/// would be taken for the whole directory.
struct UnfollowedPageHints: Sendable {
    /// Names of a list's total, also in an object beside the list; others may count anything.
    private static let totals: Set = [
        "count", "total", "totalcount", "totalelements", "totalitems", "totalrecords", "totalresults",
    ]

    private enum Kind { case next, flag, end, total, cursor }

    /// The pointer to the records, up to a `*`, in lower case.
    private let records: String
    /// Members that are not searched, and a header: the records, and what `paging` reads.
    private let known: Set<String>
    private let hasPages: Bool

    init(besides format: DirectoryFormat) {
        let (paging, path) = (format.paging, format.records.description.asciiLowercased)
        records = String(path[..<(path.firstRange(of: "/*")?.lowerBound ?? path.endIndex)])
        known = Set(
            [records, paging.header?.asciiLowercased].compactMap(\.self)
                + [paging.from, paging.total, paging.more].compactMap { $0?.description.asciiLowercased })
        hasPages = paging.style != .none
    }

    /// The clear ones first.
    /// - Parameter sizes: numbers in the request, one of which may limit the answer.
    func found(
        in answer: JSONValue, _ headers: HTTPHeaders, after records: Int, last: Int, sizes: [Int]
    ) -> [UnfollowedPageHint] {
        var hints: [UnfollowedPageHint] = []
        if headers.nextLink != nil {
            let text = "a Link header names a next page; paging: {style: link} follows it"
            hints.append(UnfollowedPageHint(text: text, isClear: true))
        }
        // If the records are the whole answer, nothing is beside them.
        if !self.records.isEmpty { look(in: answer, "", apart: 0, records, &hints) }
        for field in headers.fields where !known.contains(field.name.asciiLowercased) {
            let value = JSONValue(trusting: StrictJSON.quoted(field.value))
            let hint = hint(field.name, value, "header \(field.name)", apart: .max, records)
            hints += [hint].compactMap(\.self)
        }
        let isRound = !hasPages && (last % 10 == 0 || last % 25 == 0)
        if last > 1, sizes.contains(last) || isRound {
            let limit = sizes.contains(last) ? "as many as the request asks for" : "a usual size of a page"
            hints.append(UnfollowedPageHint(text: "the last page has exactly \(last), \(limit)"))
        }
        return hints.filter(\.isClear) + hints.filter { !$0.isClear }
    }

    /// - Parameters:
    ///   - apart: number of steps off the way to the records.
    ///   - isNext: whether the value describes the next page.
    private func look(
        in value: JSONValue, _ place: String, depth: Int = 0, apart: Int, isNext: Bool = false, _ count: Int,
        _ hints: inout [UnfollowedPageHint]
    ) {
        guard depth < 4 else { return }
        for element in value.elements(upTo: 16) ?? [] {
            // `links: [{rel: next, href: …}]`, as in HTML.
            for key in ["rel", "relation"] where element[key]?.string?.asciiLowercased == "next" {
                look(
                    in: element, "\(place)/[\(key)=next]", depth: depth + 1, apart: apart + 1, isNext: true,
                    count, &hints)
            }
        }
        // Deeper objects with more members are maps of records.
        let members = value.members(upTo: depth == 0 ? FormatLimits.members : 64) ?? []
        // GraphQL names the end of the last page, too.
        let isLast = members.contains { Self.kind(of: $0.name) == .flag && $0.value.bool == false }
        for (name, member) in members {
            let pointer = place + JSONPlace([.member(name)]).pointer
            guard !known.contains(pointer.asciiLowercased) else { continue }
            let isOnWay = "\(records)/".hasPrefix("\(pointer.asciiLowercased)/")
            look(
                in: member, pointer, depth: depth + 1, apart: isOnWay ? 0 : apart + 1,
                isNext: isNext || Self.kind(of: name) == .next, count, &hints)
            if isLast, Self.kind(of: name) == .cursor { continue }
            if var hint = hint(
                name, member, pointer.shown(upTo: 200), apart: apart, isNext: isNext, count)
            {
                hint.place = try? Pointer(pointer)
                hints.append(hint)
            }
        }
    }

    private func hint(
        _ name: String, _ value: JSONValue, _ place: String, apart: Int, isNext: Bool = false, _ count: Int
    ) -> UnfollowedPageHint? {
        guard let text = value.scalar else { return nil }
        let isAddress =
            text.hasPrefix("/") || text.contains("://") || text.contains("?") && !text.contains(" ")
        // authentik has 0 on the last page.
        let (word, isNothing) = (
            text.asciiLowercased, ["0", "false", "null", "none"].contains(text.asciiLowercased)
        )
        switch Self.kind(of: name) ?? (isNext && isAddress ? .next : nil) {
        case .flag where ["true", "1", "yes"].contains(word), .next where word == "true",
            .end where word == "false":
            return UnfollowedPageHint(text: "\(place) says that there is more")
        case .next where isAddress:
            let way = "paging: {style: url, from: \(place)} follows it"
            return UnfollowedPageHint(text: "\(place) has the address of a next page; \(way)", isClear: true)
        // An offset that is a number tells where this page begins.
        case .next where !isNothing,
            .cursor where !isNothing && (Self.plain(name) != "offset" || Int(text) == nil):
            let way = "paging: {style: cursor, from: \(place), param: …} may request it"
            return UnfollowedPageHint(text: "\(place) names a next page; \(way)")
        case .total:
            let (name, isOfPages) = (Self.plain(name), Self.plain(name).contains("pages"))
            // `items 0-24/3573` in Content-Range.
            guard let total = text.split(separator: "/").last.flatMap({ Int($0) }),
                total > (isOfPages ? 1 : count)
            else { return nil }
            return UnfollowedPageHint(
                text: "\(place) is \(total), but upstream sent \(isOfPages ? "one page" : "\(count)")",
                isClear: !isOfPages
                    && (apart == 0 && name.contains("total") || apart <= 1 && Self.totals.contains(name)))
        default: return nil
        }
    }
}

extension UnfollowedPageHints {
    /// In lower case, without a prefix such as `@odata.` and `X-`.
    private static func plain(_ name: String) -> String {
        let rest = name.asciiLowercased.split { ".:".contains($0) }.last ?? ""
        return (rest.hasPrefix("x-") ? rest.dropFirst(2) : rest).filter { !"_-@$".contains($0) }
    }

    /// The meaning of a member or a header, whatever its spelling.
    private static func kind(of name: String) -> Kind? {
        let name = plain(name)
        func begins(_ words: String...) -> Bool { words.contains(where: name.hasPrefix) }
        func ends(_ words: String...) -> Bool { words.contains(where: name.hasSuffix) }
        return switch name {
        // Other pages, changes, logins, and amounts of other things.
        case _ where begins("prev", "start", "first", "self", "current", "access", "auth", "id", "refresh"):
            nil
        case _ where ["sync", "delta", "srf", "time", "second", "byte"].contains(where: name.contains): nil
        case _ where ends("account", "discount", "errorcount", "securitytoken"): nil
        case _ where begins("hasmore", "hasnext", "more") || ends("truncated"): .flag
        case "last", "islast", "islastpage", "done": .end
        case _ where begins("next"): .next
        case _ where begins("total") || ends("total", "count", "contentrange"): .total
        case _ where begins("continu") || ends("cursor", "marker", "token"): .cursor
        default: ["after", "offset"].contains(name) ? .cursor : nil
        }
    }
}
