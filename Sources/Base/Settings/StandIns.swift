extension Settings {
    /// Whether something else answers than the upstreams.
    package var hasStandIn: Bool { self.replay != nil || self.mock != nil }

    /// A cache of its own, so that nobody finds recorded or invented users among the real ones; nil where upstreams answer.
    var standInDatabase: String? {
        if self.replay != nil { return "replay.db" }
        return self.mock == nil ? nil : "mock.db"
    }

    /// Whether a cache was named once and for all, and the stand-in for this time: it is not meant, and would not have its users
    /// any more.
    func hasOtherCache(_ origins: [String: Origin]) -> Bool {
        guard case .file = origins["database"] else { return false }
        if case .file = origins[self.replay != nil ? "replay" : "mock"] { return false }
        return true
    }

    /// Of nothing where a recording is meant to be: a variable of a script, perhaps, that is not set.
    static let noReplay = SettingsError(
        "--replay", "names no recording, and upstreams would be asked: name its file, or leave --replay out")

    /// Those of record, replay and mock that give way to another, which a source has that goes before theirs.
    func outranked(_ origins: [String: Origin]) -> [(setting: Setting, by: Setting)] {
        func rank(_ setting: Setting) -> Int { origins[setting.name]?.rank ?? .max }
        guard let highest = exclusive.min(by: { rank($0) < rank($1) }) else { return [] }
        return exclusive.filter { rank($0) > rank(highest) }.map { ($0, highest) }
    }

    /// One for each of what can't be had together.
    func exclusions(_ origins: [String: Origin]) -> [SettingsError] {
        let given = exclusive
        return given.dropFirst().map { setting in
            let (origin, first) = (origins[setting.name] ?? .default, given[0])
            return SettingsError(
                origin.spelling(of: setting),
                "excludes \(first.name), which is set too (\(origins[first.name] ?? .default)); "
                    + "leave out one of them, or set it to nothing with --\(first.optionName) ''",
                line: origin.line)
        }
    }

    private var exclusive: [Setting] {
        ["record", "replay", "mock"].compactMap { Setting.named[$0] }.filter {
            !($0.write(self) ?? "").isEmpty
        }
    }
}

extension Origin {
    /// Lower for a source that goes before.
    fileprivate var rank: Int {
        switch self {
        case .commandLine: 0
        case .environment: 1
        case .recording: 2
        case .file: 3
        case .credential, .default: 4
        }
    }
}
