import Model

/// Trust is earned by full lists that agree with the changes, and lost by two that do not.
extension ChangeTrust {
    /// Full lists in a row.
    private static let agreementsNeeded = 2
    private static let mostMisses = 2
    private static let period = Duration.seconds(30 * 86_400)

    /// Takes the outcome of comparing a full list with the changes.
    /// - Parameters:
    ///   - missed: number of users whom no change named.
    ///   - isRequested: whether a person asked for the full list.
    package mutating func note(missed: Int, isRequested: Bool, now: Timestamp) {
        misses.removeAll { now - $0.at >= Self.period }
        guard missed == 0 else {
            agreements = 0
            misses.append(Miss(at: now, users: missed))
            if misses.count >= Self.mostMisses, level != .off { (level, offSince) = (.off, now) }
            return
        }
        if level == .off, !isRequested || refusal != nil { return }
        agreements += 1
        guard agreements >= Self.agreementsNeeded, level != .trusted else { return }
        if level == .off {
            self = ChangeTrust()
        } else {
            level = .trusted
        }
    }

    /// Turns changes off, because the directory or the settings do not allow them.
    package mutating func refuse(_ reason: String, now: Timestamp) {
        guard level != .off || refusal != reason else { return }
        self = ChangeTrust()
        (level, offSince, refusal) = (.off, now, reason)
    }

    /// Watches changes again after 30 days, or if the clock was ahead when they were turned off.
    package mutating func reconsider(now: Timestamp) {
        guard level == .off, let offSince else { return }
        if now - offSince >= Self.period || now < offSince { self = ChangeTrust() }
    }
}

/// How a sync reads a directory that can say what changed.
package enum ListApproach: Hashable, Sendable {
    /// The full list, compared with the changes if these can be read.
    case list(isCompared: Bool)
    /// The changes; if there are any, the full list.
    case watch
    case changes
}

extension TrackedChanges {
    /// - Parameters:
    ///   - fullInterval: the longest time between two full lists.
    ///   - isRequested: whether a person asks for the full list.
    ///   - draw: random, in 0..<1.
    package mutating func approach(
        fullInterval: Duration, isRequested: Bool, last: LastSync? = nil, now: Timestamp, draw: Double = 0
    ) -> ListApproach {
        guard token != nil, let listedAt else { return .list(isCompared: false) }
        var time = FullListTime(readAt: listedAt, waitsUntil: waitsUntil)
        let isDue = time.isDue(fullInterval, last: last, now: now, draw: draw)
        waitsUntil = time.waitsUntil
        return switch trust.level {
        case .off: .list(isCompared: isRequested && trust.refusal == nil)
        case _ where isRequested || isDue: .list(isCompared: true)
        case .watched: .watch
        case .trusted: .changes
        }
    }

    /// Judges the differences of the last full list, now that the next changes came.
    /// - Parameter named: those of `unnamed` that they name.
    package mutating func judge(named: Set<String>, now: Timestamp) {
        guard !unnamed.isEmpty else { return }
        let missed = unnamed.count { !named.contains($0) }
        unnamed = []
        trust.note(missed: missed, isRequested: isUnnamedRequested, now: now)
    }

    /// Takes a full list that was compared with the changes.
    /// - Parameter unnamed: the users who had changed although no change had named them.
    package mutating func noteList(unnamed: [String], isRequested: Bool, now: Timestamp) {
        if unnamed.isEmpty { return trust.note(missed: 0, isRequested: isRequested, now: now) }
        (self.unnamed, isUnnamedRequested) = (unnamed, isRequested)
    }

    /// A token was refused: a full list comes first.
    /// - Parameter reason: the directory's answer, for people.
    package mutating func refuseToken(_ reason: String, now: Timestamp) {
        (token, unnamed) = (nil, [])
        refusedTokens += 1
        // Else, each sync would ask in vain.
        if refusedTokens > 1 { trust.refuse(reason, now: now) }
    }
}
