import Model
import TerminalViews

/// What the installed userd said of its settings, and of the way to its upstreams.
package struct UserdFacts: Sendable {
    package enum Settings: Sendable {
        case good
        /// In userd's words.
        case bad(String)
    }

    package enum Upstreams: Sendable {
        case checked(UpstreamChecks)
        /// Why they were not, in words for people.
        case unchecked(String)
        /// Nobody wanted to know.
        case leftOut
    }

    /// A path that userd's settings name, and the one that userctl takes it for.
    package struct Place: Hashable, Sendable {
        /// Of the setting, such as `socket`.
        package var setting: String
        package var there: String
        package var here: String
    }

    /// Where the program is; nil where there is none.
    package var program: String?
    /// Those that differ.
    package var places: [Place] = []
    /// Nil where nobody could be asked.
    package var settings: Settings?
    /// What userd would log of settings that it can work with, each in its words.
    package var warnings: [String] = []
    package var upstreams: Upstreams

    package init(program: String?, settings: Settings? = nil, upstreams: Upstreams = .leftOut) {
        self.program = program
        self.settings = settings
        self.upstreams = upstreams
    }
}

extension CheckSubject {
    fileprivate static let program = CheckSubject(name: "userd.program", title: "Program")
    fileprivate static let settings = CheckSubject(name: "userd.settings", title: "Settings")
    fileprivate static let places = CheckSubject(name: "userd.places", title: "Paths")
    fileprivate static let upstream = CheckSubject(name: "upstream", title: "Upstream")
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
    "mend that; `userd --print-config` shows what is in force, and where it is from"

package func programChecks(_ facts: UserdFacts) -> [Check] {
    guard let program = facts.program else {
        return [
            CheckSubject.program.warning(
                "there is no userd beside this userctl, and none in PATH",
                "`make install` in userd's sources installs both"),
            CheckSubject.settings.skipped("nobody could be asked"),
            CheckSubject.places.skipped("nobody could be asked"),
        ]
    }
    let settings =
        switch facts.settings {
        case nil: CheckSubject.settings.skipped("nobody could be asked")
        case .good where !facts.warnings.isEmpty:
            CheckSubject.settings.warning(facts.warnings.joined(separator: "; "), settingsAdvice)
        case .good: CheckSubject.settings.ok("userd can work with them")
        case .bad(let words): CheckSubject.settings.failed(words, settingsAdvice)
        }
    return [CheckSubject.program.ok(program), settings, placesCheck(facts)]
}

private func placesCheck(_ facts: UserdFacts) -> Check {
    guard case .good? = facts.settings else { return CheckSubject.places.skipped("nobody could be asked") }
    guard !facts.places.isEmpty else {
        return CheckSubject.places.ok("userctl takes the socket and the cache that they name")
    }
    let differences = facts.places.map { "\($0.setting) is \($0.there), and userctl takes \($0.here)" }
    return CheckSubject.places.warning(
        differences.joined(separator: "; "),
        advice: ["userctl does not read userd's configuration file; tell it with"]
            + facts.places.map { "  export USERD_\($0.setting.uppercased())=\(shellQuoted($0.there))" })
}

package func upstreamChecks(_ upstreams: UserdFacts.Upstreams) -> [Check] {
    switch upstreams {
    case .leftOut: [CheckSubject.upstream.skipped("left out"), CheckSubject.clock.skipped("left out")]
    case .unchecked(let reason):
        [
            CheckSubject.upstream.skipped(reason),
            CheckSubject.clock.skipped("only upstream could tell the time"),
        ]
    case .checked(let checks):
        checks.upstreams.flatMap(stepChecks) + [clockCheck(checks.upstreams.compactMap(\.clock))]
    }
}

private func stepChecks(_ upstream: UpstreamCheck) -> [Check] {
    UpstreamStep.Name.allCases.map { name in
        let subject = CheckSubject.step(upstream.setting, name)
        guard let step = upstream.steps.first(where: { $0.name == name }) else {
            let isPlain = name == .tls && upstream.address.hasPrefix("http://")
            return subject.skipped(isPlain ? "the address is one of http://" : "it did not come to that")
        }
        if let failure = step.failure {
            return subject.failed(failure.message, advice: advice(name, failure, upstream))
        }
        let found = step.found ?? ""
        return switch name {
        // Each address tells its own time.
        case .connection: subject.ok(found)
        case .lookup, .tls: subject.ok("\(found) (\(step.milliseconds) ms)")
        case .answer: subject.ok("\(upstream.address) \(found) (\(step.milliseconds) ms)")
        }
    }
}

private func advice(
    _ step: UpstreamStep.Name, _ failure: Failure, _ upstream: UpstreamCheck
) -> [String] {
    switch step {
    case .lookup: ["is there a network? If so, see that the setting \(upstream.setting) names the right host"]
    case .connection:
        [
            "see that upstream is up, that no firewall is between,"
                + " and that the setting \(upstream.setting) names the right host and port"
        ]
    case .tls:
        [
            "if the clock here is wrong, `timedatectl set-ntp true` sets it",
            "an authority of your own is trusted once it is in /usr/local/share/ca-certificates,"
                + " after `update-ca-certificates`; all else is for whoever runs upstream",
        ]
    case .answer: answerAdvice(failure, upstream.setting)
    }
}

private func answerAdvice(_ failure: Failure, _ setting: String) -> [String] {
    switch (failure.kind, failure.httpStatus) {
    case (_, 401?), (_, 403?):
        [
            setting == "users.url"
                ? "upstream lets nobody in, or not with this token: see the setting users.token_file"
                : "upstream lets nobody in; the token of users.token_file goes to where users.url is, and to no other"
        ]
    case (.rateLimited, _): ["userd waits as long as upstream asks; a longer interval asks for less"]
    case (_, let status?) where status >= 500:
        ["it is for whoever runs upstream; userd tries again by itself"]
    case (.redirect, _), (_, _?): ["see that the setting \(setting) names the right address"]
    case (.timeout, _): ["upstream is slow: the setting http.deadline gives it longer"]
    case (.decode, _): ["see that what the setting \(setting) names is an upstream for userd"]
    default: ["`userctl retry` tries again; the setting \(setting) names the address"]
    }
}

/// More is worth a word: what is stale, and when what is due, is reckoned by the clock.
private let tolerance = Duration.seconds(60)

private func clockCheck(_ comparisons: [ClockComparison]) -> Check {
    // Where one upstream agrees, it is another's clock that is wrong.
    let closest = comparisons.min { $0.ahead.magnitude < $1.ahead.magnitude }
    guard let ahead = closest?.ahead else {
        return CheckSubject.clock.skipped("no upstream has told the time")
    }
    guard ahead.magnitude > tolerance else { return CheckSubject.clock.ok("it agrees with upstream's") }
    let amount = inWords(ahead.magnitude, .down)
    return CheckSubject.clock.warning(
        ahead < .zero ? "it is \(amount) slow, by upstream's" : "it is \(amount) fast, by upstream's",
        "`timedatectl set-ntp true` sets it")
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
