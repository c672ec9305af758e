import Model
import Platform
import YAML

/// The reason why userctl leaves out an action, or all of a file, with its place.
struct ActionMistake: Hashable, Sendable {
    /// The entry's name; nil if the whole file is left out.
    let action: String?
    let text: String
}

/// Reads from userd's configuration files the few settings that userctl needs itself.
extension Console {
    var baseDirectories: BaseDirectories {
        BaseDirectories(
            variable: { BaseDirectories.ofService.contains($0) ? nil : environment.value($0) },
            homeDirectory: environment.value("HOME") ?? "")
    }

    /// The files, from the most important. One that is not YAML gives no settings: userd refuses it, and `userctl doctor` says so.
    private var configurations: [(path: String, configuration: Configuration)] {
        baseDirectories.configFiles.compactMap { path in
            file(path).flatMap { try? Configuration($0) }.map { (path, $0) }
        }
    }

    /// The first of the files that names the directory of users.
    var directoryFile: (path: String, configuration: Configuration)? {
        configurations.first { $0.configuration.text("users.url") != nil }
    }

    /// The paths from the environment, else from userd's configuration, else the defaults.
    var usualPaths: (socket: String?, database: String?) {
        let (socket, database) = (environment.value("USERD_SOCKET"), environment.value("USERD_DATABASE"))
        if let socket, let database { return (socket, database) }
        let (usual, configurations) = (baseDirectories, configurations)
        /// An absolute path, or one in the home directory (`~/`).
        func configured(_ setting: String) -> String? {
            configurations.lazy.compactMap { _, configuration in
                guard let text = configuration.text(setting) else { return nil }
                if text.hasPrefix("~/") { return environment.value("HOME").map { $0 + text.dropFirst() } }
                return text.hasPrefix("/") ? text : nil
            }.first
        }
        return (
            socket ?? configured("socket") ?? usual.socket,
            database ?? configured("database") ?? usual.database
        )
    }

    /// The text of a setting in the first file that has it, with its place.
    func configured(_ setting: String) -> (path: String, line: Int, text: String)? {
        configurations.lazy.compactMap { path, configuration in
            guard let text = configuration.text(setting), let line = configuration[setting]?.line else {
                return nil
            }
            return (path, line, text)
        }.first
    }

    /// The actions of all files and the built-in ones: of one name, that of the most important file; and what is wrong in
    /// the files. A wrong entry is left out, and so are those of its name in less important files.
    func actions() -> (all: [UserAction], mistakes: [ActionMistake]) {
        var files: [[UserAction]] = []
        var mistakes: [ActionMistake] = []
        for path in baseDirectories.configFiles {
            func add(_ reason: String, _ line: Int?, of action: String? = nil) {
                let place = path + (line.map { ":\($0)" } ?? "")
                mistakes.append(ActionMistake(action: action, text: "\(place): \(reason)"))
            }
            guard let bytes = file(path) else { continue }
            do throws(YAMLError) {
                guard let entry = try Configuration(bytes)["actions"] else { continue }
                guard case .mapping(let members) = entry.value.content else {
                    let noun = entry.value.noun
                    add("actions: has \(noun) where names with addresses are expected", entry.line)
                    continue
                }
                files.append(
                    members.compactMap { member -> UserAction? in
                        do throws(InvalidAction) {
                            return try UserAction(member.name, member.value.text)
                        } catch {
                            add("actions: \(member.name): \(error.problem)", member.line, of: member.name)
                            return try? UserAction(member.name, "")
                        }
                    })
            } catch {
                add("\(error.reason); userctl uses nothing of this file", error.line)
            }
        }
        return (UserAction.merged(files + [UserAction.builtIn]), mistakes)
    }

    /// Whether the addresses on stdout are links, by the setting `hyperlinks`: never in a file or a pipe.
    func drawsLinks() throws(CommandError) -> Bool {
        guard output.width != nil else { return false }
        guard let (path, line, text) = configured("hyperlinks") else { return hasHyperlinks(environment) }
        switch HyperlinkUse(rawValue: text) {
        case .auto: return hasHyperlinks(environment)
        case .never: return false
        case .always: return true
        case nil:
            throw CommandError(
                "\(path):\(line): hyperlinks: has another word than auto, never or always", .usage,
                advice: "`userd --check-config` checks the whole file")
        }
    }

    /// The value of a setting in the files for everybody on the machine; nil if none gives one.
    func configuredForAll(_ setting: String) -> String? {
        configurations.lazy.filter { $0.path != baseDirectories.configFile }
            .compactMap { $0.configuration.text(setting) }.first
    }

    /// The kinds that a setting names; nil if none of the files has it. Throws a `CommandError` if a kind is unknown.
    func configuredKinds(_ setting: String) throws -> [UserKind]? {
        for (path, configuration) in configurations {
            guard let member = configuration[setting], !member.value.isNull else { continue }
            do throws(UnknownKind) {
                return try UserKind.list(member.value.texts ?? [])
            } catch {
                throw CommandError(
                    "\(path):\(member.line): \(setting): unknown kind \(error.explanation)", .usage,
                    advice: "`userd --check-config` checks the whole file")
            }
        }
        return nil
    }

    /// The columns that `columns` names; nil if it names none. Throws a `CommandError` if a column is unknown.
    func configuredColumns() throws -> [UserColumn]? {
        for (path, configuration) in configurations {
            guard let member = configuration["columns"], !member.value.isNull else { continue }
            func mistake(_ reason: String) -> CommandError {
                CommandError(
                    "\(path):\(member.line): columns: \(reason)", .usage,
                    advice: "--columns overrides it; `userd --check-config` checks the whole file")
            }
            guard let texts = member.value.texts, !texts.isEmpty else {
                throw mistake("has \(member.value.noun) where names such as [name, email, city] are expected")
            }
            do throws(UnknownColumn) {
                return try UserColumn.list(texts.joined(separator: ","))
            } catch {
                throw mistake("unknown column \(error.explanation)")
            }
        }
        return nil
    }
}
