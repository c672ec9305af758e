import CommandSupport
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
            return []
        }
        if showsCard, case .text(let letter) = key, let effects = act(letter) { return effects }
        switch key {
        case .up, .control("p"): select(selection - 1)
        case .down, .control("n"): select(selection + 1)
        case .pageUp: turn(by: -layout.visibleUsers)
        case .pageDown: turn(by: layout.visibleUsers)
        case .home: select(0)
        case .end: select(total - 1)
        case .enter:
            if purpose == .choosing, let selected { return [.leave(.chosen(selected))] }
            showsCard = selected != nil && !showsCard
        case .help: showsHelp = true
        case .escape: return escape()
        case .control("r"): return [.sync]
        case .text(let text): return insert(text)
        case .backspace: return query.isEmpty ? [] : type(String(query.dropLast()))
        case .deleteWord: return query.isEmpty ? [] : type(query.withoutLastWord)
        case .control("u"): return query.isEmpty ? [] : type("")
        case .control: break
        }
        return []
    }

    /// The effects of a letter on a card; nil if the letter belongs to the search.
    private mutating func act(_ letter: String) -> [Effect]? {
        guard ["y", "m", "v"].contains(letter), let user = selected else { return nil }
        if letter == "v" { return [.act(.save(user))] }
        guard let address = user.allEmails.first?.value else {
            notice = "this user has no address"
            return []
        }
        return [.act(letter == "y" ? .copy(address) : .mail(to: address))]
    }

    /// Scrolls by a screen.
    private mutating func turn(by rows: Int) {
        top += rows
        select(selection + rows)
    }

    private mutating func escape() -> [Effect] {
        if showsCard {
            showsCard = false
            return []
        }
        return query.isEmpty ? [.leave(.done)] : type("")
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

extension String {
    /// Like a shell's Ctrl-W; keeps the blanks before the word.
    fileprivate var withoutLastWord: String {
        let end = lastIndex { !$0.isWhitespace } ?? startIndex
        let word = self[..<end].lastIndex(where: \.isWhitespace)
        return word.map { String(self[...$0]) } ?? ""
    }
}
