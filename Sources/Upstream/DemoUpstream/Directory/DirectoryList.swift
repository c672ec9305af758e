/// The lists, by their paths. Paging and records are those of a product each.
enum DirectoryList: String {
    case scim = "/scim/v2/Users"
    /// Okta.
    case link = "/directory/link"
    /// Microsoft Graph.
    case url = "/directory/url"
    /// Google Directory.
    case cursor = "/directory/cursor"
    /// Keycloak.
    case offset = "/directory/offset"
    /// No product's.
    case number = "/directory/number"

    /// Names of parameters: which page, and its size.
    var parameters: (page: String, size: String) {
        switch self {
        case .scim: ("startIndex", "count")
        case .link: ("after", "limit")
        case .url: ("$skiptoken", "$top")
        case .cursor: ("pageToken", "maxResults")
        case .offset: ("first", "max")
        case .number: ("page", "per_page")
        }
    }
}

/// The part of a list that a request asks for.
struct DirectoryRange {
    let positions: Range<Int>
    let hasCursor: Bool
    /// Nil at the end.
    let next: String?
    /// As the list says it.
    let total: Int

    /// Nil for a cursor that was never given.
    init?(
        _ list: DirectoryList, _ parameters: [String: String], _ settings: DemoUpstream.DirectorySettings,
        count: Int, _ effects: FaultEffects
    ) {
        let asked = parameters[list.parameters.size].flatMap { Int($0) } ?? 100
        let size = min(max(asked, list == .scim ? 0 : 1), settings.maxPageSize)
        let page = parameters[list.parameters.page]
        let cursor = list != .scim ? page : settings.scimCursors ? parameters["cursor"] : nil
        let number = page.flatMap { Int($0) }.map { min($0, Self.limit) }
        var start: Int
        switch list {
        case .offset: start = max(0, number ?? 0)
        case .number: start = (max(1, number ?? 1) - 1) * size
        case .scim where cursor == nil: start = max(1, number ?? 1) - 1
        case .scim, .link, .url, .cursor:
            guard let position = Self.position(cursor ?? "") else { return nil }
            start = position
        }
        hasCursor = list == .scim && cursor != nil
        if effects.ignoresPage { start = 0 }
        let grows = effects.lastPageGrows && count > 0
        start = grows ? start : min(start, count)
        var end = grows ? start + size : min(start + size, count)
        if effects.isShort, end - start > 1 { end -= 1 }
        positions = start..<end
        next = grows || end < count ? Self.prefix + String(end) : nil
        total = (grows ? end + 1 : count) + (effects.hasLargeTotal ? 10 : 0)
    }

    private static func position(_ cursor: String) -> Int? {
        if cursor.isEmpty { return 0 }
        guard cursor.hasPrefix(prefix), let position = Int(cursor.dropFirst(prefix.count)) else { return nil }
        return (0...limit).contains(position) ? position : nil
    }

    private static let limit = 1_000_000_000

    private static let prefix = "at-"
}
