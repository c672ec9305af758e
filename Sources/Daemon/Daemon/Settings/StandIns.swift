extension Settings {
    /// True if a replay or a mock answers instead of the upstreams.
    var hasStandIn: Bool { replay != nil || mock != nil }

    /// True if nobody is asked: no directory is named, and nobody has agreed to the demo.
    /// - Parameters:
    ///   - isService: whether a service manager has started userd.
    ///   - cachesDemo: whether users are cached whom an earlier version has fetched without being told to.
    func asksNobody(isService: Bool, cachesDemo: Bool) -> Bool {
        !hasStandIn && !namesDirectory && !(demo ?? (!isService || cachesDemo))
    }

    /// The path is empty, probably an unset shell variable.
    static let noReplay = SettingsError(
        "--replay", "is empty, so userd would ask the upstreams; name a recording, or leave --replay out")

    /// The settings among record, replay and mock that are set.
    fileprivate var exclusive: [Setting] {
        ["record", "replay", "mock"].compactMap { Setting.named[$0] }.filter {
            !($0.write(self) ?? "").isEmpty
        }
    }
}

extension SettingsLoader.Examined {
    /// Only one of record, replay and mock may be set. If several are, the one from the highest source unsets
    /// those from lower sources; two from the same source are a mistake.
    mutating func excludeStandIns() {
        let given = settings.exclusive
        guard let highest = given.min(by: { origin($0).rank < origin($1).rank }) else { return }
        for setting in given where origin(setting).rank > origin(highest).rank {
            let reason = "is overridden by \(highest.name) (\(origin(highest)))"
            warnings.append("\(origin(setting).spelling(of: setting)): \(reason)")
            setting.copy(Settings(), &settings)
            origins[setting.name] = .default
        }
        let rest = settings.exclusive
        for setting in rest.dropFirst() {
            mistakes.append(
                SettingsError(
                    origin(setting).spelling(of: setting),
                    "conflicts with \(rest[0].name), which is set too (\(origin(rest[0]))); "
                        + "remove one of them, or set it to nothing with --\(rest[0].optionName) ''",
                    line: origin(setting).line))
        }
    }

    /// A replay and a mock have a cache of their own, so that recorded or invented users are not among the
    /// real ones.
    /// - Parameter directory: the directory of caches.
    mutating func takeStandInCache(in directory: String?) {
        guard settings.hasStandIn else { return }
        let name = settings.replay == nil ? "mock" : "replay"
        // A cache named in the file is not used for a replay or mock given on the command line.
        if case .file? = origins["database"], origins[name]?.line == nil {
            warnings.append(
                "the cache \(settings.database.excerpt) of the configuration is not used; name it with --database to use it"
            )
            origins["database"] = .default
        }
        if origins["database"] == .default {
            settings.database = directory.map { "\($0)/\(name).db" } ?? ""
        }
    }

    private func origin(_ setting: Setting) -> Origin { origins[setting.name] ?? .default }
}
