package import ArgumentParser

/// The settings as options of the command line, for an `@OptionGroup`.
package struct SettingsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Read settings from this file, which must exist. \
            (default: $XDG_CONFIG_HOME/userd/config.yaml, else ~/.config/userd/config.yaml)
            """, valueName: "path"))
    package var config: String?

    @Option("socket") package var socket: String?
    @Option("database") package var database: String?
    @Option("paused", alone: "true") package var paused: String?
    @Option("log_level") package var logLevel: String?

    @Option("record") package var record: String?
    @Option("record_raw", alone: "true") package var recordRaw: String?
    @Option("replay") package var replay: String?
    @Option("replay_speed") package var replaySpeed: String?
    @Option("mock") package var mock: String?

    @Option("users.url") package var usersURL: String?
    @Option("users.query") package var usersQuery: String?
    @Option("users.page_size") package var usersPageSize: String?
    @Option("users.pages") package var usersPages: String?
    @Option("users.interval") package var usersInterval: String?
    @Option("users.removal_guard") package var usersRemovalGuard: String?
    @Option("users.token_file") package var usersTokenFile: String?
    @Option("users.pictures") package var usersPictures: String?

    @Option("facts.url") package var factsURL: String?
    @Option("facts.one_url") package var factsOneURL: String?
    @Option("facts.page_size") package var factsPageSize: String?
    @Option("facts.max_count") package var factsMaxCount: String?
    @Option("facts.interval") package var factsInterval: String?

    @Option("http.connect_timeout") package var httpConnectTimeout: String?
    @Option("http.deadline") package var httpDeadline: String?
    @Option("http.max_response_bytes") package var httpMaxResponseBytes: String?

    @Option("retry.base") package var retryBase: String?
    @Option("retry.cap") package var retryCap: String?

    @Option("limits.connections") package var limitsConnections: String?
    @Option("limits.request_bytes") package var limitsRequestBytes: String?
    @Option("limits.request_depth") package var limitsRequestDepth: String?
    @Option("limits.request_deadline") package var limitsRequestDeadline: String?
    @Option("limits.watch_queue") package var limitsWatchQueue: String?
    @Option("limits.history") package var limitsHistory: String?

    package init() {}

    /// The settings that the command line gives, by name, as they were written.
    package var commandLine: [String: String] {
        var values: [String: String] = [:]
        for setting in Setting.all { values[setting.name] = self[keyPath: setting.option] }
        return values
    }
}

extension Option<String?> {
    /// The option of a setting. With `alone`, its value may be left out and is then that.
    fileprivate init(_ name: String, alone: String? = nil) {
        guard let setting = Setting.named[name] else { preconditionFailure("no setting \(name)") }
        let name = NameSpecification.customLong(setting.optionName)
        let help = ArgumentHelp(
            setting.help + "." + (setting.defaultText.isEmpty ? "" : " (default: \(setting.defaultText))"),
            valueName: setting.placeholder)
        if let alone {
            self.init(name: name, defaultAsFlag: alone, parsing: .next, help: help)
        } else {
            self.init(name: name, help: help)
        }
    }
}
