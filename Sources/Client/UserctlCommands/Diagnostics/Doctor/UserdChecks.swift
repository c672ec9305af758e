import Model
import TerminalViews
import UserdAPI

/// The facts behind the checks of the installed userd: program, settings, upstreams.
struct UserdFacts: Sendable {
    enum Upstreams: Sendable {
        case checked(UpstreamChecks)
        /// The text is the reason.
        case unchecked(String)
        /// Skipped by --offline.
        case leftOut
    }

    /// The path in a setting of userd, and the path that userctl uses.
    struct Place {
        /// Such as `socket`.
        let setting: String
        let there: String
        let here: String
    }

    /// The program's path; nil if it is not installed.
    var program: String?
    /// The paths that differ.
    var places: [Place] = []
    /// How the running userd was started; nil if none runs, or it is unknown.
    var start: DaemonProcess.Start?
    /// True if a userd answers, but how it was started is unknown.
    var isOutOfSight = false
    /// Options for trying the upstreams.
    var trial: [String] = []
    /// Files of settings in force that are gone.
    var gone: [String] = []
    /// userd's complaint about its settings; nil if it accepts them.
    var complaint: String?
    var warnings: [String] = []

    static let outOfSight = "the running userd's environment can't be read"
}

extension CheckSubject {
    fileprivate static let program = CheckSubject(name: "userd.program", title: "Program")
    fileprivate static let settings = CheckSubject(name: "userd.settings", title: "Settings")
    fileprivate static let places = CheckSubject(name: "userd.places", title: "Paths")
    fileprivate static let upstream = CheckSubject(name: "upstream", title: "Upstream")
    fileprivate static let fields = CheckSubject(name: "upstream.users.fields", title: "users.fields")
    fileprivate static let paging = CheckSubject(name: "upstream.users.paging", title: "users.paging")
    fileprivate static let clock = CheckSubject(name: "clock", title: "Clock")

    fileprivate static func step(_ setting: String, _ step: UpstreamStep.Name) -> CheckSubject {
        let title =
            switch step {
            case .lookup: "name"
            case .connection: "connection"
            case .tls: "TLS"
            case .answer: "answer"
            }
        return CheckSubject(name: "upstream.\(setting).\(step)", title: "\(setting) \(title)")
    }
}

private let settingsAdvice =
    "fix that; `userd --print-config` shows the settings in force and where they come from"

func programChecks(_ facts: UserdFacts) -> [Check] {
    guard let program = facts.program else {
        return [
            CheckSubject.program.warning(
                "userd is neither in this userctl's folder nor in PATH",
                "`make install` in userd's sources installs both"),
            CheckSubject.settings.skipped("userd is not installed"),
            CheckSubject.places.skipped("userd is not installed"),
        ]
    }
    let warnings = facts.warnings.filter { !isOfPastedSecret($0) }
    let settings =
        if !facts.gone.isEmpty {
            CheckSubject.settings.failed(
                "userd runs with the settings of \(facts.gone.joined(separator: ", ")), which is gone",
                "put the file back; `userctl service remove` removes all of userd;",
                "`systemctl --user restart userd` goes on without the file")
        } else if facts.isOutOfSight {
            CheckSubject.settings.skipped(UserdFacts.outOfSight)
        } else if let complaint = facts.complaint {
            CheckSubject.settings.failed(complaint, settingsAdvice)
        } else if warnings.isEmpty {
            CheckSubject.settings.ok("userd accepts them")
        } else {
            CheckSubject.settings.warning(warnings.joined(separator: "; "), settingsAdvice)
        }
    return [CheckSubject.program.ok(program), settings, placesCheck(facts)]
}

private func placesCheck(_ facts: UserdFacts) -> Check {
    guard facts.complaint == nil else {
        return CheckSubject.places.skipped("the settings can't be read")
    }
    guard !facts.places.isEmpty else {
        return CheckSubject.places.ok("userctl uses userd's socket and cache")
    }
    let differences = facts.places.map { "\($0.setting) is \($0.there), but userctl uses \($0.here)" }
    return CheckSubject.places.warning(
        differences.joined(separator: "; "),
        advice: ["for userctl, set them with"]
            + facts.places.map { "  export USERD_\($0.setting.uppercased())=\(shellQuoted($0.there))" })
}

func upstreamChecks(_ upstreams: UserdFacts.Upstreams) -> [Check] {
    switch upstreams {
    case .leftOut: [CheckSubject.upstream.skipped("left out"), CheckSubject.clock.skipped("left out")]
    case .unchecked(let reason):
        [
            CheckSubject.upstream.skipped(reason),
            CheckSubject.clock.skipped("only an upstream reports the time"),
        ]
    case .checked(let checks):
        checks.upstreams.flatMap { stepChecks($0) + fieldsCheck($0) + pagingCheck($0) } + [
            clockCheck(checks.upstreams.compactMap(\.clock))
        ]
    }
}

private func stepChecks(_ upstream: UpstreamCheck) -> [Check] {
    UpstreamStep.Name.allCases.map { name in
        let subject = CheckSubject.step(upstream.setting, name)
        guard let step = upstream.steps.first(where: { $0.name == name }) else {
            return subject.skipped(upstream.withoutStep(name) ?? "an earlier step failed")
        }
        if let failure = step.failure {
            return subject.failed(failure.reason, advice: advice(failure))
        }
        let found = step.found ?? ""
        return switch name {
        // `found` has a time for each address.
        case .connection: subject.ok(found)
        case .lookup, .tls: subject.ok("\(found) (\(step.milliseconds) ms)")
        case .answer: subject.ok("\(upstream.address) \(found) (\(step.milliseconds) ms)")
        }
    }
}

extension UpstreamCheck {
    /// The reason why the check has no such step; nil if an earlier step failed.
    fileprivate func withoutStep(_ name: UpstreamStep.Name) -> String? {
        if address.hasPrefix("ldapi://") {
            return name == .answer ? nil : "the address is a socket of this machine"
        }
        guard name == .tls else { return nil }
        if address.hasPrefix("http://") { return "the address is plain http://" }
        // StartTLS has the step, unless an earlier one failed.
        let isPlain = address.hasPrefix("ldap://") && steps.contains { $0.name == .answer }
        return isPlain ? "the address is plain ldap://" : nil
    }
}

/// Checks whether the configured pointers of a format find anything.
private func fieldsCheck(_ upstream: UpstreamCheck) -> [Check] {
    guard let sample = upstream.sample, !sample.fields.isEmpty else { return [] }
    guard sample.records > 0 else { return [CheckSubject.fields.skipped("there are no users to look at")] }
    let found = Set(sample.fields.filter { $0.found > 0 }.map(\.name))
    let users = Model.Resource.users.counted(sample.records)
    let configured = sample.fields.filter(\.isConfigured)
    let lost = configured.filter { !found.contains($0.name) && $0.unreadable == nil }
    var wrong = configured.compactMap { field in
        field.unreadable.map { "\(field.name): \(field.pointer) can't be read in \($0) of \(users)" }
    }
    if !lost.isEmpty {
        wrong.append(
            lost.map { "\($0.name): \($0.pointer)" }.joined(separator: ", ") + " finds nothing in \(users)"
        )
    }
    guard !wrong.isEmpty else {
        return [CheckSubject.fields.ok("\(found.count) of them are found in \(users)")]
    }
    let unread = sample.unread.isEmpty ? "" : "; no field reads \(sample.unread.joined(separator: ", "))"
    return [
        CheckSubject.fields.warning(
            wrong.joined(separator: "; "),
            "check the setting users.fields\(unread)",
            "`userd --check-upstream` shows how often each field is found")
    ]
}

/// Checks whether the pages lead to the end of the list, and end there.
private func pagingCheck(_ upstream: UpstreamCheck) -> [Check] {
    guard let list = upstream.sample?.list else { return [] }
    guard list.more.isEmpty else {
        return [
            CheckSubject.paging.warning(
                list.more.joined(separator: "; "),
                "set users.paging; `userd --check-upstream` shows what is on the first pages and after the last"
            )
        ]
    }
    return [CheckSubject.paging.ok("the list ends with \(list.end ?? "an unknown page")")]
}

private func advice(_ failure: Failure) -> [String] {
    let formats = failure.kind == .decode && failure.advice?.kind == .check
    return [failure.advice?.words, formats ? "`userd --print-format NAME` shows a format's own" : nil]
        .compactMap(\.self)
}

/// A larger difference shifts staleness and the times of syncs.
private let tolerance = Duration.seconds(60)

private func clockCheck(_ comparisons: [ClockComparison]) -> Check {
    // If one upstream agrees, the other's clock is wrong.
    let closest = comparisons.min { $0.ahead.magnitude < $1.ahead.magnitude }
    guard let ahead = closest?.ahead else {
        return CheckSubject.clock.skipped("no upstream reported the time")
    }
    guard ahead.magnitude > tolerance else { return CheckSubject.clock.ok("it agrees with upstream") }
    let amount = inWords(ahead.magnitude)
    return CheckSubject.clock.warning(
        ahead < .zero ? "it is \(amount) behind upstream" : "it is \(amount) ahead of upstream",
        "`timedatectl set-ntp true` sets it")
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
