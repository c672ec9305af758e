import FoundationEssentials
import HTTP
import Model
import Platform
import YAML

/// The result of `--check-config`.
struct SettingsCheck: Sendable {
    let mistakes: [SettingsError]
    /// One line each.
    let warnings: [String]
    /// The configuration files with the numbers of their settings.
    let files: [(path: String, count: Int)]
    let replay: String?
}

/// Finds each setting's value: on the command line, else in the environment, else in the recording that is
/// replayed, else in the person's configuration file, else in the machine's, else the default. Called at the
/// start, and again at each SIGHUP.
struct SettingsLoader: Sendable {
    typealias ReadFile = @Sendable (_ path: String) throws -> [UInt8]?
    /// Sets defaults that depend on other settings, and finds mistakes in settings whose meaning is not known
    /// here.
    typealias Complete =
        @Sendable (inout Settings, _ isGiven: (_ setting: String) -> Bool) -> [SettingMistake]

    /// Texts by the names of their settings (`SettingsOptions.commandLine`).
    let commandLine: [String: String]
    /// The only file, which `--config` names and which must exist; nil for the usual ones, which may be missing.
    var configFile: String?
    /// Whether the machine's files are also read if `configFile` is named.
    var readsMachineFiles = false
    let environment: [String: String]
    let homeDirectory: String
    /// Returns a file's bytes; nil if the file is missing.
    var readFile: ReadFile = SettingsLoader.readFromDisk
    /// Called with the settings that the sources give.
    var complete: Complete = { _, _ in [] }
    var recorded: RecordedSettings?
    /// The content that replaces that of a secret's file.
    var secret: (use: Secret.Use, content: [UInt8])?

    /// The settings that the sources give, and their mistakes.
    struct Examined {
        var settings = Settings()
        /// By the names of the settings.
        var origins: [String: Origin] = [:]
        var mistakes: [SettingsError] = []
        var warnings: [String] = []
        /// From the most important.
        var files: [ConfigFile] = []
        /// All values of each setting, from the most important source.
        var given: [String: [GivenValue]] = [:]
    }

    static let readFromDisk: ReadFile = { path in
        try regularFile(path, upTo: YAMLNode.maximumBytes + 1)?.bytes
    }

    func load() throws(SettingsError) -> LoadedSettings {
        let found = examine()
        if let mistake = found.mistakes.first { throw mistake }
        return LoadedSettings(
            settings: found.settings, origins: found.origins, configFiles: found.files.map(\.path),
            warnings: found.warnings + (found.settings.misdirection.map { [$0] } ?? []))
    }

    /// All mistakes that can be found at once: those in the file first, by line.
    func check() -> SettingsCheck {
        let found = examine()
        let inFile = found.mistakes.filter { $0.line != nil }.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        let misdirections =
            [found.settings.misdirection].compactMap(\.self).map { SettingsError("secrets", $0) }
        return SettingsCheck(
            mistakes: inFile + found.mistakes.filter { $0.line == nil } + misdirections,
            warnings: found.warnings + secretWarnings(found.settings),
            files: found.files.map { ($0.path, $0.entries.count) }, replay: found.settings.replay)
    }

    private func examine() -> Examined {
        var found = Examined()
        found.mistakes = commandLine.keys.sorted().filter { Setting.named[$0] == nil }.map {
            SettingsError($0, "is not a setting" + didYouMean($0, among: Setting.all.map(\.name)))
        }
        let directories = BaseDirectories(variable: { environment[$0] }, homeDirectory: homeDirectory)
        let order =
            configFile.map { [$0] + (readsMachineFiles ? directories.systemConfigFiles : []) }
            ?? directories.configFiles
        for path in order {
            do throws(SettingsError) {
                if let file = try configuration(path) { found.files.append(file) }
            } catch {
                found.mistakes.append(error)
            }
        }
        found.mistakes += found.files.flatMap(\.mistakes) + (recorded?.mistakes ?? [])
        found.settings.socket = directories.socket
        found.settings.database = directories.database ?? ""
        found.settings.tokenFolder = directories.tokens
        found.settings.ownFolder = directories.configFile.map(parent(of:))
        for setting in Setting.all {
            let values = values(of: setting, found.files)
            found.given[setting.name] = values
            found.origins[setting.name] = values.first?.origin ?? .default
            // An invalid value in a file is a mistake even if another source overrides it.
            for (place, value) in values.enumerated().reversed() where place == 0 || value.origin.isFile {
                set(setting, to: value, &found)
            }
        }
        if let secret, let file = secret.use.file {
            found.settings[keyPath: file] = SecretPath(content: secret.content)
            found.origins[secret.use.rawValue] = .commandLine
        }
        found.warnings = unknownVariables()
        found.excludeStandIns()
        // An empty --replay is valid if it overrides the recording or mock of another source.
        let isNamedElsewhere =
            found.settings.hasStandIn || found.files.contains { $0.entries["replay"] != nil }
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
        found.warnAboutQuery()
        found.warnAboutKinds()
        let folder = (configFile ?? directories.configFile).map(parent(of:))
        takeSecretFiles(in: folder, &found)
        found.settings.carddav.passwordFile = folder.map {
            SecretPath("\($0)/\(BaseDirectories.addressBookPassword)")
        }
        takeProxies(&found.settings)
        let origins = found.origins
        found.settings.secretFiles = secretFiles(found)
        found.directSecrets(order)
        let mistakes = complete(&found.settings) { origins[$0] != .default }
        found.mistakes += mistakes.map { error($0, origins[$0.setting] ?? .default) }
        return found
    }

    private func error(_ mistake: SettingMistake, _ origin: Origin) -> SettingsError {
        let subject =
            mistake.key.map { origin.spelling(ofKey: $0.visible, line: mistake.line) }
            ?? Setting.named[mistake.setting].map(origin.spelling) ?? mistake.setting
        let line = origin.line.map { mistake.line ?? $0 }
        return SettingsError(subject, mistake.reason.visible, line: line)
    }

    /// The values that the sources give a setting; the first one counts.
    private func values(of setting: Setting, _ files: [ConfigFile]) -> [GivenValue] {
        var values = setting.variables.compactMap { variable in
            environment[variable].map { GivenValue(text: $0, origin: .environment(variable: variable)) }
        }
        if let text = commandLine[setting.name] {
            values.insert(GivenValue(text: text, origin: .commandLine), at: 0)
        }
        if let recorded, let text = recorded.texts[setting.name] {
            values.append(GivenValue(text: text, origin: .recording(path: recorded.path)))
        }
        return values + files.compactMap { $0.entries[setting.name] }
    }

    private func set(_ setting: Setting, to value: GivenValue, _ found: inout Examined) {
        // In a file, no shell expands it.
        let isAtHome = setting.isPath && value.text.hasPrefix("~/") && homeDirectory.hasPrefix("/")
        let text = isAtHome ? homeDirectory + value.text.dropFirst() : value.text
        do {
            try setting.read(
                GivenValue(text: text, structure: value.structure, origin: value.origin, home: homeDirectory),
                &found.settings)
        } catch {
            for error in [error] + error.others {
                let shown = error.isShown ? text.excerpt + " " : ""
                // A list's elements have lines, but no keys.
                let key =
                    error.key.map { "\(setting.name).\($0.beginning)" }
                    ?? error.line.map { _ in setting.name }
                let subject =
                    key.map { value.origin.spelling(ofKey: $0, line: error.line) }
                    ?? value.origin.spelling(of: setting)
                found.mistakes.append(
                    SettingsError(
                        subject, "\(shown)\(error.problem); expected \(setting.expected)\(error.hint)",
                        line: value.origin.line.map { error.line ?? $0 }))
            }
        }
    }

    private func configuration(_ path: String) throws(SettingsError) -> ConfigFile? {
        let bytes: [UInt8]?
        do {
            bytes = try readFile(path)
        } catch let error as SettingsError {
            throw error
        } catch {
            throw SettingsError(path.visible, "cannot be read: \(error)")
        }
        if let bytes { return try ConfigFile(bytes, path: path) }
        if path == configFile { throw SettingsError("--config", "there is no file \(path.excerpt)") }
        return nil
    }

    /// Warnings only, because other programs may use such names; a misspelt setting should still be noticed.
    private func unknownVariables() -> [String] {
        let known = Setting.all.flatMap(\.variables)
        let unknown = environment.keys.filter { $0.hasPrefix("USERD_") && !known.contains($0) }.sorted()
        return unknown.prefix(20).map { name in
            "the environment variable \(name.prefix(100).visible) is not a setting"
                + didYouMean(name, among: known)
        }
    }
}

extension SettingsLoader.Examined {
    /// Warns if a query may show a key to the network. Keys look like other parameters, so this is no mistake.
    mutating func warnAboutQuery() {
        let (url, query) = (settings.users.url, settings.users.query)
        guard let address = URL(httpAddress: url), !address.keepsSecrets, !settings.hasStandIn else { return }
        let name = redacted(setting: query) != query ? "users.query" : "users.url"
        guard name == "users.query" || redacted(setting: url) != url else { return }
        warnings.append(
            "the query of \(name) is not encrypted on its way to \(address.shown.visible); "
                + "if it has a key, set users.url to an https:// address")
    }
}
