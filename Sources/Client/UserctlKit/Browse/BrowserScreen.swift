import Model
import TerminalViews

/// What a terminal shows of somebody browsing: as many lines as it has.
package struct BrowserScreen: View {
    private let browser: Browser
    private let clock: WallClock
    /// What the search is written in: the cursor stands after it.
    private let charset: Charset

    package init(_ browser: Browser, clock: WallClock, charset: Charset = .unicode) {
        self.browser = browser
        self.clock = clock
        self.charset = charset
    }

    package var body: some View {
        Column {
            if rows > 2 { searchLine.frame(height: 1) }
            content.frame(height: layout.bodyHeight)
            if rows > 1 { StateLine(browser, clock: clock).frame(height: 1) }
        }
        .frame(height: rows)
    }

    /// The cell after the last typed character, counted from 0; nil where that is not to be seen.
    package var cursor: (row: Int, column: Int)? {
        guard rows > 2 else { return nil }
        return (0, min(columns - 1, prompt.displayWidth + visibleQuery.displayWidth))
    }

    private var layout: BrowserLayout { browser.layout }
    private var rows: Int { layout.size.rows }
    private var columns: Int { layout.size.columns }

    // MARK: The line at the top

    private var prompt: String { columns < 40 ? "/ " : "Search: " }

    /// The end of it, where it is too long.
    private var visibleQuery: Substring {
        let room = columns - prompt.displayWidth - place.displayWidth - BrowserLayout.gap - 1
        let shown = charset.shown(browser.query.sanitised)
        var (start, width) = (shown.endIndex, 0)
        while start > shown.startIndex {
            let before = shown.index(before: start)
            width += shown[before].displayWidth
            if width > max(room, 4) { break }
            start = before
        }
        return shown[start...]
    }

    /// `12 of 5,000`.
    private var place: String {
        guard let total = browser.list?.total, total > 0 else { return "" }
        return "\(grouped(browser.selection + 1)) of \(grouped(total))"
    }

    private var searchLine: some View {
        Row(spacing: 0) {
            Text(prompt).style(.secondary)
            Text(String(visibleQuery)).style(.title)
            Spacer()
            Text(place).style(.secondary)
        }
    }

    // MARK: The body

    private var content: some View {
        Column {
            if browser.showsHelp {
                KeysPage()
            } else if let list = browser.list, let total = list.total {
                if total > 0 {
                    panes
                } else if let freshness = list.freshness {
                    NoRecordsPage(resource: .users, freshness: freshness, isFiltered: list.search != nil)
                }
            } else {
                LoadingPage("Reading the users…")
            }
        }
    }

    private var panes: some View {
        Column(spacing: 1) {
            switch layout.card {
            case .beside(let width):
                Row(spacing: BrowserLayout.gap) {
                    list
                    card.frame(width: width)
                }
            case .below(let height):
                list
                card.frame(height: height)
            case .insteadOfList:
                if browser.showsCard { card } else { list }
            }
        }
    }

    private var list: some View {
        UserPane(
            (browser.top..<browser.top + layout.visibleUsers).map { position in
                UserPane.Row(
                    user: browser.list?.user(at: position), exists: position < browser.total,
                    isSelected: position == browser.selection)
            }, width: layout.listWidth, hasHeadings: layout.hasHeadings
        )
        .frame(height: layout.listHeight)
    }

    private var card: some View {
        Column {
            if let user = browser.selected { UserCard(user) }
        }
    }
}

/// What each key does.
private struct KeysPage: View {
    var body: some View {
        Card("Keys") {
            Fields {
                Field("any letter", "searches")
                Field("Up, Down", "the user before, the next")
                Field("Page Up, Page Down", "a screen back, or on")
                Field("Home, End", "the first user, the last")
                Field("Enter", "the card, where there is no room for it")
                Field("Ctrl-W, Ctrl-U", "take back a word, or all")
                Field("Ctrl-R", "fetches the users anew")
                Field("Ctrl-Z", "leaves for a while: `fg` comes back")
                Field("Esc", "clears the search, then leaves")
                Field("Ctrl-C", "leaves")
            }
        }
    }
}
