import YAML

/// A setting's value from one source.
struct GivenValue {
    let text: String
    /// A structured value from the configuration file, with the lines of its parts.
    var structure: YAMLNode?
    let origin: Origin
    /// The home directory, for paths within a structure.
    var home = ""
}

/// The source of a setting's value.
enum Origin: Sendable, Equatable, CustomStringConvertible {
    case commandLine
    case environment(variable: String)
    case file(path: String, line: Int)
    /// The replayed recording, with the value in force when it was made.
    case recording(path: String)
    /// The service manager (systemd.exec(5), LoadCredential=).
    case credential(name: String)
    case `default`

    /// One line, as `--print-config` shows it.
    var description: String {
        switch self {
        case .commandLine: "command line"
        case .environment(let variable): "environment \(variable)"
        case .file(let path, let line): "file \(path.visible):\(line)"
        case .recording(let path): "recording \(path.visible)"
        case .credential(let name): "credential \(name)"
        case .default: "default"
        }
    }

    /// True for files: an invalid value in one is an error even if another source overrides it.
    var isFile: Bool { 2...3 ~= rank }

    /// A lower rank overrides a higher one.
    var rank: Int {
        switch self {
        case .commandLine: 0
        case .environment: 1
        case .recording: 2
        case .file: 3
        case .credential, .default: 4
        }
    }

    var line: Int? {
        if case .file(_, let line) = self { line } else { nil }
    }

    /// A setting in the spelling of its origin, for an error's subject.
    func spelling(of setting: Setting) -> String {
        switch self {
        case .commandLine: "--\(setting.optionName)"
        case .environment(let variable): variable
        case .file, .recording, .credential, .default: spelling(ofKey: setting.name)
        }
    }

    /// - Parameters:
    ///   - key: the setting's name, or one within its structure, such as `users.fields.email`
    ///   - line: the key's line; nil for the setting's line
    func spelling(ofKey key: String, line: Int? = nil) -> String {
        switch self {
        case .file(let path, let own): "\(path.visible):\(line ?? own): \(key)"
        case .recording(let path): "\(path.visible): \(key)"
        case .commandLine, .environment, .credential, .default: key
        }
    }
}
