import Model
import TerminalViews
import UserdAPI

/// The full screen: as many lines as the terminal has.
struct BrowserScreen: View {
    let browser: Browser
    let clock: WallClock
    /// Determines the width of the typed search, and so the cursor's column.
    var charset = Charset.unicode

    var body: some View {
        Column {
            if rows > 2 { topLine.frame(height: 1) }
            content.frame(height: layout.bodyHeight)
            if rows > 1 { StateLine(browser: browser, clock: clock).frame(height: 1) }
        }
        .frame(height: rows)
    }

    /// The cell after the last typed character, counted from 0; nil if the search is not shown.
    var cursor: (row: Int, column: Int)? {
        guard rows > 2, browser.wanted.user == nil else { return nil }
        return (0, min(columns - 1, prompt.displayWidth + visibleQuery.displayWidth))
    }

    private var layout: BrowserLayout { browser.layout }
    private var rows: Int { layout.size.rows }
    private var columns: Int { layout.size.columns }

    // MARK: The top line

    private var prompt: String {
        let isNarrow = columns < 40
        return switch browser.wanted {
        case .search: isNarrow ? "/ " : "Search: "
        case .reports: isNarrow ? "> " : "Reports of "
        case .managers: isNarrow ? "< " : "Managers of "
        }
    }

    /// Cells between the prompt and the position.
    private var room: Int {
        columns - prompt.displayWidth - position.displayWidth - BrowserLayout.gap
    }

    /// The end of the search, if it is too long.
    private var visibleQuery: Substring {
        let shown = charset.shown(browser.query.sanitised)
        var (start, width) = (shown.endIndex, 0)
        while start > shown.startIndex {
            let before = shown.index(before: start)
            width += shown[before].displayWidth
            if width > max(room - 1, 4) { break }
            start = before
        }
        return shown[start...]
    }

    /// `12 of 5,000`, with a star before it if the selected user is marked.
    private var position: String {
        guard let total = browser.list?.total, total > 0 else { return "" }
        let isCounted = browser.list?.search == nil || total <= SearchLimits.countedExactly
        if browser.list?.isNear == true {
            return "no match; " + (browser.selection < 0 ? "" : "\(browser.selection + 1) of ")
                + "\(total) near"
        }
        let end = isCounted ? grouped(total) : grouped(SearchLimits.countedExactly) + "+"
        if browser.selection < 0 { return end }
        let isMarked = browser.selected.map { browser.marks.contains($0.id) } ?? false
        return "\(isMarked ? "* " : "")\(grouped(browser.selection + 1)) of \(end)"
    }

    private var topLine: some View {
        Row(spacing: 0) {
            Text(prompt).style(.secondary)
            if let user = browser.wanted.user {
                Text(user.shownName).style(.title).truncated().frame(width: max(room, 0))
            } else {
                Text(String(visibleQuery)).style(.title)
            }
            Spacer()
            Text(position).style(.secondary)
        }
    }

    // MARK: The body

    private var content: some View {
        Column {
            if browser.showsHelp {
                KeyHelp(purpose: browser.purpose)
            } else if let list = browser.list, let total = list.total {
                if total > 0 {
                    panes
                } else if let whyEmpty = list.whyEmpty {
                    Text(whyEmpty).style(.title)
                } else if let freshness = list.freshness {
                    NoRecordsPage(resource: .users, freshness: freshness, isFiltered: list.search != nil)
                }
            } else {
                Text("Reading the users…").style(.secondary)
            }
        }
    }

    private var panes: some View {
        Column(spacing: 1) {
            switch browser.showsCard ? .insteadOfList : layout.card {
            case .beside(let width):
                Row(spacing: BrowserLayout.gap) {
                    list
                    card(rows: layout.bodyHeight).frame(width: width)
                }
            case .below(let height):
                list
                card(rows: height).frame(height: height)
            case .insteadOfList:
                if browser.showsCard { card(rows: layout.bodyHeight) } else { list }
            }
        }
    }

    private var list: some View {
        UserPane(
            (browser.top..<browser.top + layout.visibleUsers).map { position in
                let user = browser.list?.user(at: position)
                return UserPane.Row(
                    user: user, exists: position < browser.total,
                    isSelected: position == browser.selection,
                    isMarked: user.map { browser.marks.contains($0.id) } ?? false,
                    distinction: browser.list?.distinction(at: position))
            }, width: layout.listWidth, hasHeadings: layout.hasHeadings, widest: browser.widest
        )
        .frame(height: layout.listHeight)
    }

    private func card(rows: Int) -> some View {
        Column {
            if let user = browser.selected { UserCard(user: user, details: browser.details, rows: rows) }
        }
    }
}

struct KeyHelp: View {
    let purpose: Browser.Purpose

    var body: some View {
        Card("Keys") {
            Fields {
                Field("any letter", "search")
                Field("Up, Down", "previous or next user")
                Field("Left, Right", "the user's managers or reports")
                Field("Page Up, Page Down", "previous or next screen")
                Field("Home, End", "first or last user")
                switch purpose {
                case .browsing: Field("Enter", "show the whole card, or the list again")
                case .choosing: Field("Enter", "choose")
                case .choosingSeveral: Field("Enter", "choose this user, or all marked users")
                }
                if purpose != .choosing {
                    Field("Tab, Shift-Tab", "mark, and go to the next or previous user")
                }
                if purpose == .browsing {
                    Field("on the card: y", "copy the address, or those of all marked users")
                    Field("on the card: t", "copy the telephone number")
                    Field("on the card: m", "write a mail")
                    Field("on the card: c", "call, after Enter")
                    Field("on the card: o", "choose by number what to open; again for more")
                    Field("on the card: v", "save as a vCard in this folder")
                    Field("Ctrl-Y", "the same as y, also in the list")
                }
                Field("Ctrl-G", "groups, rooms and others too, or persons alone")
                Field("Ctrl-W, Ctrl-U", "delete a word, or all")
                Field("Ctrl-R", "sync the users")
                Field("Ctrl-Z", "suspend; `fg` resumes")
                Field(
                    "Esc",
                    purpose == .choosing
                        ? "go back, clear the search, then leave"
                        : "go back, clear the search, the marks, then leave")
                Field("Ctrl-C", "leave")
            }
        }
    }
}

struct StateLine: View {
    let browser: Browser
    let clock: WallClock

    var body: some View {
        Row {
            if browser.layout.size.columns < 40, browser.notice == nil, question == nil, let marked {
                marked
            } else if let notice = question ?? browser.notice ?? unavailability {
                Text(notice).style(.warning).truncated()
            } else if browser.total > 0, browser.selection < 0 {
                Text(unselected).style(.warning).truncated()
            } else if let state = browser.state {
                state.phase.text
                Text(words(state)).truncated()
            } else {
                Text("asking userd…").style(.secondary)
            }
            // A question has the whole line.
            if question == nil, browser.layout.size.columns >= 60 {
                Spacer()
                marked
                others
                Text("F1 help").style(.secondary)
            } else if question == nil, browser.layout.size.columns >= 40, let marked {
                Spacer()
                marked
            }
        }
    }

    private var question: String? { browser.question?.words(browser.layout.size.columns) }

    private var marked: Text? {
        let count = browser.marks.users.count
        return count > 0 ? Text("\(grouped(count)) marked").style(.title) : nil
    }

    private var unselected: String {
        browser.list?.isNear == true
            ? "no match: Up or Down chooses one of those near"
            : "the first is not a person: Up or Down chooses one"
    }

    private var others: Text? {
        browser.list?.others.map { Text("and \($0): Ctrl-G").style(.secondary) }
    }

    /// The reason why userd does not answer.
    private var unavailability: String? {
        if case .cache(_, let reason) = browser.source {
            let freshness = browser.list?.freshness
            let failed = freshness.flatMap { $0.phase == .error ? "; \($0.failed)" : nil } ?? ""
            return "\(reason); reading its cache, \(synced(freshness?.syncedAt))\(failed)"
        }
        return browser.link == .lost ? "lost the connection to userd; reconnecting" : nil
    }

    private func synced(_ time: Timestamp?) -> String {
        time.map { "synced \(clock.ago($0))" } ?? "never synced"
    }

    private func words(_ state: State) -> String {
        let cached =
            "\(state.resource.counted(state.count)), \(synced(state.syncedAt))\(state.stale ? ", stale" : "")"
        switch state.phase {
        case .syncing: return [state.progress?.text, cached].compactMap { $0 }.joined(separator: "; ")
        case .error:
            let next = state.nextSyncAt.map { "next attempt \(clock.until($0))" }
            return [state.failure?.text, next, cached].compactMap { $0 }.joined(separator: "; ")
        case .initial, .loaded, .empty: return cached
        }
    }
}
