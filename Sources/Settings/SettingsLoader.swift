import BaseDirectories
import Configuration
import NearMatch
import Synchronization

/// Finds each setting's value: on the command line, else in the environment, else in the configuration file, else the
/// default. Called at the start, and again at each SIGHUP.
package struct SettingsLoader: Sendable {
    package typealias ReadFile = @Sendable (_ path: String) throws -> [UInt8]?

    private let commandLine: [String: String]
    private let configFile: String?
    private let environment: [String: String]
    private let homeDirectory: String
    private let readFile: ReadFile

    /// - Parameters:
    ///   - commandLine: texts by the names of their settings (`SettingsOptions.commandLine`)
    ///   - configFile: the file that `--config` names, which must exist; nil: the usual one, which need not
    ///   - readFile: a file's bytes; nil where there is no such file
    package init(
        commandLine: [String: String], configFile: String? = nil, environment: [String: String],
        homeDirectory: String, readFile: @escaping ReadFile = Self.readFromDisk
    ) {
        self.commandLine = commandLine
        self.configFile = configFile
        self.environment = environment
        self.homeDirectory = homeDirectory
        self.readFile = readFile
    }

    package func load() throws(SettingsError) -> LoadedSettings {
        if let name = commandLine.keys.first(where: { Setting.named[$0] == nil }) {
            throw SettingsError(name, "is not a setting" + didYouMean(name, among: Setting.all.map(\.name)))
        }
        let directories = BaseDirectories(environment: environment, homeDirectory: homeDirectory)
        let file = try configuration(default: directories.configFile)
        let supplier = Supplier()
        let reader = ConfigReader(
            providers: [
                texts(commandLine),
                EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "userd"),
                texts(file?.entries.mapValues(\.text) ?? [:]),
            ],
            accessReporter: supplier)

        var settings = Settings(socket: directories.socket, database: directories.database ?? "")
        var origins: [String: Origin] = [:]
        for setting in Setting.all {
            // Read in any case: a bad value in the file is an error even where another source goes before it.
            let entry = file?.entries[setting.name]
            if let entry { try set(setting, to: entry.text, from: entry.origin, in: &settings) }

            let text = reader.string(forKey: ConfigKey(setting.name))
            let origin: Origin =
                switch (text, supplier.index) {
                case (nil, _): .default
                case (_, 0): .commandLine
                case (_, 1): .environment(variable: setting.environmentName)
                default: entry?.origin ?? .default
                }
            origins[setting.name] = origin
            if let text { try set(setting, to: text, from: origin, in: &settings) }
        }
        if settings.database.isEmpty {
            throw SettingsError(
                "database",
                "has no default without a home directory; name the file with --database or USERD_DATABASE")
        }
        return LoadedSettings(settings: settings, origins: origins, warnings: unknownVariables())
    }

    private func set(
        _ setting: Setting, to text: String, from origin: Origin, in settings: inout Settings
    ) throws(SettingsError) {
        do {
            try setting.read(text, &settings)
        } catch {
            let value = error.isShown ? text.excerpt + " " : ""
            throw SettingsError(
                origin.spelling(of: setting), "\(value)\(error.problem); expected \(setting.expected)")
        }
    }

    private func texts(_ values: [String: String]) -> InMemoryProvider {
        InMemoryProvider(
            values: Dictionary(
                uniqueKeysWithValues: values.map { name, text in
                    (AbsoluteConfigKey(ConfigKey(name)), ConfigValue(.string(text), isSecret: false))
                }))
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
        let known = Setting.all.map(\.environmentName)
        let unknown = environment.keys.filter { $0.hasPrefix("USERD_") && !known.contains($0) }.sorted()
        return unknown.prefix(20).map { name in
            "the environment variable \(name.prefix(100).visible) is not a setting"
                + didYouMean(name, among: known)
        }
    }

    package static let readFromDisk: ReadFile = { path in
        try SmallFile(path, atMost: ConfigFile.maximumBytes + 1)?.bytes
    }
}

/// Notes which of the reader's providers supplied the last value: it asks them in order, up to the first that has one.
private final class Supplier: AccessReporter {
    private let last = Mutex(0)

    var index: Int { last.withLock { $0 } }

    func report(_ event: AccessEvent) {
        last.withLock { $0 = event.providerResults.count - 1 }
    }
}
