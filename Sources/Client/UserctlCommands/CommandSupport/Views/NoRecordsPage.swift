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
                Notice(
                    "No \(resource) yet: the first sync failed.", .bad,
                    advice: "`userctl status` says why; `userctl retry` tries again.")
            } else if freshness.syncedAt == nil, freshness.phase == .syncing {
                Notice(
                    "No \(resource) yet: the first sync is running.", .secondary,
                    advice: "`userctl status` shows its progress.")
            } else if freshness.syncedAt == nil {
                Notice(
                    "No \(resource) yet: they were never synced.", .secondary,
                    advice: "`userctl sync --wait \(resource)` syncs them.")
            } else if !near.unknown.isEmpty {
                for line in near.unknown { Notice(line.sanitised, .title) }
            } else if !near.found.isEmpty {
                Notice("No \(resource) match. Near:", .title)
                for line in near.found { Text("  " + line.sanitised) }
            } else if isFiltered {
                Notice("No \(resource) match.", .title)
            } else {
                Notice("There are no \(resource): upstream has none.", .title)
            }
        }
    }
}
