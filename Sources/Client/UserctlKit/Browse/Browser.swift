import Model
import UserdAPI

/// Somebody browsing in the users: what is on the screen, and what each key and each message makes of it. A value: it
/// does nothing itself, and says what is to be done.
package struct Browser {
    package enum Event: Sendable {
        case key(Key)
        case resized(BrowserLayout.Size)
        /// What was waited for has passed.
        case elapsed(Int)
        case page(UserList, of: Fetch, from: Source)
        case failed(Fetch, CommandError, isOutdated: Bool)
        case connected
        case lost
        case state(State)
        /// userd could not be asked to sync.
        case refused(CommandError)
    }

    package enum Effect: Hashable, Sendable {
        case fetch(Fetch)
        /// Comes back as `elapsed`; only the last one counts.
        case wait(Duration, Int)
        case sync
        case suspend
        case redraw
        case leave(Leave)
    }

    package enum Leave: Hashable, Sendable {
        case done
        case interrupted
        case failed(CommandError)
    }

    package typealias Source = Connection.Source
    package typealias Size = BrowserLayout.Size

    enum Link: Hashable { case unknown, live, lost }

    /// A list that is being read to be shown instead of the one that is.
    struct Coming {
        enum Goal { case first, sameUser }

        var list: BrowsedList
        let goal: Goal
        let end: Fetch.End
    }

    var query = ""
    var layout: BrowserLayout
    var list: BrowsedList?
    var coming: Coming?
    var selection = 0
    /// The first that is visible.
    var top = 0
    var source: Source?
    var link = Link.unknown
    var state: State?
    /// In place of the state, until the next key.
    var notice: String?
    var showsHelp = false
    var showsCard = false

    /// One at a time: what it is asked for next depends on what comes.
    private var fetching: Fetch?
    /// After a failure, until there is a reason to try again.
    private var isHeld = false
    private var generation = 0
    private var wait = 0
    /// The sync that the list was last read anew for.
    private var reloadedFor: Timestamp?
    private let debounce: Duration

    /// How far beyond its old place a user is looked for in a list that has changed.
    private static let searchedUsers = 10_000

    /// - Parameter debounce: how long no more must have been typed for a search to begin.
    package init(size: BrowserLayout.Size, debounce: Duration) {
        layout = BrowserLayout(size)
        self.debounce = debounce
    }

    package mutating func begin() -> [Effect] {
        load(search: nil, .first)
        return fetchEffects()
    }

    package mutating func handle(_ event: Event) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .key(let key):
            (notice, isHeld) = (nil, false)
            effects = press(key)
        case .resized(let size):
            layout = BrowserLayout(size)
            select(selection)
            effects = [.redraw]
        case .elapsed(let number):
            if number == wait { search() }
        case .page(let users, let fetch, let source):
            fetching = nil
            add(users, of: fetch, from: source)
        case .failed(let fetch, let error, let isOutdated):
            fetching = nil
            effects = fail(fetch, error, isOutdated: isOutdated)
        case .connected:
            let wasElsewhere = link == .lost || source.map { $0 != .daemon } ?? false
            (link, isHeld) = (.live, false)
            if wasElsewhere {
                notice = nil
                reload()
            }
        case .lost:
            let wasLive = link == .live
            (link, isHeld) = (.lost, false)
            if wasLive { reload() }
        case .state(let state):
            isHeld = false
            self.state = state
        case .refused(let error):
            notice = error.lines.joined(separator: "; ")
        }
        if isOutdated {
            reloadedFor = state?.syncedAt
            reload()
        }
        return effects + fetchEffects()
    }

    package var size: BrowserLayout.Size { layout.size }
    var total: Int { list?.total ?? 0 }
    var selected: User? { list?.user(at: selection) }

    // MARK: Selecting

    mutating func select(_ position: Int) {
        selection = max(0, min(position, total - 1))
        let rows = layout.visibleUsers
        top = max(0, min(max(top, selection - rows + 1), selection, total - rows))
    }

    // MARK: Searching

    mutating func type(_ query: String) -> [Effect] {
        showsCard = false
        self.query = query
        wait += 1
        return [.wait(debounce, wait)]
    }

    private mutating func search() {
        let search = searched
        if search == list?.search, list != nil {
            if coming?.goal == .first { coming = nil }
        } else if search != coming?.list.search || coming == nil {
            load(search: search, .first)
        }
    }

    // MARK: Reading

    private mutating func load(search: String?, _ goal: Coming.Goal) {
        generation += 1
        let isNearFront = goal == .first || selection <= total - selection
        coming = Coming(
            list: BrowsedList(generation: generation, search: search), goal: goal,
            end: isNearFront ? .front : .back)
    }

    /// Reads anew what is shown, or is to be.
    private mutating func reload() {
        load(search: searched, list != nil && searched == list?.search ? .sameUser : .first)
    }

    /// What userd is to look for; nil for nothing.
    private var searched: String? {
        let words = query.trimmed
        return words.isEmpty ? nil : words
    }

    /// Whether a sync has been committed since the list was read.
    private var isOutdated: Bool {
        guard link == .live, source == .daemon, coming == nil, let list, let synced = state?.syncedAt else {
            return false
        }
        return synced != reloadedFor && list.syncedAt.map { $0 < synced } ?? true
    }

    private mutating func add(_ users: UserList, of fetch: Fetch, from source: Source) {
        if coming?.list.generation == fetch.generation {
            self.source = source
            if coming?.list.add(users, of: fetch) == false { reload() }
            arrive()
        } else if list?.generation == fetch.generation {
            self.source = source
            if list?.add(users, of: fetch) == false { reload() }
        }
    }

    private mutating func fail(_ fetch: Fetch, _ error: CommandError, isOutdated: Bool) -> [Effect] {
        guard [list?.generation, coming?.list.generation].contains(fetch.generation) else { return [] }
        if isOutdated, fetch.query.cursor != nil {
            reload()
            return []
        }
        isHeld = true
        guard list != nil else { return [.leave(.failed(error))] }
        if coming?.list.generation == fetch.generation { (coming, reloadedFor) = (nil, nil) }
        notice = error.lines.joined(separator: "; ")
        return []
    }

    /// Shows the coming list as soon as it has what is to be shown.
    private mutating func arrive() {
        guard let coming, let total = coming.list.total, nextStep(of: coming) == nil else { return }
        let (line, wasAtTop) = (selection - top, top == 0)
        let place = selected.flatMap { coming.list.position(of: $0.id) } ?? selection
        (list, self.coming) = (coming.list, nil)
        switch coming.goal {
        case .first: (selection, top) = (0, 0)
        case .sameUser:
            top = wasAtTop && place < layout.visibleUsers ? 0 : min(place, total - 1) - line
            select(place)
        }
    }

    /// Nil where it is complete.
    private func nextStep(of coming: Coming) -> Fetch? {
        guard coming.list.total != nil else { return coming.list.fetch(coming.end, page: 0) }
        guard coming.goal == .sameUser else { return nil }
        let offset = coming.end == .front ? selection : max(0, total - 1 - selection)
        guard let id = selected?.id else { return coming.list.walk(from: coming.end, upTo: offset) }
        if coming.list.position(of: id) != nil { return nil }
        return coming.list.walk(from: coming.end, upTo: offset + Self.searchedUsers)
    }

    private mutating func fetchEffects() -> [Effect] {
        guard fetching == nil, !isHeld, let next = nextFetch() else { return [] }
        fetching = next
        return [.fetch(next)]
    }

    private func nextFetch() -> Fetch? {
        if let coming { return nextStep(of: coming) }
        guard let list else { return nil }
        let rows = layout.visibleUsers
        // What is visible first, then a screen ahead either way.
        let wanted = [top..<top + rows, top + rows..<top + 2 * rows, top - rows..<top]
        return list.fetch(for: selection) ?? wanted.joined().lazy.compactMap(list.fetch).first
    }
}

extension String {
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
