import BaseDirectories
import Model
import UserdAPI

extension SocketFacts {
    package static func gather(path: String?, _ probes: DoctorProbes) -> SocketFacts {
        var facts = SocketFacts(path: path, user: probes.user().id)
        guard let path else { return facts }
        facts.directory = probes.file(parent(of: path), false)
        facts.file = probes.file(path, false)
        facts.answer = probes.daemon(path)
        return facts
    }
}

extension CacheFacts {
    package static func gather(path: String?, _ probes: DoctorProbes) async -> CacheFacts {
        var facts = CacheFacts(path: path, user: probes.user().id)
        guard let path else { return facts }
        facts.directory = probes.file(parent(of: path), true)
        facts.file = probes.file(path, false)
        let fileSystem = probes.fileSystem(path)
        facts.freeBytes = fileSystem?.freeBytes
        facts.isReadOnly = fileSystem?.isReadOnly ?? false
        if case .found(.file, _, _) = facts.file { facts.examination = await probes.cache(path) }
        return facts
    }
}

extension UnitFacts {
    package static func gather(isAnswered: Bool, _ probes: DoctorProbes) -> UnitFacts {
        let user = probes.user().name
        return UnitFacts(
            manager: manager(probes), linger: lingers(user, probes), userName: user, isAnswered: isAnswered)
    }

    private static func manager(_ probes: DoctorProbes) -> Manager {
        do throws(Systemctl.Failure) {
            return .answers(try Systemctl(probes).show(names, Unit.properties).map(Unit.init))
        } catch {
            switch error {
            case .missing: return .silent("there is no systemctl")
            case .refused(let reason): return .silent(reason)
            }
        }
    }
}

extension UserdFacts {
    /// For its start, and for the steps to upstream, each of which has a limit among userd's settings.
    private static let (short, long) = (Duration.seconds(10), Duration.seconds(300))

    /// What can be known at once; upstream is left out.
    /// - Parameter places: that userctl takes socket and cache for, by the names of the settings.
    package static func gather(places: [String: String], _ probes: DoctorProbes) -> UserdFacts {
        guard let program = probes.find("userd") else { return UserdFacts(program: nil) }
        var facts = UserdFacts(program: program)
        do {
            let run = try probes.run(program, ["--print-config"], short)
            facts.settings = run.code == 0 ? .good : .bad(run.words)
            facts.places = places.sorted { $0.key < $1.key }.compactMap { setting, here in
                guard let there = value(of: setting, in: run.output), there != here else { return nil }
                return Place(setting: setting, there: there, here: here)
            }
            facts.warnings = (try? probes.run(program, ["--check-config"], short))?.warnings ?? []
        } catch {
            facts.settings = .bad("\(program): \(error)")
        }
        return facts
    }

    /// Of a line such as `socket: "/run/…"  # default`; nil where it has none, or one with escapes.
    static func value(of setting: String, in printed: String) -> String? {
        let beginning = setting + ": \""
        let line = printed.split(separator: "\n").first { $0.hasPrefix(beginning) }
        let value = line?.dropFirst(beginning.count).prefix { $0 != "\"" }
        return value.flatMap { $0.contains("\\") ? nil : String($0) }
    }

    /// Has userd try its upstreams.
    package func upstreams(_ probes: DoctorProbes) -> Upstreams {
        guard let program else { return .unchecked("without the program userd nobody can try it") }
        guard case .good? = settings else { return .unchecked("with such settings it can't be tried") }
        do {
            let run = try probes.run(program, ["--check-upstream"], Self.long)
            guard run.code == 0 else { return .unchecked(run.words) }
            return .checked(try decoded(UpstreamChecks.self, from: Array(run.output.utf8)))
        } catch let error as ProgramRunError {
            return .unchecked("\(program): \(error)")
        } catch {
            return .unchecked("\(program) answers what is not known here: is it of another version?")
        }
    }
}

extension ProgramRun {
    /// A complaint of userd's.
    fileprivate var words: String { String(complaint.trimmingPrefix("userd: ")) }

    fileprivate var warnings: [String] {
        errors.split(separator: "\n").compactMap {
            let beginning = "userd: warning: "
            return $0.hasPrefix(beginning) ? String($0.dropFirst(beginning.count)) : nil
        }
    }
}
