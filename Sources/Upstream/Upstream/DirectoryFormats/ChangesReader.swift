import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// Requests and reads what changed in a directory since a list. A value, without I/O.
package struct ChangesReader: Sendable {
    private let format: DirectoryFormat
    private let settings: UpstreamSettings
    private let fields: [UserField]
    private let changes: DirectoryFormat.Changes
    private let now: @Sendable () -> Timestamp

    /// Nil if directories of this format can't say what changed.
    package init?(
        _ format: DirectoryFormat, _ settings: UpstreamSettings, fields: [UserField] = UserField.all,
        now: @escaping @Sendable () -> Timestamp
    ) {
        guard let changes = format.changes, settings.body == nil else { return nil }
        (self.format, self.settings, self.fields) = (format, settings, fields)
        (self.changes, self.now) = (changes, now)
    }

    /// Why these settings allow no changes, for people; nil if they do.
    package var obstacle: String? {
        let names = settings.parameters.all.map(\.name)
        if let refused = changes.refused.first(where: names.contains) {
            return "users.query has \(refused), which the directory does not allow for changes"
        }
        if settings.pages != nil { return "users.pages ends the list before its end" }
        return nil
    }

    /// The list's settings, which ask for a token where its last page has it.
    package var listSettings: UpstreamSettings {
        guard let query = changes.query, obstacle == nil else { return settings }
        return settings.adding(query)
    }

    /// The request for the first token; nil if the list's last page has it.
    package var beginning: (reader: PageReader<UpstreamUserReader>, page: PageRequest)? {
        changes.begin.map { (reader(changeSettings.adding($0)), .first) }
    }

    /// - Parameters:
    ///   - token: where the changes begin.
    ///   - page: the first page, or the one that the page before named.
    package func request(
        after token: String, _ page: PageRequest
    ) -> (reader: PageReader<UpstreamUserReader>, page: PageRequest) {
        guard let param = changes.param else {
            var page = page
            page.token = page.token ?? token
            return (reader(changeSettings), page)
        }
        var own = QueryParameters("")
        own.append(param, token)
        return (reader(listSettings.adding(own.encoded)), page)
    }

    private func reader(_ settings: UpstreamSettings) -> PageReader<UpstreamUserReader> {
        var format = format
        format.isOfChanges = true
        format.selected = selected.isEmpty ? nil : Set(selected)
        if changes.param == nil {
            var paging = DirectoryFormat.Paging()
            (paging.style, paging.from) = (.url, format.paging.from)
            format.paging = paging
        }
        return .users(format, settings, fields: fields, now: now)
    }

    /// The members that the list's query selects or expands; empty if the directory decides.
    private var selected: [String] {
        let query = settings.parameters
        guard let names = changes.select.flatMap({ query[$0] }) else { return [] }
        // Objects, such as manager($select=id), are selected by their names.
        let expanded = changes.expand.flatMap { query[$0] }.map { String($0.prefix { $0 != "(" }) }
        return names.split(separator: ",").map(String.init) + [expanded].compactMap(\.self)
    }

    /// The address of the changes, and of the list's query what they can have.
    private var changeSettings: UpstreamSettings {
        var settings = settings
        guard let select = changes.select else { return settings }
        var own = QueryParameters("")
        if !selected.isEmpty { own.append(select, selected.joined(separator: ",")) }
        settings.query = own.encoded
        guard var parts = URLComponents(url: settings.url, resolvingAgainstBaseURL: true) else {
            return settings
        }
        parts.percentEncodedQuery = nil
        if parts.path.hasSuffix("/") { parts.path.removeLast() }
        parts.path += changes.path
        settings.url = parts.url ?? settings.url
        return settings
    }
}

extension UpstreamSettings {
    fileprivate func adding(_ query: String) -> UpstreamSettings {
        var settings = self
        settings.query += (settings.query.isEmpty ? "" : "&") + query
        return settings
    }
}
