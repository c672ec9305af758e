import BaseDirectories
import NearMatch
import YAML

/// What is to be said of the settings where nobody starts.
package struct SettingsCheck: Sendable {
    package let mistakes: [SettingsError]
    /// One line each.
    package let warnings: [String]
    /// The configuration file, and how many settings it gives; nil where there is none.
    package let file: (path: String, count: Int)?
    /// The recording that is to be replayed.
    package let replay: String?
}

/// Finds each setting's value: on the command line, else in the environment, else in the recording that is replayed, else
/// in the configuration file, else the default. Called at the start, and again at each SIGHUP.
package struct SettingsLoader: Sendable {
    package typealias ReadFile = @Sendable (_ path: String) throws -> [UInt8]?
    /// Puts defaults in place that depend on other settings, and finds what is wrong with those that nothing here knows the
    /// meaning of.
    package typealias Complete =
        @Sendable (inout Settings, _ isGiven: (_ setting: String) -> Bool) -> [SettingMistake]

    private let commandLine: [String: String]
    private let configFile: String?
    let environment: [String: String]
    private let homeDirectory: String
    let readFile: ReadFile
    private let complete: Complete
    /// Of the recording that is replayed.
    package var recorded: RecordedSettings?

    /// - Parameters:
    ///   - commandLine: texts by the names of their settings (`SettingsOptions.commandLine`)
    ///   - configFile: the file that `--config` names, which must exist; nil: the usual one, which need not
    ///   - readFile: a file's bytes; nil where there is no such file
    ///   - complete: called with what the sources give
    package init(
        commandLine: [String: String], configFile: String? = nil, environment: [String: String],
        homeDirectory: String, readFile: @escaping ReadFile = Self.readFromDisk,
        complete: @escaping Complete = { _, _ in [] }
    ) {
        self.commandLine = commandLine
        self.configFile = configFile
        self.environment = environment
        self.homeDirectory = homeDirectory
        self.readFile = readFile
        self.complete = complete
    }

    package func load() throws(SettingsError) -> LoadedSettings {
        let examined = examine()
        if let mistake = examined.mistakes.first { throw mistake }
        return examined.loaded
    }

    /// All mistakes that can be found at once, those in the file by its lines and before the others.
    package func check() -> SettingsCheck {
        let examined = examine()
        let mistakes = examined.mistakes.filter { $0.line == nil }
        let inFile = examined.mistakes.filter { $0.line != nil }.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        return SettingsCheck(
            mistakes: inFile + mistakes, warnings: examined.loaded.warnings + secretWarnings(examined.loaded),
            file: examined.file.map { ($0.path, $0.entries.count) }, replay: examined.loaded.settings.replay)
    }

    private func examine() -> (loaded: LoadedSettings, mistakes: [SettingsError], file: ConfigFile?) {
        var mistakes: [SettingsError] = commandLine.keys.sorted().filter { Setting.named[$0] == nil }.map {
            SettingsError($0, "is not a setting" + didYouMean($0, among: Setting.all.map(\.name)))
        }
        let directories = BaseDirectories(variable: { environment[$0] }, homeDirectory: homeDirectory)
        var file: ConfigFile?
        do throws(SettingsError) {
            file = try configuration(default: directories.configFile)
        } catch {
            mistakes.append(error)
        }
        mistakes += (file?.mistakes ?? []) + (recorded?.mistakes ?? [])
        var settings = Settings()
        settings.socket = directories.socket
        settings.database = directories.database ?? ""
        var origins: [String: Origin] = [:]
        for setting in Setting.all {
            let given = texts(for: setting, file)
            // A bad value in a file is a mistake even where another source goes before it.
            for (place, text) in given.enumerated().reversed() where place == 0 || text.origin.isFile {
                set(setting, to: text.text, from: text.origin, in: &settings, &mistakes)
            }
            if let take = setting.take, let entry = file?.entries[setting.name],
                let structure = entry.structure,
                given.first?.origin == entry.origin
            {
                take(structure, &settings)
            }
            origins[setting.name] = given.first?.origin ?? .default
        }
        var warnings = unknownVariables()
        for (setting, other) in settings.outranked(origins) {
            let (origin, first) = (origins[setting.name] ?? .default, origins[other.name] ?? .default)
            warnings.append("\(origin.spelling(of: setting)): gives way to \(other.name) (\(first))")
            set(setting, to: "", from: .default, in: &settings, &mistakes)
            origins[setting.name] = .default
        }
        mistakes += settings.exclusions(origins)
        // Where something else names a recording, or a mock, nothing is what undoes that.
        let isNamedElsewhere =
            settings.hasStandIn || file?.entries["replay"] != nil
            || Setting.named["replay"]?.variables.contains { environment[$0] != nil } == true
        if commandLine["replay"] == "", !isNamedElsewhere { mistakes.append(Settings.noReplay) }
        if let name = settings.standInDatabase {
            if settings.hasOtherCache(origins) {
                warnings.append(
                    "the cache \(settings.database.excerpt) of the configuration is left alone: name it with --database if it is meant"
                )
                origins["database"] = .default
            }
            if origins["database"] == .default {
                settings.database = directories.cacheDirectory.map { "\($0)/\(name)" } ?? ""
            }
        }
        if settings.database.isEmpty {
            mistakes.append(
                SettingsError(
                    "database",
                    "has no default without a home directory; name the file with --database or USERD_DATABASE"
                ))
        }
        warnings += settings.formatWarnings(origins)
        let folder = (configFile ?? directories.configFile).map { path in
            path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        }
        takeSecretFiles(in: folder, &settings, &origins, &warnings)
        do throws(SettingsError) { try takeProxies(&settings) } catch { mistakes.append(error) }
        for mistake in complete(&settings, { origins[$0, default: .default] != .default }) {
            mistakes.append(error(mistake, origins[mistake.setting, default: .default]))
        }
        let loaded = LoadedSettings(
            settings: settings, origins: origins, configFile: file?.path, warnings: warnings)
        return (loaded, mistakes, file)
    }

    private func error(_ mistake: SettingMistake, _ origin: Origin) -> SettingsError {
        let subject =
            mistake.key.map { origin.spelling(ofKey: $0.visible, line: mistake.line) }
            ?? Setting.named[mistake.setting].map(origin.spelling) ?? mistake.setting
        let line = origin.line.map { mistake.line ?? $0 }
        return SettingsError(subject, mistake.reason.visible, line: line)
    }

    /// What the sources give a setting, the one that holds first.
    private func texts(for setting: Setting, _ file: ConfigFile?) -> [(text: String, origin: Origin)] {
        var texts: [(text: String, origin: Origin)] = []
        if let text = commandLine[setting.name] { texts.append((text, .commandLine)) }
        for variable in setting.variables {
            if let text = environment[variable] { texts.append((text, .environment(variable: variable))) }
        }
        if let recorded, let text = recorded.texts[setting.name] { texts.append((text, recorded.origin)) }
        if let entry = file?.entries[setting.name] { texts.append((entry.text, entry.origin)) }
        return texts
    }

    private func set(
        _ setting: Setting, to text: String, from origin: Origin, in settings: inout Settings,
        _ mistakes: inout [SettingsError]
    ) {
        // In files no shell replaces it.
        let isAtHome = setting.isPath && text.hasPrefix("~/") && homeDirectory.hasPrefix("/")
        let text = isAtHome ? homeDirectory + text.dropFirst() : text
        do {
            try setting.read(text, &settings)
        } catch {
            let value = error.isShown ? text.excerpt + " " : ""
            mistakes.append(
                SettingsError(
                    origin.spelling(of: setting), "\(value)\(error.problem); expected \(setting.expected)",
                    line: origin.line))
        }
    }

    private func configuration(default path: String?) throws(SettingsError) -> ConfigFile? {
        guard let path = configFile ?? path else { return nil }
        let bytes: [UInt8]?
        do {
            bytes = try readFile(path)
        } catch let error as SettingsError {
            throw error
        } catch {
            throw SettingsError(path.visible, "cannot be read: \(error)")
        }
        if let bytes { return try ConfigFile(bytes, path: path) }
        if configFile != nil { throw SettingsError("--config", "there is no file \(path.excerpt)") }
        return nil
    }

    /// Others may set variables of this form, so they are no error; a slip of the pen should still be seen.
    private func unknownVariables() -> [String] {
        let known = Setting.all.flatMap(\.variables)
        let unknown = environment.keys.filter { $0.hasPrefix("USERD_") && !known.contains($0) }.sorted()
        return unknown.prefix(20).map { name in
            "the environment variable \(name.prefix(100).visible) is not a setting"
                + didYouMean(name, among: known)
        }
    }

    package static let readFromDisk: ReadFile = { path in
        try SmallFile(path, atMost: YAMLNode.maximumBytes + 1)?.bytes
    }
}
