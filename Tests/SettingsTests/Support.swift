import Testing

@testable import Daemon

let configPath = "/home/ann/.config/userd/config.yaml"

/// Loads settings with a home, a runtime directory and files that the test chooses.
func load(
    _ commandLine: [String: String] = [:], environment: [String: String] = [:], file: String? = nil
) throws -> LoadedSettings {
    try loader(commandLine, environment: environment, files: file.map { [configPath: $0] } ?? [:]).load()
}

func loader(
    _ commandLine: [String: String] = [:], configFile: String? = nil, environment: [String: String] = [:],
    home: String = "/home/ann", files: [String: String] = [:],
    complete: @escaping SettingsLoader.Complete = { _, _ in [] }
) -> SettingsLoader {
    SettingsLoader(
        commandLine: commandLine, configFile: configFile,
        environment: environment.merging(["XDG_RUNTIME_DIR": "/run/user/7"]) { given, _ in given },
        homeDirectory: home, readFile: { files[$0].map { Array($0.utf8) } },
        complete: complete)
}

/// The message of the error.
func failure(_ body: () throws -> Any) throws -> String {
    let error = try #require(throws: SettingsError.self) { _ = try body() }
    return error.description
}

/// A configuration file with one setting.
func file(_ setting: Setting, _ text: String) -> String {
    let parts = setting.name.split(separator: ".")
    let lines = parts.enumerated().map { String(repeating: "  ", count: $0) + $1 + ":" }
    return lines.joined(separator: "\n") + " '\(text)'\n"
}

extension Setting {
    /// The settings that are one text, with an option and a variable.
    static var texts: [Setting] { all.filter { !$0.isStructured } }

    /// Three values of the setting's kind that are not the default. If the kind has fewer, the second is the
    /// default.
    var samples: [String] {
        switch placeholder {
        case "number|none": ["7", "none", "20"]
        case "true|false": ["true", "false", "yes"]
        case "address": ["http://localhost", "http://127.0.0.1:8400/a", "http://[::1]/b"]
        case "browser|device|client_credentials": ["browser", "device", "client_credentials"]
        case "path": ["/a", "/b", "/c"]
        case "url": ["http://a.test/", "http://b.test/", "http://c.test/"]
        case "format": ["scim", "okta", "json"]
        case "query": ["a=1", "b=1", "c=1"]
        case "user": ["ann", "a@b/token", "c d"]
        case "scheme": ["SSWS", "Token", "a.b"]
        case "text": ["userd", "a b", "c=1"]
        case "name": ["cn=a,dc=b", "a@b", "c"]
        case "basic|post": ["post", "basic", "post"]
        case "proxy": ["http://ann:p%40ss@p:3128", "socks5://[::1]:1080", "http://p"]
        case "fields": ["born_at", "cell, address", "email"]
        case "kinds": ["person, group", "mailbox", "contact, room"]
        case "hosts": ["*", ".a.test, ::1", "b"]
        case "gssapi": ["gssapi", "", "gssapi"]
        case "port": ["1024", "25000", "65535"]
        case "words": ["anna", "a b", "c"]
        case "number": ["2", "3", "4"]
        case "size": ["2", "3K", "4M"]
        case "fraction": ["0", "0.25", "1"]
        case "factor": ["1", "0.25", "7"]
        case "data|empty|error|hang": ["data", "hang", "error"]
        case "duration": ["2s", "3min", "4h"]
        case "level": ["trace", "debug", "error"]
        case "none|thumbnail|all": ["thumbnail", "none", "all"]
        default: []
        }
    }
}
