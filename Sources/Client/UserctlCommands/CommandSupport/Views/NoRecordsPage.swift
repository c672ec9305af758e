import Model
import TerminalViews

/// Explains why a list has no records.
struct NoRecordsPage: View {
    let resource: Resource
    let freshness: Freshness
    let isFiltered: Bool
    var near = NearLines()

    /// True if the page itself says how fresh the answer is.
    var tellsFreshness: Bool { freshness.syncedAt == nil }

    var body: some View {
        Column {
            if freshness.syncedAt == nil, freshness.phase == .error {
                Text("No \(resource) yet: the first sync failed.").style(.bad)
                Text("`userctl status` says why; `userctl retry` tries again.")
            } else if freshness.syncedAt == nil, freshness.phase == .syncing {
                Text("No \(resource) yet: the first sync is running.").style(.secondary)
                Text("`userctl status` shows its progress.")
            } else if freshness.syncedAt == nil {
                Text("No \(resource) yet: they were never synced.").style(.secondary)
                Text("`userctl sync --wait \(resource)` syncs them.")
            } else if !near.unknown.isEmpty {
                for line in near.unknown { Text(line.sanitised).style(.title) }
            } else if !near.found.isEmpty {
                Text("No \(resource) match. Near:").style(.title)
                for line in near.found { Text("  " + line.sanitised) }
            } else if isFiltered {
                Text("No \(resource) match.").style(.title)
            } else {
                Text("There are no \(resource): upstream has none.").style(.title)
            }
        }
    }
}
