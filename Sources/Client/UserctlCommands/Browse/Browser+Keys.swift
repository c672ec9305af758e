import Model

extension Browser {
    mutating func press(_ key: Key) -> [Effect] {
        switch key {
        case .control("c"): return [.leave(.interrupted)]
        case .control("z"): return [.suspend]
        case .control("l"): return [.redraw]
        default: break
        }
        if showsHelp {
            showsHelp = false
            if key.onlyClosesHelp { return [] }
        }
        if let effects = answer(key) { return effects }
        if showsCard, case .text(let letter) = key, let effects = act(letter) { return effects }
        switch key {
        case .up, .control("p"): select(selection - 1)
        case .down, .control("n"): select(selection + 1)
        case .left: step { .managers(of: $0) }
        case .right: step { .reports(of: $0) }
        case .pageUp: turn(by: -layout.visibleUsers)
        case .pageDown: turn(by: layout.visibleUsers)
        case .home: select(0)
        case .end: select(total - 1)
        case .enter: return enter()
        case .tab: mark(thenMoveBy: 1)
        case .backTab: mark(thenMoveBy: -1)
        case .help: showsHelp = true
        case .escape: return escape()
        case .control("r"): return [.sync]
        case .control("g"): toggleKinds()
        case .control("y"): return purpose == .browsing ? act("y") ?? [] : []
        case .text(let text): return insert(text)
        case .backspace where query.isEmpty && !showsCard && !path.isEmpty: goBack()
        case .backspace: return edit(String(query.dropLast()))
        case .deleteWord: return edit(query.withoutLastWord)
        case .control("u"): return edit("")
        case .control: break
        }
        return []
    }

    /// Searches all kinds, or persons again.
    private mutating func toggleKinds() {
        // Managers and reports are persons.
        guard path.isEmpty else { return }
        kinds = kinds == nil ? UserKind.allCases : nil
        showsCard = false
        search()
    }

    private mutating func enter() -> [Effect] {
        if purpose == .browsing {
            showsCard = selected != nil && !showsCard
            return []
        }
        let chosen = marks.isEmpty ? selected.map { [$0] } ?? [] : marks.users
        return chosen.isEmpty ? [] : [.leave(.chosen(chosen))]
    }

    private mutating func mark(thenMoveBy rows: Int) {
        guard purpose != .choosing, let selected else { return }
        marks.toggle(selected)
        select(selection + rows)
    }

    /// Scrolls by a screen.
    private mutating func turn(by rows: Int) {
        top += rows
        select(selection + rows)
    }

    private mutating func escape() -> [Effect] {
        if isStepping {
            (pending, reloadedFor) = (nil, nil)
        } else if showsCard {
            showsCard = false
        } else if !path.isEmpty {
            goBack()
        } else if !query.isEmpty {
            return type("")
        } else if !marks.isEmpty {
            marks = MarkedUsers()
        } else {
            return [.leave(.done)]
        }
        return []
    }

    /// Changes the search. The card is left even if there is nothing to delete: the letters typed next belong to the
    /// search, and must not act on the card's user.
    private mutating func edit(_ shorter: String) -> [Effect] {
        showsCard = false
        return query.isEmpty ? [] : type(shorter)
    }

    private mutating func insert(_ text: String) -> [Effect] {
        if query.isEmpty {
            // No word starts with one of these.
            if text == "?" { showsHelp = true }
            if text == "?" || text == "/" || text.allSatisfy(\.isWhitespace) { return [] }
        }
        let longer = query + text
        return longer.utf8.count > Self.longestQuery ? [] : type(longer)
    }

    /// userd's limit, in bytes.
    private static var longestQuery: Int { 1000 }
}

extension Key {
    /// All other keys close the help and do what they usually do.
    var onlyClosesHelp: Bool { [.help, .escape, .enter, .text("?"), .text(" ")].contains(self) }
}

extension String {
    /// Like a shell's Ctrl-W; keeps the blanks before the word.
    fileprivate var withoutLastWord: String {
        let end = lastIndex { !$0.isWhitespace } ?? startIndex
        let word = self[..<end].lastIndex(where: \.isWhitespace)
        return word.map { String(self[...$0]) } ?? ""
    }
}
