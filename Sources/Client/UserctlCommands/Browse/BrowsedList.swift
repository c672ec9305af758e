import Model
import UserdAPI

struct Fetch: Hashable, Sendable {
    /// The end of the list that pages are counted from.
    enum End: Hashable, Sendable { case front, back }

    /// The list's number; pages of older lists are ignored.
    let generation: Int
    let end: End
    let page: Int
    let subject: BrowsedList.Subject
    /// Not used for managers, who are one page.
    let query: ListUsers
}

/// A list of any length, read lazily, page by page, from either end. Cursors only go forwards, so its end is read as the
/// start of the same list in descending order.
struct BrowsedList {
    enum Subject: Hashable, Sendable {
        /// All users, or those whom a search finds.
        /// - Parameter kinds: nil for persons.
        case search(String?, kinds: [UserKind]? = nil)
        case reports(of: User)
        /// The nearest is first.
        case managers(of: User)

        /// The user whose reports or managers are listed.
        var user: User? {
            switch self {
            case .search: nil
            case .reports(let user), .managers(let user): user
            }
        }
    }

    static let pageSize = 250
    /// Caps the total that userd reports, so that arithmetic with positions can't overflow.
    private static let mostUsers = 1 << 40

    let generation: Int
    let subject: Subject
    /// Whether the search finds nobody, and these are the users nearest to it.
    private(set) var isNear = false
    /// Nil until the first page.
    private(set) var total: Int?
    private(set) var freshness: Freshness?
    /// Says why there are no reports or managers; nil for a search.
    private(set) var whyEmpty: String?
    /// Users of other kinds whom the search would find: `3 groups, 1 room`; nil if there are none.
    var others: String?
    /// The users' last sync, as of the first page.
    private(set) var syncedAt: Timestamp?
    private var front = ReadEnd()
    private var back = ReadEnd()

    init(generation: Int, _ subject: Subject) {
        self.generation = generation
        self.subject = subject
        if case .reports(let user) = subject { whyEmpty = "\(user.shownName) has no reports" }
    }

    var search: String? {
        if case .search(let text, _) = subject { text } else { nil }
    }

    private var kinds: [UserKind]? {
        if case .search(_, let kinds) = subject { kinds } else { nil }
    }

    /// Whether the first user is not a person, in a list that has some. Then none is selected unasked.
    var beginsWithOther: Bool { kinds?.contains(.person) ?? true && user(at: 0)?.isOther ?? false }

    func user(at position: Int) -> User? {
        guard let total, (0..<total).contains(position) else { return nil }
        return front.user(at: position) ?? back.user(at: total - 1 - position)
    }

    /// Nil if the user is not on a kept page.
    func position(of id: User.ID) -> Int? {
        front.offset(of: id) ?? back.offset(of: id).flatMap { offset in total.map { $0 - 1 - offset } }
    }

    /// A text that tells a user from those of the same name above and below; nil if there are none.
    func distinction(at position: Int) -> String? {
        guard let user = self.user(at: position) else { return nil }
        let namesakes = [position - 1, position + 1].compactMap(self.user(at:)).filter {
            $0.name.sorted == user.name.sorted
        }
        guard !namesakes.isEmpty else { return nil }
        return ([user] + namesakes).differing.lazy.compactMap { $0(user) }.first { !$0.isEmpty }
            ?? user.department
    }

    /// The next page to read on the way to a position; nil if it has been read.
    func fetch(for position: Int) -> Fetch? {
        guard let total else { return fetch(.front, page: 0) }
        guard (0..<total).contains(position), user(at: position) == nil else { return nil }
        let offset = total - 1 - position
        let isNearFront = front.distance(to: position) <= back.distance(to: offset)
        let choices: [Fetch.End] = isNearFront ? [.front, .back] : [.back, .front]
        for end in choices {
            let page = end == .front ? front.page(for: position) : back.page(for: offset)
            if let page { return fetch(end, page: page) }
        }
        return nil
    }

    func fetch(_ end: Fetch.End, page: Int) -> Fetch {
        let cursor = (end == .front ? front : back).cursor(of: page)
        let query = ListUsers(
            search: search, order: search == nil ? nil : .match, descending: end == .back ? true : nil,
            limit: Self.pageSize, cursor: cursor
        ) {
            if case .reports(let user) = subject { $0.manager = user.id }
            $0.kinds = kinds
        }
        return Fetch(generation: generation, end: end, page: page, subject: subject, query: query)
    }

    /// - Returns: false if the total has changed: the users were synced meanwhile.
    mutating func add(
        _ list: UserList, of fetch: Fetch, isNear: Bool = false, whyEmpty: String? = nil
    ) -> Bool {
        let announced = max(0, min(list.total, Self.mostUsers))
        guard [nil, announced].contains(total) else { return false }
        if total == nil { syncedAt = list.freshness.syncedAt }
        (total, self.isNear) = (announced, isNear)
        freshness = list.freshness
        if let whyEmpty { self.whyEmpty = whyEmpty }
        switch fetch.end {
        case .front: front.add(list, page: fetch.page)
        // The nearest is first in both directions.
        case .back where isNear: front.add(list, page: fetch.page)
        case .back: back.add(list, page: fetch.page)
        }
        return true
    }

    /// The next page to read from one end, up to an offset; nil if all of it has been read.
    func walk(from end: Fetch.End, upTo offset: Int) -> Fetch? {
        let pages = end == .front ? front : back
        guard let page = pages.frontier, pages.reach <= offset else { return nil }
        return fetch(end, page: page)
    }
}

extension Browser {
    /// A list that is being read, and replaces the shown one when it has enough pages.
    struct PendingList {
        /// step: the reports or managers of the selected user, if there are any.
        enum Goal { case first, sameUser, step }

        var list: BrowsedList
        let goal: Goal
        let end: Fetch.End
    }
}

/// The pages read from one end of a list.
private struct ReadEnd {
    private struct Page {
        /// The number of users before the page.
        let start: Int
        let cursor: String?
        /// Nil if not read yet, or dropped.
        var users: [User]?
    }

    private var pages = [Page(start: 0, cursor: nil)]
    /// The pages with users, in the order in which they were read.
    private var kept: [Int] = []

    private static let keptPages = 40

    /// The number of users up to the last page read.
    var reach: Int { pages.last.map { $0.start + ($0.users?.count ?? 0) } ?? 0 }
    /// The first page that was never read; nil after the last page.
    var frontier: Int? { pages.last?.users == nil ? pages.count - 1 : nil }

    func cursor(of page: Int) -> String? { pages[page].cursor }

    func user(at offset: Int) -> User? {
        let page = pages[index(of: offset)]
        guard let users = page.users, users.indices.contains(offset - page.start) else { return nil }
        return users[offset - page.start]
    }

    func offset(of id: User.ID) -> Int? {
        for page in kept {
            if let index = pages[page].users?.firstIndex(where: { $0.id.hasSameBytes(as: id) }) {
                return pages[page].start + index
            }
        }
        return nil
    }

    func distance(to offset: Int) -> Int { max(0, offset - (pages.last?.start ?? 0)) }

    /// The page to read on the way to an offset; nil if that page has been read.
    func page(for offset: Int) -> Int? {
        let index = index(of: offset)
        return pages[index].users == nil ? index : nil
    }

    private func index(of offset: Int) -> Int { pages.lastIndex { $0.start <= offset } ?? 0 }

    mutating func add(_ list: UserList, page: Int) {
        guard pages.indices.contains(page) else { return }
        if page == pages.count - 1 {
            pages[page].users = list.users
            if let next = list.next, !list.users.isEmpty {
                pages.append(Page(start: pages[page].start + list.users.count, cursor: next))
            }
        } else {
            // If users were removed since, this page has users of the next one, which are dropped here.
            pages[page].users = Array(list.users.prefix(pages[page + 1].start - pages[page].start))
        }
        kept.removeAll { $0 == page }
        kept.append(page)
        if kept.count > Self.keptPages { pages[kept.removeFirst()].users = nil }
    }
}
