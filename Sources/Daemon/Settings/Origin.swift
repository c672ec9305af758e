import YAML

/// What a source says of a setting.
struct GivenValue {
    let text: String
    /// Of a setting with structure, with the lines of its parts, where the configuration file has it.
    var structure: YAMLNode?
    let origin: Origin
    /// The home directory, for paths within a structure.
    var home = ""
}

/// Where a setting's value came from.
package enum Origin: Sendable, Equatable, CustomStringConvertible {
    case commandLine
    case environment(variable: String)
    case file(path: String, line: Int)
    /// What was in force when the recording was made that is replayed.
    case recording(path: String)
    /// Of the service manager (systemd.exec(5), LoadCredential=).
    case credential(name: String)
    case `default`

    /// As `--print-config` shows it, on one line.
    package var description: String {
        switch self {
        case .commandLine: "command line"
        case .environment(let variable): "environment \(variable)"
        case .file(let path, let line): "file \(path.visible):\(line)"
        case .recording(let path): "recording \(path.visible)"
        case .credential(let name): "credential \(name)"
        case .default: "default"
        }
    }

    /// Whether somebody wrote it into a file, in which nothing may be wrong.
    var isFile: Bool { 2...3 ~= rank }

    /// Lower for a source that goes before.
    var rank: Int {
        switch self {
        case .commandLine: 0
        case .environment: 1
        case .recording: 2
        case .file: 3
        case .credential, .default: 4
        }
    }

    /// In the configuration file.
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
    ///   - line: of the key; nil: of the setting
    func spelling(ofKey key: String, line: Int? = nil) -> String {
        switch self {
        case .file(let path, let own): "\(path.visible):\(line ?? own): \(key)"
        case .recording(let path): "\(path.visible): \(key)"
        case .commandLine, .environment, .credential, .default: key
        }
    }
}
