import Glibc
import Synchronization
import Testing

@testable import UserctlCommands

/// A fake service manager of userd's two units, behind systemctl(1).
final class FakeManager: Sendable {
    struct Contents {
        var units: [String: Systemctl.Properties] = [:]
        var told: [String] = []
        /// The manager's errors, by verb.
        var refused: [String: String] = [:]
        var isLingering = false
        var programs: Set = ["systemctl", "loginctl"]
        var isNeverDisabled = false
        /// Whether there are new unit files.
        var hasNewFiles = false
        var journal = ""
    }

    let contents = Mutex(Contents())

    init(
        load: String = "loaded", file: String = "disabled", active: String = "inactive",
        _ change: (inout Contents) -> Void = { _ in }
    ) {
        contents.withLock { contents in
            for name in ServiceUnits.names {
                contents.units[name] = [
                    "Id": name, "LoadState": load, "UnitFileState": file, "ActiveState": active,
                    "Result": active == "failed" ? "exit-code" : "success", "FragmentPath": "/units/\(name)",
                    "NeedDaemonReload": "no",
                ]
            }
            change(&contents)
        }
    }

    var told: [String] { contents.withLock { $0.told } }

    var probes: DoctorProbes {
        var probes = DoctorProbes.live([:])
        probes.find = { [self] name in contents.withLock { $0.programs.contains(name) ? "/bin/" + name : nil }
        }
        probes.file = { [self] path, _ in
            contents.withLock { $0.isLingering } && path == "/var/lib/systemd/linger/anna"
                ? .found(.file, owner: 0, mode: 0o644) : .absent
        }
        probes.user = { (1000, "anna") }
        probes.run = { [self] path, arguments, _, _ in
            contents.withLock {
                $0.run(path, arguments.filter { !["--user", "--quiet", "--no-ask-password"].contains($0) })
            }
        }
        return probes
    }

    /// - Returns: the messages, and the error.
    func enable(linger: Bool = false, isAnswered: Bool = false) -> (said: [String], error: CommandError?) {
        saying { try $0.enable(linger: linger, isAnswered: isAnswered) }
    }

    func disable() -> (said: [String], error: CommandError?) {
        saying { try $0.disable() }
    }

    private func saying(_ body: (ServiceUnits) throws -> Void) -> (said: [String], error: CommandError?) {
        var said: [String] = []
        do {
            try body(ServiceUnits(probes: probes, now: { noon }, say: { said.append($0) }))
            return (said, nil)
        } catch {
            return (said, error as? CommandError)
        }
    }
}

extension FakeManager.Contents {
    fileprivate mutating func run(_ path: String, _ arguments: [String]) -> ProgramRun {
        if path.hasSuffix("/journalctl") { return ProgramRun(code: 0, output: journal) }
        let verb = arguments[0]
        if !["show", "list-units"].contains(verb) { told.append(arguments.joined(separator: " ")) }
        if let complaint = refused[verb] {
            if verb == "start" {
                units["userd.service"]?["ActiveState"] = "failed"
                units["userd.service"]?["Result"] = "exit-code"
            }
            return ProgramRun(code: 1, errors: complaint + "\n")
        }
        let named = arguments.dropFirst().filter { !$0.hasPrefix("-") }
        func set(_ name: String, _ value: String) { for unit in named { units[unit]?[name] = value } }
        switch verb {
        case "show":
            let texts = named.map { name in
                (units[name] ?? [:]).map { "\($0)=\($1)" }.joined(separator: "\n")
            }
            return ProgramRun(code: 0, output: texts.joined(separator: "\n\n") + "\n")
        case "list-units":
            let others = units.keys.filter { name in
                ["userd-carddav@", "userd-publish@"].contains(where: name.hasPrefix)
            }.sorted()
            return ProgramRun(
                code: 0, output: others.map { "\($0) loaded active listening Words\n" }.joined())
        case "start", "restart": set("ActiveState", "active")
        case "stop": set("ActiveState", "inactive")
        case "enable": set("UnitFileState", "enabled")
        case "disable": if !isNeverDisabled { set("UnitFileState", "disabled") }
        case "enable-linger": isLingering = true
        case "daemon-reload":
            if hasNewFiles { for unit in ServiceUnits.names { units[unit]?["LoadState"] = "loaded" } }
            for unit in ServiceUnits.names { units[unit]?["NeedDaemonReload"] = "no" }
        default: break
        }
        return ProgramRun(code: 0)
    }
}
