import Model
import TerminalViews

extension Console {
    /// Says on stderr what a reader should know about how fresh an answer is, if anything.
    func note(_ freshness: Freshness, of resource: Resource, _ source: Connection.Source) {
        if let notice = freshnessNotice(freshness, of: resource, source) { say(notice) }
    }

    /// Says on stderr where an answer comes from, if not from userd.
    func note(_ source: Connection.Source) {
        if case .cache(let path, let reason) = source { say("\(reason); reading the cache at \(path)") }
    }
}

/// One line, or nil where userd answered and all is well.
func freshnessNotice(
    _ freshness: Freshness, of resource: Resource, _ source: Connection.Source
) -> String? {
    // By its raw value: printing a value of any type begins with looking up what it can do.
    let resource = resource.rawValue
    let synced = freshness.age.map { "synced \(ago(.seconds(min(max($0, 0), 1e15))))" }
    let failed = freshness.phase == .error
    if case .cache(let path, let reason) = source {
        return
            "\(reason); reading the cache at \(path), \(synced.map { "last \($0)" } ?? "never synced")"
            + (failed ? "; the last sync failed" : "")
    }
    return switch (synced, failed) {
    case (let synced?, true): "the last sync failed; these \(resource) were \(synced) (see `userctl status`)"
    case (nil, true): "no sync of the \(resource) has succeeded yet (see `userctl status`)"
    case (let synced?, false): freshness.stale ? "these \(resource) were last \(synced)" : nil
    case (nil, false): "the \(resource) were never synced yet"
    }
}
