import Model
import TerminalViews
import Testing
import UserdAPI

@testable import UserctlCommands

/// A browser and a fake userd, which answers when the test says so.
struct Browsing {
    private(set) var browser: Browser
    /// userd's users, sorted by name.
    var users: [User]
    var source = Browser.Source.daemon
    var syncedAt = time("04T11:57:00")
    /// The total that userd reports; nil for the real one.
    var total: Int?
    private(set) var effects: [Browser.Effect] = []
    private(set) var asked: [Fetch] = []
    private var waiting: [Fetch] = []

    init(
        _ users: [User], columns: Int = 60, rows: Int = 8, _ purpose: Browser.Purpose = .browsing,
        query: String = "", drawsPictures: Bool = false, actions: [UserAction] = UserAction.builtIn,
        card: User.ID? = nil
    ) {
        self.users = users
        browser = Browser(
            size: .init(columns: columns, rows: rows), debounce: .milliseconds(80), purpose, query: query,
            drawsPictures: drawsPictures, actions: actions, card: card)
        carryOut(browser.begin())
    }

    /// A browser that has read the first users.
    static func begun(_ users: [User], columns: Int = 60, rows: Int = 8) -> Browsing {
        var browsing = Browsing(users, columns: columns, rows: rows)
        browsing.send(.connected)
        browsing.send(.state(browsing.loaded))
        browsing.answer()
        return browsing
    }

    var isWaiting: Bool { !waiting.isEmpty }

    var loaded: State { state(.users, .loaded, count: users.count, syncedAt: syncedAt) }

    mutating func send(_ event: Browser.Event) { carryOut(browser.handle(event)) }

    mutating func resize(columns: Int, rows: Int) { send(.resized(.init(columns: columns, rows: rows))) }

    mutating func press(_ keys: Key...) { for key in keys { send(.key(key)) } }

    /// Types a text, and waits until the search starts.
    mutating func type(_ text: String) {
        press(.text(text))
        elapse()
    }

    /// Lets the last wait pass.
    mutating func elapse() {
        let numbers = effects.compactMap { if case .wait(_, let number) = $0 { number } else { nil } }
        if let last = numbers.last { send(.elapsed(last)) }
    }

    /// Answers until there is no request left.
    mutating func answer() {
        while isWaiting { answerOne() }
    }

    mutating func answerOne() {
        let fetch = waiting.removeFirst()
        if case .managers(let user) = fetch.subject {
            let found = chain(of: user)
            send(.page(found.page, of: fetch, from: source, whyEmpty: found.whyEmpty))
        } else {
            send(.page(page(fetch.query), of: fetch, from: source))
        }
    }

    /// Answers that nobody matches, and that these users are near.
    mutating func answerWithNear(_ users: [User]) {
        let list = UserList(users: users, total: users.count, next: nil, freshness: freshness)
        send(.page(list, of: waiting.removeFirst(), from: source, isNear: true))
    }

    /// Gives at most this many answers.
    mutating func answer(atMost times: Int) {
        for _ in 0..<times where isWaiting { answerOne() }
    }

    mutating func fail(_ error: CommandError, isOutdated: Bool = false) {
        send(.failed(waiting.removeFirst(), error, isOutdated: isOutdated))
    }

    mutating func forgetAsked() { asked = [] }

    /// Commits a sync with these users.
    mutating func commit(_ users: [User], second: Int) {
        (self.users, syncedAt) = (users, noon + .seconds(second))
        send(.state(loaded))
    }

    private mutating func carryOut(_ effects: [Browser.Effect]) {
        self.effects += effects
        for case .fetch(let fetch) in effects {
            asked.append(fetch)
            waiting.append(fetch)
        }
        #expect(waiting.count <= 1, "one page at a time")
    }

    private func page(_ query: ListUsers) -> UserList {
        let fitting = users.filter {
            $0.name.last.lowercased().hasPrefix(query.search?.lowercased() ?? "")
                && (query.manager == nil || query.manager == $0.manager?.id)
        }
        let ordered = query.descending == true ? fitting.reversed() : fitting
        let start = query.cursor.flatMap { Int($0) } ?? 0
        let users = Array(ordered.dropFirst(start).prefix(query.limit ?? .max))
        let end = start + users.count
        return UserList(
            users: users, total: total ?? ordered.count, next: end < ordered.count ? String(end) : nil,
            freshness: freshness)
    }

    private func chain(of user: User) -> ManagerChain {
        var (managers, end) = ([User](), ManagerChain.End.top)
        var last = users.first { $0.id == user.id } ?? user
        while let manager = last.manager {
            guard let found = users.first(where: { $0.id == manager.id }) else {
                end = .absent
                break
            }
            managers.append(found)
            last = found
        }
        return ManagerChain(
            user: user, managers: managers, end: end, named: users.contains { $0.manager != nil },
            freshness: freshness)
    }

    private var freshness: Freshness {
        Freshness(phase: .loaded, syncedAt: syncedAt, age: nil, stale: false)
    }

    // MARK: The screen

    var screen: String {
        render(BrowserScreen(browser: browser, clock: clock), width: browser.size.columns, colour: false)
    }

    var lines: [String] {
        screen.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Such as `12 of 5,000`.
    var place: String {
        let words = (lines.first ?? "").split(separator: " ")
        return words.suffix(3).joined(separator: " ")
    }

    /// The selected user's line.
    var chosen: String {
        lines.first { $0.hasPrefix(">  ") }?.dropFirst(3).split(separator: " ")[0].description ?? ""
    }
}

/// Users named after their numbers.
func numbered(_ numbers: some Sequence<Int>) -> [User] {
    numbers.map { number in
        let digits = String(1_000_000 + number).dropFirst()
        return User(id: "id\(number)", name: .init(first: "Ann", last: "User\(digits)")) {
            $0.email = "\(number)@example.com"
        }
    }
}

func person(_ first: String, _ last: String, under manager: User.ID? = nil) -> User {
    User(id: last, name: .init(first: first, last: last)) {
        $0.email = "\(first)@example.com"
        $0.manager = manager.map { .init(id: $0) }
    }
}

/// Muster has the report Keller, Keller has Ek and Orth, Orth has Pohl.
let staff = [
    person("Bea", "Ek", under: "Keller"), person("Anna", "Keller", under: "Muster"), person("Max", "Muster"),
    person("Carl", "Orth", under: "Keller"), person("Dora", "Pohl", under: "Orth"),
]
let allStaff = staff.map(\.id)

extension Browsing {
    /// A browser that has read the first users, and has selected one.
    static func begun(
        at id: User.ID, _ purpose: Browser.Purpose = .browsing, columns: Int = 60, users: [User] = staff
    ) -> Browsing {
        var browsing = Browsing(users, columns: columns, purpose)
        browsing.send(.connected)
        browsing.send(.state(browsing.loaded))
        browsing.answer()
        while browsing.browser.selected?.id != id, browsing.browser.selection < users.count - 1 {
            browsing.press(.down)
        }
        return browsing
    }

    /// Expects a list below this beginning of the top line, with one user selected.
    func expect(
        _ top: String, _ ids: [User.ID], at selected: User.ID,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let listed = (0..<browser.total).map { browser.list?.user(at: $0)?.id }
        #expect(listed == ids, sourceLocation: sourceLocation)
        #expect(browser.selected?.id == selected, sourceLocation: sourceLocation)
        let position = "\((ids.firstIndex(of: selected) ?? -1) + 1) of \(ids.count)"
        let line = lines.first ?? ""
        #expect(
            line.hasPrefix(top + " ") && line.hasSuffix(" " + position), "\(line)",
            sourceLocation: sourceLocation)
    }
}
