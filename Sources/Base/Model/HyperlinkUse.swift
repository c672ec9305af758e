/// The setting `hyperlinks`: whether addresses on a terminal are links.
package enum HyperlinkUse: String, CaseIterable, Sendable {
    /// On terminals that are known to have them.
    case auto
    case never, always
}
