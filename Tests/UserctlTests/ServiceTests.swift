import Glibc
import Model
import Synchronization
import TerminalViews
import TestSupport
import Testing

@testable import UserctlCommands

private let both = "userd.socket userd.service"
private let notLingering =
    "lingering is off: userd ends when you log out; `userctl service enable --linger` keeps it running"

@Suite struct ServiceTests {
    @Test("Service enable enables and starts the units, and does nothing the second time")
    func enable() {
        let manager = FakeManager()
        let first = manager.enable()
        #expect(first.error == nil)
        #expect(
            first.said == [
                "units: /units/userd.socket, /units/userd.service",
                "enabled: userd.socket, userd.service start at each login",
                "started: userd.socket, userd.service", notLingering,
            ])
        #expect(manager.told == ["enable \(both)", "start \(both)"])
        let second = manager.enable()
        #expect(
            second.said == [
                "units: /units/userd.socket, /units/userd.service",
                "already enabled: userd.socket, userd.service", "already running", notLingering,
            ])
        #expect(manager.told.count == 2)
    }

    @Test("Changed or new unit files are reloaded before the units are enabled")
    func reload() {
        let changed = FakeManager { $0.units["userd.service"]?["NeedDaemonReload"] = "yes" }
        #expect(changed.enable().error == nil)
        #expect(changed.told == ["daemon-reload", "enable \(both)", "start \(both)"])
        let come = FakeManager(load: "not-found", file: "") { $0.hasNewFiles = true }
        #expect(come.enable().error == nil)
        #expect(come.told == ["daemon-reload", "enable \(both)", "start \(both)"])
    }

    @Test("A failed unit is reset and started")
    func failed() {
        let manager = FakeManager(file: "enabled") {
            $0.units["userd.socket"]?["ActiveState"] = "active"
            $0.units["userd.service"]?["ActiveState"] = "failed"
        }
        #expect(manager.enable().error == nil)
        #expect(manager.told == ["reset-failed userd.service", "restart userd.service"])
    }

    @Test(
        "A crashing or failed unit is reset and restarted"
    )
    func failing() {
        let loops: [Systemctl.Properties] = [
            ["ActiveState": "activating", "SubState": "auto-restart"],
            ["ActiveState": "activating", "SubState": "start", "NRestarts": "3"],
            ["ActiveState": "deactivating", "SubState": "stop-sigterm", "Result": "watchdog"],
        ]
        for loop in loops {
            let manager = FakeManager(file: "enabled", active: "active") {
                $0.units["userd.service"]?.merge(loop) { $1 }
            }
            #expect(manager.enable().error == nil)
            #expect(manager.told == ["reset-failed userd.service", "restart userd.service"], "\(loop)")
        }
        let limit = FakeManager(file: "enabled", active: "failed")
        #expect(limit.enable().error == nil)
        #expect(limit.told == ["reset-failed \(both)", "restart \(both)"])
        let starting = FakeManager(file: "enabled", active: "activating") {
            $0.units["userd.service"]?.merge(["SubState": "start", "NRestarts": "1"]) { $1 }
        }
        #expect(starting.enable().error == nil)
        #expect(starting.told == [])
    }

    @Test("If units can't be enabled, the reason is reported with advice, and nothing is changed")
    func refused() throws {
        let missing = FakeManager(load: "not-found", file: "")
        let error = try #require(missing.enable().error)
        #expect(error.message == "not installed: userd.socket, userd.service")
        #expect(error.status == .failed)
        let masked = FakeManager(load: "masked", file: "masked").enable().error
        #expect(
            masked?.advice == [
                "`systemctl --user unmask userd.socket userd.service`, then `userctl service enable`"
            ])
        let bad = FakeManager(load: "bad-setting").enable().error
        #expect(bad?.message == "userd.socket can't be used: bad-setting")
        let byHand = FakeManager()
        #expect(
            byHand.enable(isAnswered: true).error?.message
                == "a userd that was started by hand is already running"
        )
        #expect(byHand.told == [])
        #expect(FakeManager(file: "enabled", active: "active").enable(isAnswered: true).error == nil)
    }

    @Test("A failed start is reported with its reason and the command that shows the log")
    func startFails() throws {
        let error = try #require(FakeManager { $0.refused["start"] = "Job failed." }.enable().error)
        #expect(error.message == "userd did not start: userd.service has failed: exit-code")
        #expect(
            error.advice == [
                "`journalctl --user -u userd` says more; once that is fixed, `userctl service enable` starts it"
            ])
        #expect(error.status == .failed)
    }

    @Test("A refusal of the service manager is reported in its words")
    func refusedEnabling() throws {
        let enabling = FakeManager { $0.refused["enable"] = "Unit file is masked." }
        let error = try #require(enabling.enable().error)
        #expect(error.message == "userd.socket, userd.service could not be enabled: Unit file is masked.")
        #expect(error.advice == ["`userctl doctor` may say more"])
        #expect(error.status == .failed)
    }

    @Test(
        "The reason for a failure comes from userd's status, the journal or the exit code")
    func reason() throws {
        func words(_ properties: Systemctl.Properties, journal: String = "") throws -> String? {
            let manager = FakeManager(file: "enabled", active: "active") { contents in
                contents.programs.insert("journalctl")
                contents.journal = journal
                contents.units["userd.service"]?.merge(properties) { $1 }
            }
            let asked = ServiceUnits(probes: manager.probes, now: { noon }, say: { _ in })
            return asked.trouble(try asked.status())?.message
        }
        var loop = [
            "ActiveState": "activating", "SubState": "auto-restart", "NRestarts": "7",
            "StatusText": "failed: users.url: no address", "ExecMainCode": "1", "ExecMainStatus": "64",
        ]
        let again = "userd crashes again and again (restarted 7 times): "
        #expect(try words(loop, journal: "userd: other\n") == again + "users.url: no address")
        loop["StatusText"] = "users loaded 20"
        #expect(try words(loop, journal: "userd: out of sorts\n") == again + "out of sorts")
        #expect(try words(loop) == again + "it ended with code 64")
        loop["ActiveState"] = "failed"
        loop["Result"] = "watchdog"
        loop["ExecMainCode"] = "2"
        loop["ExecMainStatus"] = "6"
        #expect(
            try words(loop) == "userd.service has failed: it ended by signal 6, because it did not answer")
        let running = ["NRestarts": "7", "ActiveEnterTimestamp": "@\(noon.milliseconds / 1000 - 5)"]
        #expect(
            try words(running, journal: "userd: again\n")
                == "userd runs, but was restarted 7 times: again")
        #expect(try words(["NRestarts": "7", "ActiveEnterTimestamp": "@1000000"]) == nil)
    }

    @Test("Lingering is turned on with --linger, and a refusal has advice")
    func linger() throws {
        let manager = FakeManager()
        #expect(
            manager.enable(linger: true).said.suffix(2) == [
                "turned lingering on", "lingering is on: userd also runs while you are logged out",
            ])
        #expect(manager.told.last == "enable-linger")
        let refusing = FakeManager { $0.refused["enable-linger"] = "Could not enable linger: Access denied" }
        let error = try #require(refusing.enable(linger: true).error)
        #expect(error.message == "lingering could not be turned on: Could not enable linger: Access denied")
        #expect(error.advice == ["try `sudo loginctl enable-linger anna`"])
        #expect(FakeManager { $0.programs = ["systemctl"] }.enable(linger: true).error?.status == .failed)
    }

    @Test("Service disable stops and disables both units, and does nothing the second time")
    func disable() {
        let manager = FakeManager(file: "enabled", active: "active") { $0.isLingering = true }
        let first = manager.disable()
        #expect(first.error == nil)
        #expect(
            first.said == [
                "stopped: userd.socket, userd.service", "disabled: userd.socket, userd.service",
                "what userd keeps stays; `userctl service remove` shows it, and removes it",
                "lingering stays on; `loginctl disable-linger` turns it off",
            ])
        #expect(manager.told == ["stop \(both)", "disable \(both)"])
        #expect(manager.disable().said.prefix(2) == ["already stopped", "already disabled"])
        #expect(manager.told.count == 2)
    }

    @Test("Service disable also ends the address book's socket and the timers of published lists")
    func disableOthers() throws {
        let others = ["userd-carddav@24000.socket", "userd-publish@srv-users.timer"]
        let manager = FakeManager(file: "enabled", active: "active") { contents in
            for name in others {
                contents.units[name] = contents.units["userd.socket"]
                contents.units[name]?["Id"] = name
            }
        }
        let status = try ServiceUnits(probes: manager.probes, now: { noon }, say: { _ in }).status()
        #expect(status.units.map(\.name) == ServiceUnits.names + others)
        let all = ([both] + others).joined(separator: " ")
        let ended = manager.disable()
        #expect(ended.error == nil)
        #expect(manager.told == ["stop \(all)", "disable \(all)"])
        let again = "`systemctl --user enable --now \(others.joined(separator: " "))` turns them on"
        #expect(ended.said.last == "`userctl service enable` leaves these off; \(again)")
        #expect(manager.disable().said.prefix(2) == ["already stopped", "already disabled"])
        // The book's socket alone is not userd's.
        manager.contents.withLock { $0.units[others[0]]?["ActiveState"] = "active" }
        let book = try ServiceUnits(probes: manager.probes, now: { noon }, say: { _ in }).status()
        #expect(!book.isAtHand && book.inUse.map(\.name) == [others[0]])
    }

    @Test("The units for notifications are enabled if they are there, and start in a desktop's session")
    func notifications() throws {
        let (path, service) = ("userd-attention.path", "userd-attention.service")
        for session in ["active", "inactive"] {
            let manager = FakeManager { contents in
                for name in [path, service, "graphical-session.target"] {
                    contents.units[name] = contents.units["userd.socket"]
                    contents.units[name]?["Id"] = name
                }
                contents.units["graphical-session.target"]?["ActiveState"] = session
            }
            let first = manager.enable()
            #expect(first.error == nil)
            #expect(first.said.contains("enabled: \(path) shows a notification when a sign-in has ended"))
            let starts = session == "active" ? ["start \(path) \(service)"] : []
            #expect(manager.told == ["enable \(both)", "start \(both)", "enable \(path)"] + starts)
            #expect(manager.enable().said.count == 4)

            let status = try ServiceUnits(probes: manager.probes, now: { noon }, say: { _ in }).status()
            let inUse = starts.isEmpty ? [path] : [path, service]
            #expect(status.units.map(\.name) == ServiceUnits.names + inUse)
            let ended = manager.disable()
            #expect(ended.error == nil)
            #expect(!ended.said.contains { $0.contains("leaves these off") })
            #expect(manager.told.last == "disable \(both) \(path)")
        }
    }

    @Test("For units that are enabled for all users, the advice is to mask them")
    func enabledForAll() throws {
        let manager = FakeManager(file: "enabled", active: "active") { $0.isNeverDisabled = true }
        let error = try #require(manager.disable().error)
        #expect(error.message.hasSuffix("start again at the next login: userd.socket, userd.service"))
        #expect(error.advice == ["`systemctl --user mask userd.socket userd.service` turns them off for you"])
    }

    @Test("Without systemd or a service manager, the advice is to run userd by hand")
    func nobody() throws {
        let none = FakeManager { $0.programs = [] }
        let error = try #require(none.enable().error)
        #expect(error.message == "systemctl is not installed: this machine does not run systemd")
        #expect(error.status == .unavailable)
        let silent = FakeManager { $0.refused["show"] = "Failed to connect to bus" }
        for error in [silent.enable().error, silent.disable().error] {
            #expect(error?.message == "your service manager does not answer: Failed to connect to bus")
            #expect(error?.status == .unavailable)
        }
    }

    @Test(
        "A unit has the start time of its current state",
        arguments: [
            ("active", 1), ("reloading", 1), ("inactive", 2), ("failed", 2), ("activating", 3),
            ("deactivating", 4), ("maintenance", nil),
        ])
    func since(state: String, second: Int64?) {
        let unit = ServiceStatus.Unit([
            "Id": "userd.service", "LoadState": "loaded", "ActiveState": state,
            "ActiveEnterTimestamp": "@1", "InactiveEnterTimestamp": "@2", "InactiveExitTimestamp": "@3",
            "ActiveExitTimestamp": "@4", "StateChangeTimestamp": "@5",
        ])
        #expect(unit.since == second.map { Timestamp(milliseconds: $0 * 1000) })
    }

    @Test("Service status shows all known properties, and escapes hostile text")
    func status() throws {
        let manager = FakeManager(file: "enabled", active: "active") { contents in
            let more = [
                "SubState": "running", "ActiveEnterTimestamp": "@1772625300", "MainPID": "4711",
                "MemoryCurrent": "12582912", "WatchdogUSec": "30s", "StatusText": "users loaded \u{1B}[2J",
                "NRestarts": "2", "ExecMainCode": "2", "ExecMainStatus": "9",
                "ExecMainExitTimestamp": "@1772625000",
            ]
            contents.units["userd.service"]?.merge(more) { $1 }
            contents.units["userd.socket"]?.merge([
                "SubState": "running", "Listen": "/run/userd.sock (Stream)", "MemoryCurrent": "[not set]",
                "MainPID": "0", "ExecMainCode": "0", "NRestarts": "",
            ]) { $1 }
        }
        let status = try ServiceUnits(probes: manager.probes, now: { noon }, say: { _ in }).status()
        let drawn = render(ServiceStatusView(status: status, clock: clock), width: nil, colour: false)
        #expect(
            drawn == """
                userd.socket
                  State      active (running)
                  Enabled    enabled
                  Listens    /run/userd.sock (Stream)
                  Unit file  /units/userd.socket

                userd.service
                  State      active (running)
                  Since      5 min ago
                  Enabled    enabled
                  Says       users loaded \\u{1B}[2J
                  Process    4711
                  Memory     12 MiB
                  Watchdog   30s
                  Restarts   2
                  Last exit  by signal 9, 10 min ago
                  Unit file  /units/userd.service

                \(notLingering.prefix(1).uppercased() + notLingering.dropFirst()).

                """)
    }
}
