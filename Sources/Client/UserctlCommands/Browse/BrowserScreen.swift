import Model
import TerminalViews

/// The full screen: as many lines as the terminal has.
struct BrowserScreen: View {
    let browser: Browser
    let clock: WallClock
    /// Determines the width of the typed search, and so the cursor's column.
    var charset = Charset.unicode

    var body: some View {
        Column {
            if rows > 2 { searchLine.frame(height: 1) }
            content.frame(height: layout.bodyHeight)
            if rows > 1 { StateLine(browser: browser, clock: clock).frame(height: 1) }
        }
        .frame(height: rows)
    }

    /// The cell after the last typed character, counted from 0; nil if the search is not shown.
    var cursor: (row: Int, column: Int)? {
        guard rows > 2 else { return nil }
        return (0, min(columns - 1, prompt.displayWidth + visibleQuery.displayWidth))
    }

    private var layout: BrowserLayout { browser.layout }
    private var rows: Int { layout.size.rows }
    private var columns: Int { layout.size.columns }

    // MARK: The top line

    private var prompt: String { columns < 40 ? "/ " : "Search: " }

    /// The end of the search, if it is too long.
    private var visibleQuery: Substring {
        let room = columns - prompt.displayWidth - position.displayWidth - BrowserLayout.gap - 1
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

    /// `12 of 5,000`, with a star before it if the selected user is marked.
    private var position: String {
        guard let total = browser.list?.total, total > 0 else { return "" }
        let isCounted = browser.list?.search == nil || total <= SearchLimits.countedExactly
        if browser.list?.isNear == true {
            return "no match; " + (browser.selection < 0 ? "" : "\(browser.selection + 1) of ")
                + "\(total) near"
        }
        let end = isCounted ? grouped(total) : grouped(SearchLimits.countedExactly) + "+"
        let isMarked = browser.selected.map { browser.marks.contains($0.id) } ?? false
        return "\(isMarked ? "* " : "")\(grouped(browser.selection + 1)) of \(end)"
    }

    private var searchLine: some View {
        Row(spacing: 0) {
            Text(prompt).style(.secondary)
            Text(String(visibleQuery)).style(.title)
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
                } else if let freshness = list.freshness {
                    NoRecordsPage(resource: .users, freshness: freshness, isFiltered: list.search != nil)
                }
            } else {
                Notice("Reading the users…", .secondary)
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
