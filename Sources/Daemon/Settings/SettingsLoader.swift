import MessageText
import Platform
import YAML

/// The result of `--check-config`.
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

    /// What the sources give, and what is wrong with it.
    struct Examined {
        var settings = Settings()
        /// Of each setting, by name.
        var origins: [String: Origin] = [:]
        var mistakes: [SettingsError] = []
        var warnings: [String] = []
        var file: ConfigFile?
    }

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

    package static let readFromDisk: ReadFile = { path in
        try regularFile(path, upTo: YAMLNode.maximumBytes + 1)?.bytes
    }

    package func load() throws(SettingsError) -> LoadedSettings {
        let found = examine()
        if let mistake = found.mistakes.first { throw mistake }
        return LoadedSettings(
            settings: found.settings, origins: found.origins, configFile: found.file?.path,
            warnings: found.warnings)
    }

    /// All mistakes that can be found at once, those in the file by its lines and before the others.
    package func check() -> SettingsCheck {
        let found = examine()
        let inFile = found.mistakes.filter { $0.line != nil }.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        return SettingsCheck(
            mistakes: inFile + found.mistakes.filter { $0.line == nil },
            warnings: found.warnings + secretWarnings(found.settings),
            file: found.file.map { ($0.path, $0.entries.count) }, replay: found.settings.replay)
    }

    private func examine() -> Examined {
        var found = Examined()
        found.mistakes = commandLine.keys.sorted().filter { Setting.named[$0] == nil }.map {
            SettingsError($0, "is not a setting" + didYouMean($0, among: Setting.all.map(\.name)))
        }
        let directories = BaseDirectories(variable: { environment[$0] }, homeDirectory: homeDirectory)
        do throws(SettingsError) {
            found.file = try configuration(default: directories.configFile)
        } catch {
            found.mistakes.append(error)
        }
        found.mistakes += (found.file?.mistakes ?? []) + (recorded?.mistakes ?? [])
        found.settings.socket = directories.socket
        found.settings.database = directories.database ?? ""
        for setting in Setting.all {
            let values = values(of: setting, found.file)
            found.origins[setting.name] = values.first?.origin ?? .default
            // A bad value in a file is a mistake even where another source goes before it.
            for (place, value) in values.enumerated().reversed() where place == 0 || value.origin.isFile {
                set(setting, to: value, &found)
            }
        }
        found.warnings = unknownVariables()
        found.excludeStandIns()
        // With another recording or a mock, an empty --replay undoes that.
        let isNamedElsewhere =
            found.settings.hasStandIn || found.file?.entries["replay"] != nil
            || Setting.named["replay"]?.variables.contains { environment[$0] != nil } == true
        if commandLine["replay"] == "", !isNamedElsewhere { found.mistakes.append(Settings.noReplay) }
        found.takeStandInCache(in: directories.cacheDirectory)
        if found.settings.database.isEmpty {
            found.mistakes.append(
                SettingsError(
                    "database",
                    "has no default without a home directory; name the file with --database or USERD_DATABASE"
                ))
        }
        found.warnAboutFormat()
        let folder = (configFile ?? directories.configFile).map(parent(of:))
        takeSecretFiles(in: folder, &found)
        do throws(SettingsError) { try takeProxies(&found.settings) } catch { found.mistakes.append(error) }
        let origins = found.origins
        found.mistakes += complete(&found.settings) { origins[$0] != .default }.map {
            error($0, origins[$0.setting] ?? .default)
        }
        return found
    }

    private func error(_ mistake: SettingMistake, _ origin: Origin) -> SettingsError {
        let subject =
            mistake.key.map { origin.spelling(ofKey: $0.visible, line: mistake.line) }
            ?? Setting.named[mistake.setting].map(origin.spelling) ?? mistake.setting
        let line = origin.line.map { mistake.line ?? $0 }
        return SettingsError(subject, mistake.reason.visible, line: line)
    }

    /// What the sources give a setting, the one that holds first.
    private func values(of setting: Setting, _ file: ConfigFile?) -> [GivenValue] {
        var values = setting.variables.compactMap { variable in
            environment[variable].map { GivenValue(text: $0, origin: .environment(variable: variable)) }
        }
        if let text = commandLine[setting.name] {
            values.insert(GivenValue(text: text, origin: .commandLine), at: 0)
        }
        if let recorded, let text = recorded.texts[setting.name] {
            values.append(GivenValue(text: text, origin: .recording(path: recorded.path)))
        }
        return values + [file?.entries[setting.name]].compactMap(\.self)
    }

    private func set(_ setting: Setting, to value: GivenValue, _ found: inout Examined) {
        // In files no shell replaces it.
        let isAtHome = setting.isPath && value.text.hasPrefix("~/") && homeDirectory.hasPrefix("/")
        let text = isAtHome ? homeDirectory + value.text.dropFirst() : value.text
        do {
            try setting.read(
                GivenValue(text: text, structure: value.structure, origin: value.origin, home: homeDirectory),
                &found.settings)
        } catch {
            let shown = error.isShown ? text.excerpt + " " : ""
            let subject =
                error.key.map {
                    value.origin.spelling(ofKey: "\(setting.name).\($0.beginning)", line: error.line)
                } ?? value.origin.spelling(of: setting)
            found.mistakes.append(
                SettingsError(
                    subject, "\(shown)\(error.problem); expected \(setting.expected)",
                    line: value.origin.line.map { error.line ?? $0 }))
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
}
