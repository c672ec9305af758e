import Model
import TerminalViews

extension Console {
    /// Says on stderr if an answer is stale, failed, or from the cache file.
    func note(_ freshness: Freshness, of resource: Resource, _ source: UserdOrCache.Source) {
        if let notice = freshnessNotice(freshness, of: resource, source) { self.notice(notice) }
    }

    /// Says on stderr if an answer is from the cache file.
    func note(_ source: UserdOrCache.Source) {
        if let words = cacheNotice(source) { notice(words) }
    }
}

func cacheNotice(_ source: UserdOrCache.Source) -> String? {
    guard case .cache(let path, let reason) = source else { return nil }
    return "\(reason); reading the cache at \(path)"
}

/// Nil if userd answered with fresh records.
func freshnessNotice(
    _ freshness: Freshness, of resource: Resource, _ source: UserdOrCache.Source
) -> String? {
    // Interpolating the enum itself would look up its conformances at run time, which is slow.
    let resource = resource.rawValue
    let synced = freshness.age.map { "synced \(ago(.seconds(min(max($0, 0), 1e15))))" }
    let failed = freshness.phase == .error
    let failure = freshness.failed
    if case .cache(let path, let reason) = source {
        return
            "\(reason); reading the cache at \(path), \(synced.map { "last \($0)" } ?? "never synced")"
            + (failed ? "; \(failure)" : "")
    }
    return switch (synced, failed) {
    case (let synced?, true): "\(failure); showing \(resource) \(synced) (\(freshness.todo))"
    case (nil, true): "no sync of \(resource) has succeeded yet (\(freshness.todo))"
    case (let synced?, false): freshness.stale ? "showing stale \(resource), last \(synced)" : nil
    case (nil, false): "\(resource) were never synced"
    }
}
