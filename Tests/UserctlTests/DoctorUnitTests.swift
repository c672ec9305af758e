import Cache
import FoundationEssentials
import Glibc
import Model
import TerminalViews
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

/// Fake programs, as shell scripts by name.
final class FakePrograms: Sendable {
    let directory: TemporaryDirectory
    var environment: [String: String] { ["PATH": directory.path] }

    init(_ scripts: [String: String]) throws {
        directory = try TemporaryDirectory()
        for (name, script) in scripts { try writeScript(script, to: directory.file(name)) }
    }
}

/// A unit as systemctl(1) shows it.
private func unit(
    _ name: String, load: String = "loaded", file: String = "enabled", active: String = "active",
    result: String = "success"
) -> ServiceStatus.Unit {
    ServiceStatus.Unit([
        "Id": name, "LoadState": load, "UnitFileState": file, "ActiveState": active, "Result": result,
    ])
}

private func checks(
    _ units: [ServiceStatus.Unit], linger: Bool = true, publishes: Bool = false, isAnswered: Bool = false
) -> [String: Check] {
    let others = publishes ? [unit("userd-publish@users.timer")] : []
    let status = ServiceStatus(units: units + others, linger: linger)
    let trouble = ServiceTrouble(status, Journal(probes: FakeManager().probes), now: noon)
    let checks = unitChecks(.success(status), trouble, isAnswered: isAnswered)
    return Dictionary(uniqueKeysWithValues: checks.map { ($0.name, $0) })
}

@Suite struct DoctorUnitTests {
    private let socket = unit("userd.socket")
    private let service = unit("userd.service", file: "disabled", active: "inactive")

    @Test func `a socket that is enabled and active is enough`() {
        let checks = checks([socket, service])
        #expect(checks.values.allSatisfy { $0.status == .ok })
        #expect(checks.count == 5)
        #expect(checks["unit.enabled"]?.found == "userd.socket enabled, userd.service disabled")
    }

    @Test func `missing units have their own advice`() throws {
        let units = ServiceUnits.names.map { unit($0, load: "not-found", file: "", active: "inactive") }
        let checks = checks(units)
        let installed = try #require(checks["unit.installed"])
        #expect(installed.status == .warning)
        #expect(installed.found == "not installed: userd.socket, userd.service")
        #expect(installed.advice.first?.hasPrefix("`make install`") == true)
        #expect(checks["unit.enabled"]?.status == .skipped)
        #expect(checks["unit.active"]?.status == .skipped)
    }

    @Test(arguments: [
        (
            unit("userd.socket", file: "disabled"), "unit.enabled", Check.Status.warning,
            "`userctl service enable` starts userd at login"
        ),
        (
            unit("userd.socket", load: "masked"), "unit.installed", .warning,
            "`systemctl --user unmask userd.socket`"
        ),
        (
            unit("userd.socket", load: "bad-setting"), "unit.installed", .failed,
            "`systemctl --user status userd.socket` says why"
        ),
        (
            unit("userd.socket", active: "inactive"), "unit.active", .failed,
            "`systemctl --user start userd.socket`"
        ),
        (
            unit("userd.socket", active: "failed", result: "start-limit-hit"), "unit.active", .failed,
            "`journalctl --user -u userd` says more; once that is fixed, `userctl service enable` starts it"
        ),
    ])
    func `a unit's states are checked`(
        unit: ServiceStatus.Unit, name: String, status: Check.Status, advice: String
    ) throws {
        let check = try #require(checks([unit, service])[name])
        #expect(check.status == status)
        #expect(check.advice.last == advice)
        if unit.active == "failed" {
            #expect(check.found == "userd.socket has failed: start-limit-hit")
        }
    }

    @Test func `a userd started by hand is a warning if units are installed`() throws {
        let check = try #require(
            checks([unit("userd.socket", active: "inactive"), service], isAnswered: true)["unit.active"])
        #expect(check.status == .warning)
        #expect(check.found.hasSuffix("the running userd was started by hand"))
    }

    @Test(arguments: [
        (false, false, "ok: off: userd syncs only while you are logged in"),
        (
            false, true,
            "warning: off: userd syncs only while you are logged in, and so does the published list"
        ),
        (true, true, "ok: on: userd also runs while you are logged out"),
    ])
    func `lingering is missed only by a published list`(linger: Bool, publishes: Bool, expected: String)
        throws
    {
        let check = try #require(
            checks([socket, service], linger: linger, publishes: publishes)["unit.linger"])
        #expect("\(check.status): \(check.found)" == expected)
        #expect(check.advice == (check.isWrong ? ["`loginctl enable-linger` turns it on"] : []))
    }

    @Test func `on a healthy laptop all is well`() async {
        let (mine, folder): (UInt32, FileFact) = (1000, .found(.folder, owner: 1000, mode: 0o700))
        let daemon = DaemonState(
            states: [state(.users, .loaded, count: 5000, syncedAt: noon)], paused: false,
            version: Model.version, startedAt: noon)
        var userd = UserdFacts()
        userd.program = "/usr/bin/userd"
        var upstream = UpstreamCheck(
            setting: "users.url", address: "https://idp.example.org/scim/v2",
            steps: UpstreamStep.Name.allCases.map { UpstreamStep($0, found: "answered 200", milliseconds: 1) }
        )
        upstream.clock = ClockComparison(here: noon, upstream: noon)
        let units = ServiceStatus(units: [unit("userd.socket"), unit("userd.service")], linger: false)
        let checks =
            socketChecks(
                SocketFacts(
                    path: "/r/userd/s", directory: folder, file: .found(.socket, owner: mine, mode: 0o600),
                    answer: .success(daemon), user: mine))
            + [standInCheck([], isAnswered: true)] + syncChecks(daemon, clock)
            + (await cacheChecks(
                CacheFacts(
                    path: "/c/u.db", directory: folder, file: .found(.file, owner: mine, mode: 0o600),
                    examination: .sound(schema: 3), freeBytes: 1 << 40, user: mine)))
            + unitChecks(.success(units), nil, isAnswered: true) + programChecks(userd)
            + upstreamChecks(.checked(UpstreamChecks(upstreams: [upstream])))
        #expect(checks.filter { $0.status != .ok } == [])
        let summary = render(CheckSummary(checks: checks, all: false), width: 80, colour: false)
        #expect(summary == "all is well: \(checks.count) ok (--all lists them)\n")
    }

    @Test(
        arguments: [
            (
                ["systemctl": "echo 'Failed to connect to bus: No medium found' >&2; exit 1"],
                "does not answer: Failed to connect to bus: No medium found"
            ),
            (["systemctl": "exit 4"], "does not answer: it ended with code 4"),
            (["systemctl": "echo nonsense"], "does not answer: unrecognised output of systemctl"),
            (["systemctl": "kill -9 $$"], "does not answer: it ended with code 137"),
            ([:], "systemctl is not installed: this machine does not run systemd"),
        ] as [([String: String], String)])
    func `a service manager that does not answer is a warning`(scripts: [String: String], words: String)
        throws
    {
        let programs = try FakePrograms(scripts)
        let units = ServiceUnits(probes: .live(programs.environment), now: { noon }, say: { _ in })
        let checks = unitChecks(Result { try units.status() }, nil, isAnswered: false)
        #expect(checks.first?.status == .warning)
        #expect(checks.first?.found.hasSuffix(words) == true && checks.first?.advice.isEmpty == false)
        #expect(checks.dropFirst().allSatisfy { $0.status == .skipped })
        #expect(checks.count == 5)
    }

    @Test func `a program that does not end in time is killed`() throws {
        let programs = try FakePrograms([
            "slow": "echo $$ > \"${0%/*}/id\"; exec /bin/sleep 1000"
        ])
        let slow = programs.directory.file("slow")
        // Enough time for the shell to print its process id.
        #expect(throws: ProgramRunError.late(.seconds(5))) {
            try ProgramRun.of(slow, [], environment: [:], within: .seconds(5))
        }
        let id = try String(contentsOfFile: programs.directory.file("id"), encoding: .utf8)
        let process = try #require(pid_t(id.prefix { $0 != "\n" }))
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }

    @Test func `a program that closes its streams and keeps running is killed, too`() throws {
        let programs = try FakePrograms(["deaf": "exec >&- 2>&-; exec /bin/sleep 20"])
        #expect(throws: ProgramRunError.late(.milliseconds(200))) {
            try ProgramRun.of(
                programs.directory.file("deaf"), [], environment: [:], within: .milliseconds(200))
        }
    }

    @Test func `a program's output comes whole, and it gets its environment and no input`() throws {
        let programs = try FakePrograms([
            "loud":
                "/bin/cat; echo $WORD $1 >&2; /usr/bin/head -c 300000 /dev/zero | /usr/bin/tr '\\0' x; exit 3"
        ])
        let run = try ProgramRun.of(
            programs.directory.file("loud"), ["b c"], environment: ["WORD": "a"], within: .seconds(60))
        #expect(run.code == 3)
        #expect(run.errors == "a b c\n")
        #expect(run.output == String(repeating: "x", count: 300_000))
        #expect(ProgramRun.find("loud", in: "/nowhere:\(programs.directory.path)") != nil)
        #expect(ProgramRun.find("quiet", in: programs.directory.path) == nil)
        #expect(throws: ProgramRunError.system(call: "/nowhere/loud", errno: ENOENT)) {
            try ProgramRun.of("/nowhere/loud", [], environment: [:], within: .seconds(60))
        }
    }
}
