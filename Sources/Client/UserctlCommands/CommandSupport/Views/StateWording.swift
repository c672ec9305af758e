import Model
import TerminalViews

extension Resource {
    var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    /// `5,000 users`.
    func counted(_ count: Int) -> String {
        TerminalViews.counted(count, String(rawValue.dropLast()))
    }
}

extension Phase {
    var text: Text { Text(rawValue).style(style) }

    private var style: Style {
        switch self {
        case .loaded, .empty: .good
        case .error: .bad
        case .syncing: .warning
        case .initial: .secondary
        }
    }
}

extension Progress {
    /// `1,200 of 5,000`.
    var text: String { grouped(done) + (total.map { " of \(grouped($0))" } ?? "") }
}

extension Failure {
    /// The kind first, for small spaces: `http 503: …`.
    var brief: String { "\(kindAndStatus): \(message)" }

    /// `connection refused (offline, 3 attempts)`.
    var text: String { message + details }

    var withoutAdvice: String { reason + details }

    private var details: String {
        " (\(kindInWords)\(attempts > 1 ? ", \(attempts) attempts" : ""))"
    }
}

extension Freshness {
    /// The reason that the last sync failed, in a few words.
    var failed: String {
        // Time mends the others, and their kind says enough.
        guard let failure, !failure.retryable || failure.kind == .tls else {
            return "last sync failed" + (failure.map { " (\($0.kindAndStatus))" } ?? "")
        }
        // The address comes first, and the cause last.
        let (reason, most) = (failure.reason, 120)
        return reason.count <= most
            ? reason.shown(upTo: most) : "…" + String(reason.suffix(most)).shown(upTo: 2 * most)
    }

    /// Advice in a few words, or the command that says more.
    var todo: String {
        let advice = failure?.advice.flatMap { [.signIn, .getTicket].contains($0.kind) ? $0.words : nil }
        return advice ?? "see `userctl status`"
    }
}

extension Missing {
    /// `3 users were not in the last list and stay for now: …`.
    var text: String {
        let isOne = count == 1
        let subject = isOne ? "1 user was" : "\(grouped(count)) users were"
        return "\(subject) not in the last list and \(isOne ? "stays" : "stay") for now: \(why)"
    }

    private var why: String {
        switch Doubt(rawValue: reason) {
        case .counted:
            "they go if the next list lacks them, too, since users may move between its pages while they are read"
        case .short: "upstream sent fewer users than it says that it has"
        case .endedEarly: "the list ended with a page that does not exist"
        case .unidentified: "some records have no id"
        case nil: "the list may not be whole"
        }
    }

    static let advice = "`userctl sync users --accept-removals` removes them at once"
}

extension State {
    /// The records of the last list that are not cached, in words; nil if there are none.
    var leftOutText: String? {
        guard let leftOut else { return nil }
        let reasons = [
            (leftOut.skipped, "by a condition of skip, or with neither a name nor an address"),
            (leftOut.unidentified, "without an id"),
        ].filter { $0.0 > 0 }.map { "\(grouped($0.0)) \($0.1)" }.joined(separator: "; ")
        let count = grouped(leftOut.skipped + leftOut.unidentified)
        return "\(resource): \(count) of upstream's records are left out: \(reasons)"
    }

    var summary: String { failure?.text ?? extent }

    /// The failure's own advice, or that for a failure that is not retried automatically.
    var advice: String? {
        guard phase == .error, let failure else { return nil }
        if let words = failure.advice?.words { return words }
        if failure.kind == .removalGuard { return Advice(.acceptRemovals).words }
        if [.http, .redirect, .ldap, .credentials].contains(failure.kind), !failure.retryable {
            return failure.adviceOnAnswer(from: "\(resource).url").words
        }
        return nextSyncAt == nil ? "`userctl retry \(resource.rawValue)` tries again" : nil
    }

    /// What a request can do while upstream's `Retry-After` may hold.
    var insistence: String? {
        guard phase == .error, failure?.kind == .rateLimited else { return nil }
        return "`userctl retry \(resource.rawValue) --now` tries once although upstream has asked to wait"
    }

    /// The progress of a sync, or the number of cached records.
    var extent: String {
        if let progress { return progress.text }
        return switch phase {
        case .syncing: cause.rawValue
        case .initial, .loaded, .empty, .error: resource.counted(count)
        }
    }
}

extension Account {
    /// `as ann@example.org at https://idp.example, until 2026-01-02 03:04:05`
    func text(_ clock: WallClock) -> Text {
        guard signedIn else { return Text("no: `userctl sign-in`").style(.warning) }
        let end = until.map { ", until \(clock.text($0))" } ?? ""
        return Text("\(name.map { "as \($0) " } ?? "")at \(provider)\(end)")
    }
}
