import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("userd as a user's service", .timeLimit(.hang))
struct ServiceTests {
    @Test("The first connection starts userd and is answered, and its socket is in the registry")
    func activation() async throws {
        try await onUserManager { manager in
            try await manager.installUnits()
            try await manager.systemctl("start", "userd.socket")
            #expect(try await manager.property("ActiveState", of: "userd.service") == "inactive")
            let registry = "\(manager.runtimeDirectory)/varlink/registry/io.userd"
            let target = try await manager.run("/usr/bin/readlink", [registry]).outputLines
            #expect(target == [manager.socket])

            let answer = try await manager.userctl("status", "--output", "json")
            #expect(answer.code == 0 && answer.errors == "", "\(answer)")
            // userd answers before systemd has read its READY.
            try await manager.property("ActiveState", of: "userd.service") { $0 == "active" }
            let modes = try await manager.run(
                "/usr/bin/stat", ["--format=%a", manager.socket, "\(manager.runtimeDirectory)/userd"])
            #expect(modes.outputLines == ["600", "700"])
            #expect(try await !manager.journal(of: "userd.service").contains("Not in the registry"))
        }
    }

    @Test("After a kill -9 systemd restarts userd, and a watch continues without a gap or a repeat")
    func killed() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            try await manager.systemctl("start", "userd.socket")
            let watch = try manager.start(
                "\(manager.home)/.local/bin/userctl", ["watch", "--output", "ndjson"])
            try await watch.line(containing: #""resource":"facts""#, in: .output)
            for round in 1...3 {
                #expect(try await manager.userctl("sync", "facts", "--wait").code == 0)
                try await manager.systemctl("kill", "--signal=KILL", "userd.service")
                // A client that connects in between waits for its answer, and is not refused.
                let answer = try await manager.userctl("status")
                #expect(answer.code == 0 && answer.errors == "", "\(answer)")
                try await manager.property("NRestarts", of: "userd.service") { $0 == "\(round)" }
            }
            #expect(try await manager.userctl("sync", "facts", "--wait").code == 0)

            let last = try await manager.states("history", "--limit", "1")
            let index = try #require(last.first?.index)
            try await watch.line(containing: #""index":\#(index),"#, in: .output)
            let watched = try watch.text(.output).split(separator: "\n").map {
                try decoded(State.self, from: Array($0.utf8))
            }
            // The first two are the states at the start.
            #expect(watched.dropFirst(2).map(\.index) == Array(1...index), "\(watch.text(.errors))")
        }
    }

    @Test("A reload adopts a valid file that was renamed into place, and changes nothing with an invalid one")
    func reload() async throws {
        try await onUserManager(users: 30) { manager in
            try await manager.installUnits()
            try await manager.systemctl("start", "userd.service")
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            try manager.configure(["users.page_size": "30"])
            #expect(try await manager.systemctl("reload", "userd.service").code == 0)
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            #expect(try await manager.states("status").first?.count == 30)

            try manager.write("users: { page_size: many }\n", to: ".config/userd/config.yaml")
            #expect(try await manager.systemctl("reload", "userd.service").code != 0)
            try await manager.awaitJournal("users.page_size")
            #expect(try await manager.property("ActiveState", of: "userd.service") == "active")
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            #expect(try await manager.states("status").first?.count == 30)
            #expect(try await manager.property("NRestarts", of: "userd.service") == "0")
        }
    }

    @Test("systemctl reload ends once userd has adopted the settings, and not before")
    func reloadWaits() async throws {
        try await onUserManager(users: 30) { manager in
            try await manager.installUnits(["paused": "true"])
            try await manager.addToService("WatchdogSec=0\nTimeoutStartSec=infinity")
            try await manager.systemctl("start", "userd.service")
            try manager.configure(["paused": "true", "users.page_size": "30"])
            try await manager.systemctl("kill", "--signal=STOP", "userd.service")
            let reload = try manager.start("/usr/bin/systemctl", ["--user", "reload", "userd.service"])
            // Reads both properties in one reply.
            let deadline = ContinuousClock.now + .seconds(100)
            var shown = ""
            while shown.firstMatch(of: /kill -HUP.*code=exited/) == nil {
                guard ContinuousClock.now < deadline else { throw WaitedInVain(description: shown) }
                shown = try await manager.systemctl(
                    "show", "--property=ExecReload,ActiveState", "userd.service"
                ).output
            }
            #expect(shown.contains("ActiveState=reloading"), "\(shown)")

            try await manager.systemctl("kill", "--signal=CONT", "userd.service")
            #expect(try await reload.ended() == .exited(0))
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            #expect(try await manager.states("status").first?.count == 30)
        }
    }

    @Test("A reload finds a configuration file that was written after the start")
    func laterSettings() async throws {
        try await onUserManager { manager in
            try await manager.installUnits()
            unlink(manager.machine.file("home/.config/userd/config.yaml"))
            rmdir(manager.machine.file("home/.config/userd"))
            try await manager.addToService("Environment=USERD_PAUSED=true")
            try await manager.systemctl("start", "userd.service")
            try manager.configure()
            try await manager.systemctl("reload", "userd.service")
            try await manager.awaitJournal("Settings read again")
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
        }
    }

    @Test("A connection starts a stopped userd; with the socket stopped, no socket is left")
    func stopping() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            try await manager.systemctl("start", "userd.service")
            try await manager.systemctl("stop", "userd.service")
            #expect(try await manager.property("Result", of: "userd.service") == "success")
            #expect(try await manager.userctl("status").errors == "")
            try await manager.property("ActiveState", of: "userd.service") { $0 == "active" }

            let registry = "\(manager.runtimeDirectory)/varlink/registry/io.userd"
            for path in [manager.socket, registry] { #expect(try await manager.has(path)) }
            try await manager.systemctl("stop", "userd.socket", "userd.service")
            for path in [manager.socket, registry] { #expect(try await !manager.has(path)) }
            let answer = try await manager.userctl("sync")
            #expect(answer.code == 69, "\(answer)")
        }
    }

    @Test("Enabling the service enables service and socket, which the manager then starts")
    func enabling() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            #expect(try await manager.systemctl("enable", "userd.service").code == 0)
            for (unit, target) in [("userd.service", "default"), ("userd.socket", "sockets")] {
                #expect(try await manager.property("UnitFileState", of: unit) == "enabled")
                let wanted = try await manager.property("Wants", of: target + ".target")
                #expect(wanted.split(separator: " ").contains(unit[...]), "\(wanted)")
            }
        }
    }

    @Test("With invalid settings calls read the cache; with fixed settings the next call starts userd")
    func mistake() async throws {
        try await onUserManager { manager in
            try await manager.installUnits()
            try await manager.systemctl("start", "userd.socket")
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            try await manager.systemctl("stop", "userd.service")
            try manager.write("users: { page_size: many }\n", to: ".config/userd/config.yaml")
            for _ in 0..<25 {
                let list = try await manager.userctl("list")
                #expect(list.code == 0 && list.errors.contains("userd closed the connection"), "\(list)")
            }
            for command in [["watch"], ["status", "--watch"]] {
                let ended = try await manager.run("\(manager.home)/.local/bin/userctl", command)
                #expect(ended.code == 69 && ended.errors.contains("userd closed the connection"), "\(ended)")
            }
            #expect(try await manager.property("ActiveState", of: "userd.socket") == "active")
            #expect(try await manager.journal(of: "userd.service").contains("users.page_size: "))

            try manager.configure()
            let mended = try await manager.userctl("status")
            #expect(mended.code == 0 && mended.errors == "", "\(mended)")
        }
    }

    @Test("systemd gives up on a userd that can't start, and userctl says what to do")
    func startLimit() async throws {
        try await onUserManager { manager in
            try await manager.installUnits()
            try await manager.leaveConnections()
            try manager.write("users: { page_size: many }\n", to: ".config/userd/config.yaml")
            try await manager.systemctl("start", "userd.socket")
            // A client that connects waits, and makes systemd start userd again and again.
            try await manager.userctl("sync")
            try await manager.property("Result", of: "userd.socket") { $0 == "service-start-limit-hit" }
            #expect(try await !manager.has(manager.socket))
            #expect(try await manager.journal(of: "userd.service").contains("users.page_size: "))

            let status = try await manager.userctl("status")
            #expect(status.code == 69)
            #expect(status.errors.hasPrefix("userctl: userd is not running, and there is no cache"))
            #expect(status.errors.contains("`userctl service enable`"), "\(status)")
            let service = try await manager.userctl("service", "status")
            #expect(service.code == 69)
            #expect(service.errors.contains("userd.service has failed: "), "\(service)")
            #expect(service.errors.contains("users.page_size: "), "\(service)")
            let report = try DoctorReport(
                try await manager.userctl("doctor", "--offline", "--output", "json").output)
            let check = try #require(report["unit.active"])
            #expect(check.found.hasPrefix("userd.service has failed: "), "\(check)")
            #expect(check.found.contains("users.page_size: "), "\(check)")
            #expect(check.advice.last?.hasSuffix("`userctl service enable` starts it") == true)

            try manager.configure()
            #expect(try await manager.userctl("service", "enable").code == 0)
            #expect(try await manager.userctl("status").code == 0)
        }
    }

    @Test("After systemd gave up, the advised command starts userd once the mistake is fixed")
    func advisedCommand() async throws {
        try await onUserManager { manager in
            try await manager.installUnits()
            // Enabled beforehand, since enabling makes systemd forget the attempts, too.
            try await manager.systemctl("enable", "userd.service")
            try await manager.leaveConnections()
            try manager.write("users: { page_size: many }\n", to: ".config/userd/config.yaml")
            try await manager.systemctl("start", "userd.socket")
            try await manager.userctl("sync")
            try await manager.property("Result", of: "userd.socket") { $0 == "service-start-limit-hit" }
            try manager.configure()
            #expect(try await manager.systemctl("start", "userd").code != 0)
            let enabled = try await manager.userctl("service", "enable")
            #expect(enabled.code == 0, "\(enabled)")
            #expect(try await manager.userctl("status").code == 0)
        }
    }
}

extension UserManager {
    var runtimeDirectory: String { environment["XDG_RUNTIME_DIR"] ?? "" }
    var socket: String { runtimeDirectory + "/userd/userd.sock" }

    /// Makes a userd that can't start leave waiting connections to systemd, and systemd give up after fewer
    /// attempts.
    fileprivate func leaveConnections() async throws {
        let userd = "\(home)/.local/bin/userd"
        try await addToService(
            """
            ExecStart=
            ExecStart=/bin/sh -c '\(userd) --check-config || unset LISTEN_PID; exec \(userd)'
            [Unit]
            StartLimitBurst=20
            """)
    }

    /// The states that a command of userctl prints.
    fileprivate func states(_ arguments: String...) async throws -> [State] {
        let printed = try await run(
            "\(home)/.local/bin/userctl", arguments + ["--output", "json"])
        return try decoded(States.self, from: Array(printed.output.utf8)).states
    }

    /// Waits until the journal of userd contains the text.
    fileprivate func awaitJournal(_ text: String) async throws {
        let deadline = ContinuousClock.now + .seconds(100)
        while true {
            let journal = try await journal(of: "userd.service")
            if journal.contains(text) { return }
            guard ContinuousClock.now < deadline else { throw WaitedInVain(description: journal) }
        }
    }
}
