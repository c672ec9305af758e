import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("userctl service", .timeLimit(.hang))
struct ServiceCommandTests {
    private let units = ["userd.socket", "userd.service"]

    @Test("userctl service enables, shows and disables userd, and each works twice")
    func life() async throws {
        try await onUserManager { manager in
            let absent = try await manager.userctl("service", "status")
            #expect(absent.code == 69 && absent.errors.contains("not installed"), "\(absent)")
            let missing = try await manager.userctl("service", "enable")
            #expect(missing.code == 1)
            #expect(missing.errors.hasPrefix("userctl: not installed: userd.socket, userd.service\n"))

            try await manager.installUnits(["paused": "true"])
            let enabled = try await manager.userctl("service", "enable")
            #expect(enabled.code == 0, "\(enabled)")
            #expect(enabled.errors.contains("started: userd.socket, userd.service\n"))
            #expect(enabled.errors.contains("lingering is off"))
            try await expect(manager, active: "active", file: "enabled")
            let again = try await manager.userctl("service", "enable")
            #expect(again.code == 0 && again.errors.contains("already running"), "\(again)")

            let status = try await manager.userctl("service", "status", "--output", "json")
            #expect(status.code == 0 && status.errors == "", "\(status)")
            let process = try await manager.property("MainPID", of: "userd.service")
            #expect(status.output.contains(#""main_pid":\#(process),"#), "\(status)")
            #expect(
                status.output.contains(#""unit_file":"\#(manager.home)/.config/systemd/user/userd.service""#))
            let table = try await manager.userctl("service", "status")
            #expect(table.output.contains("State      active (running)"), "\(table)")

            for stopped in ["stopped: userd.socket, userd.service\n", "already stopped\n"] {
                let disabled = try await manager.userctl("service", "disable")
                #expect(disabled.code == 0 && disabled.errors.contains(stopped), "\(disabled)")
                #expect(
                    disabled.errors.contains("what userd keeps stays; `userctl service remove` shows it"))
            }
            try await expect(manager, active: "inactive", file: "disabled")
            #expect(try await manager.userctl("service", "status").code == 69)
        }
    }

    @Test("userctl service reports masked or failing units, and starts them once that is fixed")
    func trouble() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            try await manager.addToService("ExecStart=\nExecStart=/bin/false")
            let failed = try await manager.userctl("service", "enable")
            #expect(failed.code == 1)
            #expect(
                failed.errors.contains(
                    "userctl: userd did not start: userd.service has failed: it ended with code 1\n"),
                "\(failed)")
            #expect(failed.errors.contains("userctl: `journalctl --user -u userd` says more"))
            try await manager.property("ActiveState", of: "userd.service") { $0 == "failed" }
            let status = try await manager.userctl("service", "status")
            #expect(status.output.contains("Last exit  with code 1"), "\(status)")

            try await manager.addToService("")
            let mended = try await manager.userctl("service", "enable")
            #expect(mended.code == 0, "\(mended)")
            try await expect(manager, active: "active", file: "enabled")

            // systemctl can't mask a unit whose file is in the user's own folder.
            try FileManager.default.removeItem(
                atPath: manager.machine.file("home/.config/systemd/user/userd.socket"))
            #expect(try await manager.systemctl("mask", "userd.socket").code == 0)
            let masked = try await manager.userctl("service", "enable")
            #expect(masked.code == 1, "\(masked)")
            #expect(masked.errors.contains("`systemctl --user unmask userd.socket`"), "\(masked)")
        }
    }

    @Test(
        "userctl service reports a crash loop with userd's own reason, and starts a fixed userd at once"
    )
    func crashLoop() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            // systemd keeps restarting a service after exit codes outside of RestartPreventExitStatus.
            try await manager.addToService("RestartPreventExitStatus=\nRestartSec=1h")
            try manager.write("users: { page_size: many }\n", to: ".config/userd/config.yaml")
            try await manager.systemctl("start", "--no-block", "userd.service")
            try await manager.property("SubState", of: "userd.service") { $0 == "auto-restart" }

            let status = try await manager.userctl("service", "status")
            #expect(status.code == 69, "\(status)")
            let reason = "users.page_size: "
            #expect(
                status.errorLines.contains {
                    $0.hasPrefix("userctl: userd crashes again and again") && $0.contains(reason)
                }, "\(status)")
            let report = try DoctorReport(
                try await manager.userctl("doctor", "--offline", "--output", "json").output)
            #expect(report["unit.active"]?.status == "failed")
            #expect(
                report["unit.active"]?.found.hasPrefix("userd crashes again and again") == true
                    && report["unit.active"]?.found.contains(reason) == true)
            let enabled = try await manager.userctl("service", "enable")
            #expect(enabled.code == 1, "\(enabled)")
            #expect(
                enabled.errorLines.contains {
                    $0.hasPrefix("userctl: userd did not start: ") && $0.contains(reason)
                }, "\(enabled)")
            #expect(!enabled.errors.contains("already running"))

            try manager.configure(["paused": "true"])
            let mended = try await manager.userctl("service", "enable")
            #expect(mended.code == 0, "\(mended)")
            try await expect(manager, active: "active", file: "enabled")
            #expect(try await manager.userctl("service", "status").code == 0)
        }
    }

    @Test("After an upgrade of the running program, state, history and a watch continue")
    func upgrade() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            #expect(try await manager.userctl("service", "enable").code == 0)
            let watch = try manager.start(
                "\(manager.home)/.local/bin/userctl", ["watch", "--output", "ndjson"])
            try await watch.line(containing: #""resource":"facts""#, in: .output)
            let program = manager.machine.file("home/.local/bin/userd")
            for _ in 1...2 {
                #expect(try await manager.userctl("sync", "facts", "--wait").code == 0)
                try FileManager.default.copyItem(atPath: Program.userd.path, toPath: program + ".new")
                #expect(rename(program + ".new", program) == 0)
                let old = try await manager.property("MainPID", of: "userd.service")
                #expect(try await manager.systemctl("restart", "userd.service").code == 0)
                #expect(try await manager.property("MainPID", of: "userd.service") != old)
                #expect(try await manager.property("Result", of: "userd.service") == "success")
            }
            #expect(try await manager.userctl("sync", "facts", "--wait").code == 0)
            try await watch.line(containing: #""index":6,"#, in: .output)
            let watched = try watch.text(.output).split(separator: "\n").map {
                try decoded(State.self, from: Array($0.utf8))
            }
            #expect(watched.dropFirst(2).map(\.index) == Array(1...6), "\(watch.text(.errors))")
            #expect(Set(watched.map(\.epoch)).count == 1)
        }
    }

    private func expect(_ manager: UserManager, active: String, file: String) async throws {
        for unit in units {
            #expect(try await manager.property("ActiveState", of: unit) == active)
            #expect(try await manager.property("UnitFileState", of: unit) == file)
        }
    }
}
