import Foundation
import Glibc
import TestSupport
import Testing

/// Needs root, who alone can have a service manager to himself: in namespaces of its own, all of which ends with the script.
@Suite("userctl doctor and systemd", .timeLimit(.minutes(2)))
struct DoctorUnitTests {
    private static let script = #"""
        mount -t tmpfs tmpfs /run
        mkdir -p /run/systemd/system
        mount -t tmpfs tmpfs /var/lib/systemd
        mkdir /var/lib/systemd/linger

        top=/sys/fs/cgroup/systemd
        [ -d $top ] || top=/sys/fs/cgroup
        group=$top/$(basename "$(dirname "$HOME")")
        mkdir "$group"
        echo 0 > "$group/cgroup.procs"
        leave() {
            systemctl --user exit || true
            wait || true
            echo 0 > $top/cgroup.procs
            find "$group" -depth -type d -exec rmdir {} +
        }
        trap leave EXIT

        units=$XDG_CONFIG_HOME/systemd/user
        mkdir -p "$units" "$HOME"
        /lib/systemd/systemd --user &
        until systemctl --user show > /dev/null 2>&1; do sleep 0.05; done

        doctor() { "$USERCTL" doctor --offline --output json || true; }
        doctor

        printf '[Socket]\nListenStream=%%t/userd/userd.sock\nSocketMode=0600\nDirectoryMode=0700\n' > "$units/userd.socket"
        printf 'FileDescriptorName=varlink\n[Install]\nWantedBy=sockets.target\n' >> "$units/userd.socket"
        printf '[Service]\nExecStart=%s --paused\n' "$USERD" > "$units/userd.service"
        touch "/var/lib/systemd/linger/$(id -un)"
        systemctl --user daemon-reload
        doctor

        systemctl --user enable --quiet --now userd.socket
        doctor

        printf '[Service]\nExecStart=/bin/false\n' > "$units/userd.service"
        systemctl --user daemon-reload
        systemctl --user stop userd.socket userd.service
        systemctl --user start userd.service
        until systemctl --user is-failed --quiet userd.service; do sleep 0.05; done
        doctor
        """#

    @Test("Units are missing, installed, enabled, and fail")
    func units() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try await onMachine { machine in
            let environment = machine.environment.merging([
                "USERCTL": Program.userctl.path, "USERD": Program.userd.path,
            ]) { $1 }
            let finished = try await run(
                "/usr/bin/unshare",
                [
                    "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/bash", "-ec",
                    Self.script,
                ], environment: environment)
            let reports = try finished.outputLines.filter { $0.hasPrefix("{") }
                .map { try DoctorReport($0) }
            try #require(finished.code == 0 && reports.count == 4, "\(finished)")

            let names = ["manager", "installed", "enabled", "active", "linger"].map { "unit." + $0 }
            #expect(
                reports.map { report in names.map { report[$0]?.status } } == [
                    ["ok", "warning", "skipped", "skipped", "warning"],
                    ["ok", "ok", "warning", "failed", "ok"],
                    ["ok", "ok", "ok", "ok", "ok"],
                    ["ok", "ok", "ok", "failed", "ok"],
                ])
            #expect(
                reports[0]["unit.installed"]?.found
                    == "systemd knows no userd.socket and no userd.service")
            #expect(reports[1]["unit.active"]?.advice == ["`systemctl --user start userd.socket`"])
            #expect(reports[2]["daemon.answer"]?.status == "ok")
            #expect(
                reports[3]["unit.active"]?.found
                    == "userd.socket inactive, userd.service failed (exit-code)")
        }
    }
}
