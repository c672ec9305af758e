import Model
import TerminalViews
import UserdAPI

/// The state of `userctl browse`: the content of the screen, changed by each key and event. A pure value: it
/// returns effects, which its caller carries out.
struct Browser {
    typealias Source = UserdOrCache.Source
    typealias Size = BrowserLayout.Size

    enum Link: Hashable { case unknown, live, lost }

    var query: String
    /// The kinds that are searched; nil for persons.
    var kinds: [UserKind]?
    var layout: BrowserLayout
    var list: BrowsedList?
    var pending: PendingList?
    /// Lists to go back to. Empty if the list is that of the search.
    var path: [Step] = []
    /// -1 for nobody: of users who are only near, and where the first is no person, a key chooses the first.
    var selection = 0
    /// The first visible position.
    var top = 0
    var source: Source?
    var link = Link.unknown
    var state: State?
    /// Shown instead of the state, until the next key.
    var notice: String?
    var showsHelp = false
    /// Waits for the key that answers it; another key takes it back.
    var question: Question?
    /// Shows the card on the whole screen.
    var showsCard = false
    /// They stay marked when the search or the list changes.
    var marks = MarkedUsers()
    /// Keys that wait for the list or the user that they are meant for.
    var waitingKeys: [Key] = []
    private(set) var widest = WidestCells()
    let purpose: Purpose
    let actions: [UserAction]
    /// Those of the user with this id.
    private var fetchedDetails: (id: String, details: CardDetails)?
    private var isFetchingDetails = false
    private let drawsPictures: Bool
    /// The user whose card is shown when the first list is read.
    var firstCard: User.ID?

    /// The page being fetched. One at a time, because the next page depends on this one.
    private var fetching: Fetch?
    /// True after a failure: nothing is fetched until the next key or event from userd.
    private var isHeld = false
    private var generation = 0
    private var wait = 0
    /// The time of the sync that last caused a reload.
    var reloadedFor: Timestamp?
    private let debounce: Duration

    /// How far beyond the old position a changed list is searched for the selected user.
    private static let searchedUsers = 10_000

    /// - Parameters:
    ///   - debounce: the pause in typing after which a search starts.
    ///   - query: the search to start with.
    ///   - kinds: the kinds to start with; nil for persons.
    ///   - drawsPictures: requests the selected user's picture.
    ///   - card: the user whose card is shown first, if the search finds them.
    init(
        size: BrowserLayout.Size, debounce: Duration, _ purpose: Purpose = .browsing, query: String = "",
        kinds: [UserKind]? = nil, drawsPictures: Bool = false,
        actions: [UserAction] = UserAction.builtIn, card: User.ID? = nil
    ) {
        layout = BrowserLayout(size)
        self.kinds = kinds
        (self.debounce, self.purpose, self.query) = (debounce, purpose, query)
        self.drawsPictures = drawsPictures
        (self.actions, firstCard) = (actions, card)
    }

    mutating func begin() -> [Effect] {
        load(wanted, .first)
        return fetchEffects()
    }

    mutating func handle(_ event: Event) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .key(let key):
            (notice, isHeld) = (nil, false)
            effects = take(key)
        case .resized(let size):
            layOut(size)
            effects = [.redraw]
        case .elapsed(let number):
            if number == wait { search() }
        case .page(let users, let fetch, let source, let isNear, let whyEmpty):
            fetching = nil
            add(users, of: fetch, from: source, isNear: isNear, whyEmpty)
        case .others(let words, let fetch):
            if pending?.list.generation == fetch.generation { pending?.list.others = words }
            if list?.generation == fetch.generation { list?.others = words }
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
        case .done(let what):
            notice = what
        case .details(let id, let details):
            (fetchedDetails, isFetchingDetails) = ((id, details), false)
        }
        if isOutdated {
            reloadedFor = state?.syncedAt
            reload()
        }
        return effects + pressWaitingKeys() + fetchEffects() + detailEffects()
    }

    var size: BrowserLayout.Size { layout.size }
    var total: Int { list?.total ?? 0 }
    var selected: User? { list?.user(at: selection) }
    /// Those that have been fetched for the selected user.
    var details: CardDetails {
        guard let fetchedDetails, let selected, fetchedDetails.id.hasSameBytes(as: selected.id) else {
            return CardDetails()
        }
        return fetchedDetails.details
    }

    /// Whether the selected user is still to be read.
    var isReadingSelected: Bool {
        selected == nil && (0..<total).contains(selection) && (fetching != nil || nextFetch() != nil)
    }

    // MARK: Selecting

    private mutating func layOut(_ size: Size) {
        layout = BrowserLayout(size, widestAddress: widest[.email])
        if selection >= 0 { select(selection) }
    }

    mutating func select(_ position: Int) {
        selection = max(0, min(position, total - 1))
        let rows = layout.visibleUsers
        top = max(0, min(max(top, selection - rows + 1), selection, total - rows))
    }

    // MARK: Searching

    mutating func type(_ query: String) -> [Effect] {
        (showsCard, path) = (false, [])
        self.query = query
        wait += 1
        return [.wait(debounce, wait)]
    }

    mutating func search() {
        let wanted = wanted
        if wanted == list?.subject {
            if pending?.goal == .first { pending = nil }
        } else if wanted != pending?.list.subject {
            load(wanted, .first)
        }
    }

    // MARK: Reading

    mutating func load(_ subject: BrowsedList.Subject, _ goal: PendingList.Goal) {
        generation += 1
        var isNearFront = goal != .sameUser || selection <= total - selection
        if case .managers = subject { isNearFront = true }
        pending = PendingList(
            list: BrowsedList(generation: generation, subject), goal: goal,
            end: isNearFront ? .front : .back)
    }

    /// Reads the list again, or the one that is about to replace it.
    private mutating func reload() {
        if let pending, pending.goal == .step {
            load(pending.list.subject, .step)
        } else {
            load(wanted, wanted == list?.subject ? .sameUser : .first)
        }
    }

    /// The list that is to be shown, once it is read.
    var wanted: BrowsedList.Subject {
        if !path.isEmpty, let list { return list.subject }
        return .search(searched, kinds: kinds)
    }

    /// The typed search without blanks around it; nil if empty.
    private var searched: String? {
        let start = query.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) }
    }

    /// Whether a sync was committed after the list was read.
    private var isOutdated: Bool {
        guard link == .live, source == .daemon, pending == nil, let list, let synced = state?.syncedAt else {
            return false
        }
        return synced != reloadedFor && list.syncedAt.map { $0 < synced } ?? true
    }

    private mutating func add(
        _ users: UserList, of fetch: Fetch, from source: Source, isNear: Bool, _ whyEmpty: String?
    ) {
        if widest.add(users.users) { layOut(size) }
        if pending?.list.generation == fetch.generation {
            self.source = source
            if pending?.list.add(users, of: fetch, isNear: isNear, whyEmpty: whyEmpty) == false { reload() }
            arrive()
        } else if list?.generation == fetch.generation {
            self.source = source
            if list?.add(users, of: fetch, isNear: isNear) == false { reload() }
        }
    }

    private mutating func fail(_ fetch: Fetch, _ error: CommandError, isOutdated: Bool) -> [Effect] {
        guard [list?.generation, pending?.list.generation].contains(fetch.generation) else { return [] }
        if isOutdated, fetch.query.cursor != nil {
            reload()
            return []
        }
        isHeld = true
        waitingKeys = []
        guard list != nil else { return [.leave(.failed(error))] }
        if pending?.list.generation == fetch.generation { (pending, reloadedFor) = (nil, nil) }
        notice = error.lines.joined(separator: "; ")
        return []
    }

    /// Shows the pending list once it has the pages for the screen.
    private mutating func arrive() {
        guard let pending, let total = pending.list.total, nextStep(of: pending) == nil else { return }
        if pending.goal == .step {
            guard total > 0 else {
                // Keys typed ahead mean a user of that list.
                (notice, waitingKeys, self.pending) = (pending.list.whyEmpty, [], nil)
                // It may have taken the place of a reload.
                reloadedFor = nil
                return
            }
            remember()
        }
        let (line, wasAtTop) = (selection - top, top == 0)
        let same = selected.flatMap { pending.list.position(of: $0.id) }
        let position = same ?? max(selection, 0)
        let wasNone = selection < 0
        (list, self.pending) = (pending.list, nil)
        switch pending.goal {
        case _ where pending.list.isNear && (same == nil || pending.goal == .first):
            (selection, top) = (-1, 0)
            // Enter, typed ahead, means a user who matches.
            waitingKeys = []
        case _ where pending.list.beginsWithOther && (pending.goal != .sameUser || wasNone):
            (selection, top, waitingKeys) = (-1, 0, [])
        case .first, .step: (selection, top) = (0, 0)
        case .sameUser:
            top = wasAtTop && position < layout.visibleUsers ? 0 : min(position, total - 1) - line
            select(position)
        }
        showFirstCard()
    }

    /// The next page of a pending list; nil if it has enough.
    private func nextStep(of pending: PendingList) -> Fetch? {
        guard pending.list.total != nil else { return pending.list.fetch(pending.end, page: 0) }
        guard pending.goal == .sameUser else { return nil }
        let offset = pending.end == .front ? selection : max(0, total - 1 - selection)
        guard let id = selected?.id else { return pending.list.walk(from: pending.end, upTo: offset) }
        if pending.list.position(of: id) != nil { return nil }
        return pending.list.walk(from: pending.end, upTo: offset + Self.searchedUsers)
    }

    private mutating func fetchEffects() -> [Effect] {
        guard fetching == nil, !isHeld, let next = nextFetch() else { return [] }
        fetching = next
        return [.fetch(next)]
    }

    /// Requests the details of one user at a time, so that users who are passed quickly get no request.
    private mutating func detailEffects() -> [Effect] {
        guard !isFetchingDetails, showsCard || layout.card != .insteadOfList, let user = selected,
            fetchedDetails?.id.hasSameBytes(as: user.id) != true
        else { return [] }
        isFetchingDetails = true
        return [.details(of: user)]
    }

    private func nextFetch() -> Fetch? {
        if let pending { return nextStep(of: pending) }
        guard let list else { return nil }
        let rows = layout.visibleUsers
        // First the visible rows, then a screen in each direction.
        let wanted = [top..<top + rows, top + rows..<top + 2 * rows, top - rows..<top]
        return list.fetch(for: selection) ?? wanted.joined().lazy.compactMap(list.fetch).first
    }
}
