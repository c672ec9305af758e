import Model
import UserdAPI
import YAML

extension UserdFacts {
    /// The time limit for reading the settings.
    private static let timeout = Duration.seconds(10)

    /// Gathers all facts except those about the upstreams, which take longer.
    /// - Parameters:
    ///   - places: the paths that userctl uses, by the names of the settings.
    ///   - running: the userd that answers; nil if none does.
    static func gather(
        places: [String: String], of running: RunningUserd? = nil, _ probes: DoctorProbes
    ) -> UserdFacts {
        var facts = UserdFacts()
        facts.start = running?.start
        facts.program = facts.start?.program ?? probes.find("userd")
        guard let program = facts.program else { return facts }
        facts.gone = Set((running?.settings ?? []).compactMap(\.file)).sorted().filter {
            probes.file($0, true) == .absent
        }
        facts.isOutOfSight = running != nil && facts.start == nil
        let run = { try probes.run(program, as: facts.start, $0, within: timeout) }
        do {
            let printed = facts.isOutOfSight ? nil : try run(["--print-config"])
            if let printed, printed.code != 0 { facts.complaint = printed.words }
            let configuration = try? Configuration(Array((printed?.output ?? "").utf8))
            // A userd that systemd is to start asks nobody for a demo that nobody has agreed to.
            if running == nil, configuration?.text("demo") == "" { facts.trial = ["--demo", "false"] }
            facts.places = places.sorted { $0.key < $1.key }.compactMap { setting, here in
                let there = running?.settings?.value(of: setting) ?? configuration?.text(setting)
                guard let there, there != here else { return nil }
                return Place(setting: setting, there: there, here: here)
            }
            if printed != nil { facts.warnings = (try? run(["--check-config"]))?.warnings ?? [] }
        } catch {
            facts.complaint = "\(program): \(error)"
        }
        return facts
    }

    /// Runs `userd --check-upstream`.
    func upstreams(_ probes: DoctorProbes) -> Upstreams {
        guard let program else { return .unchecked("not tried: userd is not installed") }
        guard !isOutOfSight else { return .unchecked("not tried: \(UserdFacts.outOfSight)") }
        guard complaint == nil else { return .unchecked("not tried: the settings have to be fixed first") }
        return Upstreams(asking: program, as: start, with: trial, probes)
    }
}

extension SettingValue {
    /// The configuration file that it is from, as `file PATH:LINE`.
    fileprivate var file: String? {
        guard origin.hasPrefix("file /"), let colon = origin.lastIndex(of: ":") else { return nil }
        return String(origin[..<colon].dropFirst(5))
    }
}

extension UserdFacts.Upstreams {
    /// A limit for all steps; each has its own timeout in userd's settings.
    private static let timeout = Duration.seconds(300)

    /// - Parameter start: the running userd's, to try its settings; nil for the settings of this environment.
    init(
        asking program: String, as start: DaemonProcess.Start?, with options: [String] = [],
        _ probes: DoctorProbes
    ) {
        do {
            let run = try probes.run(
                program, as: start, ["--check-upstream"] + options, within: Self.timeout)
            // With the exit code 1, the output says what failed.
            self =
                run.code == 0 || run.code == 1 && !run.output.isEmpty
                ? .checked(try decoded(UpstreamChecks.self, from: Array(run.output.utf8)))
                : .unchecked(run.words)
        } catch let error as ProgramRunError {
            self = .unchecked("\(program): \(error)")
        } catch {
            self = .unchecked("unrecognised output of \(program): version mismatch?")
        }
    }
}

extension ProgramRun {
    /// userd's error message.
    fileprivate var words: String { String(complaint.trimmingPrefix("userd: ")) }

    fileprivate var warnings: [String] {
        let beginning = "userd: warning: "
        return errors.lines.filter { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
    }
}

/// The settings that a running userd reports, and how it was started.
struct RunningUserd {
    /// Nil if its version does not report them.
    let settings: [SettingValue]?
    /// Nil if unknown.
    let start: DaemonProcess.Start?
}

extension RunningUserd {
    init(socket: String, _ probes: DoctorProbes) {
        settings = probes.settings(socket)
        start = DaemonProcess.serving(socket, probes)?.start
    }
}
