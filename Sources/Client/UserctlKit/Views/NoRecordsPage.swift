import Model
import TerminalViews

/// A list without records, and why.
package struct NoRecordsPage: View {
    let resource: Resource
    let freshness: Freshness
    let isFiltered: Bool

    package init(resource: Resource, freshness: Freshness, isFiltered: Bool) {
        self.resource = resource
        self.freshness = freshness
        self.isFiltered = isFiltered
    }

    /// Whether no more has to be said about how fresh the answer is.
    var tellsFreshness: Bool { freshness.syncedAt == nil }

    package var body: some View {
        Column {
            if freshness.syncedAt == nil, freshness.phase == .error {
                ErrorPage(
                    "No \(resource) yet: the first sync failed.",
                    advice: "`userctl status` says why; `userctl retry` tries again.")
            } else if freshness.syncedAt == nil, freshness.phase == .syncing {
                LoadingPage(
                    "No \(resource) yet: they are being fetched.",
                    advice: "`userctl status` says how far that is.")
            } else if freshness.syncedAt == nil {
                LoadingPage(
                    "No \(resource) yet: none have been fetched.",
                    advice: "`userctl sync --wait \(resource)` fetches them.")
            } else if isFiltered {
                EmptyPage("None of the \(resource) fit.")
            } else {
                EmptyPage("There are no \(resource): upstream has none.")
            }
        }
    }
}
