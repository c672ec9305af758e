extension Browser {
    /// Presses a key, or keeps it until the list that it is meant for is there: who types a search and Enter at once
    /// means the first user of that search, not of the list that is still shown.
    mutating func take(_ key: Key) -> [Effect] {
        switch key {
        case .control("c"), .control("z"), .control("l"): return press(key)
        case .escape: waitingKeys = []
        default: break
        }
        waitingKeys.append(key)
        return pressWaitingKeys()
    }

    mutating func pressWaitingKeys() -> [Effect] {
        var effects: [Effect] = []
        while let key = waitingKeys.first {
            let need = need(of: key)
            // Does not wait for a pause in typing.
            if need != .nothing, !isSettled { search() }
            guard need == .nothing || isSettled, need != .user || !isReadingSelected else { break }
            waitingKeys.removeFirst()
            let pressed = press(key)
            effects += pressed
            if pressed.contains(where: { if case .leave = $0 { true } else { false } }) { waitingKeys = [] }
        }
        return effects
    }

    /// Whether the shown list is that of the typed search, and is not about to be left for another.
    private var isSettled: Bool {
        list?.subject == wanted && pending.map { $0.goal == .sameUser } ?? true
    }

    private enum Need { case nothing, list, user }

    private func need(of key: Key) -> Need {
        if showsHelp, key.onlyClosesHelp { return .nothing }
        return switch key {
        case .up, .down, .pageUp, .pageDown, .home, .end, .control("p"), .control("n"): .list
        case .enter, .tab, .backTab, .left, .right, .control("y"): .user
        case .text where showsCard: .user
        // Text belongs to the list that is being read.
        case .text, .backspace, .deleteWord, .control("u"): isStepping ? .list : .nothing
        default: .nothing
        }
    }
}
