import Cache
import HTTP
import Model
import Synchronization
import Upstream
import UserdAPI

final class CurrentSettings: Sendable {
    let started: LoadedSettings
    private let current: Mutex<(loaded: LoadedSettings, signIn: SignInService?)>
    private let isService: Bool

    init(_ loaded: LoadedSettings, isService: Bool) {
        self.isService = isService
        started = loaded
        current = Mutex((loaded, nil))
    }

    /// Settings that may be adopted: those that need a restart stay as they were.
    func adoptable(_ loaded: LoadedSettings, _ cache: CacheReader) async throws -> LoadedSettings {
        var kept = loaded.keeping(settingsUntilTheEnd, of: started)
        let cached = try await cache.resources()[.users]
        // Before 0.2.0, the cache did not have the source.
        let isDemo = (cached?.source ?? Upstreams.demoSource) == Upstreams.demoSource
        kept.asksNobody = kept.settings.asksNobody(
            isService: isService, cachesDemo: isDemo && cached?.state.count ?? 0 > 0)
        return kept
    }

    func adopt(_ loaded: LoadedSettings, _ signIn: SignInService?) {
        current.withLock { $0 = (loaded, signIn) }
    }

    var loaded: LoadedSettings { current.withLock { $0.loaded } }

    /// Nil if there is neither signing in nor out.
    var signIn: SignInService? { current.withLock { $0.signIn } }

    /// Whether userd waits for a directory.
    var asksNobody: Bool { loaded.asksNobody }

    /// - Parameters:
    ///   - notes: on the last lists.
    ///   - trust: in the directory's changes; nil if it can't say what changed.
    func reply(_ notes: [Resource: ListNotes], _ trust: ChangeTrust?) -> SettingsReply {
        let loaded = loaded
        var hints = notes.reduce(into: [:]) { $0.merge($1.value.hints($1.key)) { $1 } }
        hints["users.full_interval"] = trust?.hint
        for (use, path) in loaded.settings.secretPaths where hints[use.rawValue] == nil {
            hints[use.rawValue] = Secret.fault(ofFile: path)
        }
        return SettingsReply(
            settings: loaded.listed(redacted(setting:), hints), readAt: loaded.readAt, changes: trust?.level)
    }
}

extension ChangeTrust {
    /// Why each sync reads the full list; nil if it does not.
    fileprivate var hint: String? {
        guard level == .off else { return nil }
        if let refusal { return "reads the whole list each time: \(refusal)" }
        let missed = misses.map(\.users).reduce(0, +)
        let last = misses.last.map { " on \($0.at.date)" } ?? ""
        return
            "reads the whole list each time, because upstream did not name \(missed) changes, the last\(last)"
    }
}

extension ListNotes {
    /// Hints, by the setting that may be wrong.
    fileprivate func hints(_ resource: Resource) -> [String: String] {
        let unidentified = gaps.accepted.unidentified + (gaps.larger?.unidentified ?? 0)
        let ids = [
            shared > 0
                ? "\(shared) \(resource == .users ? "people" : "facts") share an id with another" : nil,
            unidentified > 0 ? "some records have no id" : nil,
        ].compactMap(\.self)
        var hints: [String: String] = [:]
        hints["\(resource).paging"] = more.map { "upstream seems to have more: \($0)" }
        hints["\(resource).fields"] =
            ids.isEmpty ? nil : "\(ids.joined(separator: ", and ")); see \(resource).fields.id"
        return hints
    }
}
