import Foundation
import Glibc
import TestSupport

/// A real `systemd --user` with a journal, of an ordinary user with a machine of their own: namespaces for
/// mounts and processes, and control groups. `userd` and `userctl` are in `~/.local/bin`; no unit is
/// installed.
///
/// The user's home is the machine's `home`, mounted at its usual place inside. Upstream is reached over
/// loopback. userd answers only that user, and not the test.
final class UserManager: Sendable {
    static let userName = "userd-test"
    static let userID: uid_t = 4711

    let machine: Machine
    /// The whole environment of programs.
    let environment: [String: String]
    /// unshare(1), whose namespaces everything else runs in.
    private let process: ChildProcess

    fileprivate init(
        _ machine: Machine, _ environment: [String: String], in network: NetworkNamespace?,
        keepsJournal: Bool
    ) async throws {
        guard geteuid() == 0 else {
            throw WaitedInVain(description: "only root can run a service manager of its own")
        }
        self.machine = machine
        let home = environment["HOME"] ?? "/home/\(Self.userName)"
        let usual = [
            "HOME": home, "PATH": "\(home)/.local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TZ": "UTC",
            "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": "/run/user/\(Self.userID)",
        ]
        self.environment = usual.merging(environment) { $1 }
        let programs = machine.file("home/.local/bin")
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        for program in [Program.userd, .userctl] {
            try Data().write(to: URL(filePath: "\(programs)/\(program.rawValue)"))
        }
        let unshare = [
            "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "/bin/bash", "-euc",
            Self.script, "bash", machine.file(""), Self.controlGroup(of: machine), Self.userName,
            "\(Self.userID)", keepsJournal ? "persistent" : "volatile", Installation.programs,
        ]
        let (executable, arguments) =
            network?.command("/usr/bin/unshare", unshare) ?? ("/usr/bin/unshare", unshare)
        process = try ChildProcess(executable, arguments, environment: self.environment)
        do {
            try await process.line(containing: "ready", in: .output)
        } catch {
            try await end()
            throw error
        }
    }

    /// The home's path inside.
    var home: String { environment["HOME"] ?? "" }

    /// Journal and manager are in groups named as on a booted machine, since the journal takes units' names
    /// from there. A machine may have several hierarchies of groups, and systemd uses more than one of them.
    private static let script = #"""
        machine=$1 group=$2 user=$3 id=$4 storage=$5 programs=$6
        mount -t tmpfs -o mode=755 tmpfs /run
        mkdir -p /run/systemd/{system,unit-root,journald.conf.d} /run/credentials "$XDG_RUNTIME_DIR"
        mkdir -m 1777 /run/lock
        mkdir /run/dbus
        mount -t tmpfs tmpfs /var/lib/systemd
        mkdir /var/lib/systemd/linger
        mount -t tmpfs -o mode=755 tmpfs /home
        mkdir -p "$HOME" /home/neighbour
        chown -R "$id:$id" "$machine/home"
        chmod 700 "$machine/home"
        mount --bind "$machine/home" "$HOME"
        for program in userd userctl; do
            mount --bind "$programs/$program" "$HOME/.local/bin/$program"
        done
        mount -t tmpfs -o "mode=700,uid=$id,gid=$id" tmpfs "$XDG_RUNTIME_DIR"
        (cat /etc/passwd; echo "$user:x:$id:$id::$HOME:/bin/sh") > /run/passwd
        (cat /etc/group; echo "$user:x:$id:") > /run/group
        mount --bind /run/passwd /etc/passwd
        mount --bind /run/group /etc/group

        enter() {
            for top in /sys/fs/cgroup{,/unified,/systemd,/pids}; do
                [ -e "$top/cgroup.procs" ] || continue
                mkdir -p "$top/$group/$1"
                # With a single hierarchy, a group has the controllers that its parents pass on.
                for above in "$top/$group"{,/user.slice{,/*.slice}}; do
                    { echo +pids > "$above/cgroup.subtree_control"; } 2> /dev/null || true
                done
                chown -R "$2:$2" "$top/$group/$1"
                echo "$BASHPID" > "$top/$group/$1/cgroup.procs"
            done
        }
        enter init.scope 0
        mount -t tmpfs tmpfs /var/log
        mkdir /var/log/journal
        printf '[Journal]\nStorage=%s\nReadKMsg=no\nAudit=no\nRateLimitBurst=0\n' "$storage" \
            > /run/systemd/journald.conf.d/test.conf
        (enter system.slice/systemd-journald.service 0; exec /lib/systemd/systemd-journald) &
        until [ -S /run/systemd/journal/stdout ]; do kill -0 $!; sleep 0.02; done
        [ "$storage" = volatile ] || journalctl --flush

        as_user="setpriv --reuid $id --regid $id --clear-groups"
        (
            enter "user.slice/user-$id.slice/user@$id.service" "$id"
            SYSTEMD_LOG_TARGET=journal exec $as_user /lib/systemd/systemd --user
        ) &
        until $as_user systemctl --user show > /dev/null 2>&1; do kill -0 $!; sleep 0.02; done
        echo ready
        wait $!
        """#

    fileprivate func end() async throws {
        if !process.hasEnded { _ = try await systemctl("exit") }
        do {
            try await process.ended()
        } catch {
            process.send(SIGKILL)
            try await process.ended()
        }
        for top in ["", "/unified", "/systemd", "/pids"] {
            removeControlGroup("/sys/fs/cgroup\(top)/" + Self.controlGroup(of: machine))
        }
    }

    private static func controlGroup(of machine: Machine) -> String {
        URL(filePath: machine.file("")).lastPathComponent
    }
}

/// Removes a group and its subgroups, which must have no processes.
private func removeControlGroup(_ path: String) {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: path)) ?? [] {
        var isDirectory: ObjCBool = false
        if manager.fileExists(atPath: "\(path)/\(name)", isDirectory: &isDirectory), isDirectory.boolValue {
            removeControlGroup("\(path)/\(name)")
        }
    }
    rmdir(path)
}

extension UserManager {
    /// Runs a program inside to its end, as the user unless `asRoot`.
    func run(
        _ executable: String, _ arguments: [String], asRoot: Bool = false,
        environment: [String: String] = [:]
    ) async throws -> Finished {
        let (executable, arguments) = command(executable, arguments, asRoot: asRoot)
        return try await TestSupport.run(
            executable, arguments, environment: self.environment.merging(environment) { $1 })
    }

    /// Starts a program inside, which ends at the latest with the manager. Signals do not reach it.
    func start(_ executable: String, _ arguments: [String], asRoot: Bool = false) throws -> ChildProcess {
        let (executable, arguments) = command(executable, arguments, asRoot: asRoot)
        return try machine.start(executable, arguments, environment: environment)
    }

    private func command(
        _ executable: String, _ arguments: [String], asRoot: Bool
    ) -> (executable: String, arguments: [String]) {
        let namespaces = "/proc/\(process.id)/ns"
        let user = asRoot ? [] : ["--setuid=\(Self.userID)", "--setgid=\(Self.userID)"]
        return (
            "/usr/bin/nsenter",
            [
                "--mount=\(namespaces)/mnt", "--pid=\(namespaces)/pid_for_children",
                "--net=\(namespaces)/net",
            ] + user + ["--", executable] + arguments
        )
    }

    @discardableResult
    func systemctl(_ arguments: String...) async throws -> Finished {
        try await run("/usr/bin/systemctl", ["--user"] + arguments)
    }

    @discardableResult
    func userctl(_ arguments: String...) async throws -> Finished {
        try await run("\(home)/.local/bin/userctl", arguments)
    }

    /// Whether the path exists for the user; links are not followed.
    func has(_ path: String) async throws -> Bool {
        try await run("/usr/bin/stat", ["--format=", path]).code == 0
    }

    /// A unit's property, such as `ActiveState`.
    func property(_ name: String, of unit: String) async throws -> String {
        try await systemctl("show", "--value", "--property=\(name)", unit).outputLines.first ?? ""
    }

    /// Polls until the property has the awaited value.
    @discardableResult
    func property(
        _ name: String, of unit: String, within limit: Duration = .seconds(600),
        is isAwaited: (String) -> Bool
    ) async throws -> String {
        let deadline = ContinuousClock.now + limit
        while true {
            let value = try await property(name, of: unit)
            if isAwaited(value) { return value }
            guard ContinuousClock.now < deadline else {
                throw WaitedInVain(
                    description: "\(name) of \(unit) stays \(value)\n\(try await journal(of: unit))")
            }
        }
    }

    /// The lines so far of a user's unit, and the manager's about it.
    func journal(of unit: String) async throws -> String {
        let fields = ["_SYSTEMD_USER_UNIT=\(unit)", "+", "USER_UNIT=\(unit)"]
        _ = try await run("/usr/bin/journalctl", ["--sync"], asRoot: true)
        return try await run(
            "/usr/bin/journalctl", ["--quiet", "--all", "--output=cat"] + fields, asRoot: true
        ).output
    }

    /// Writes a file of the user's in one step, and creates its directories.
    /// - Parameter path: relative to the home directory.
    func write(_ text: String, to path: String, mode: mode_t = 0o644) throws {
        var directory = machine.file("home")
        for part in path.split(separator: "/").dropLast() {
            directory += "/" + part
            if mkdir(directory, 0o755) == 0 { chown(directory, Self.userID, Self.userID) }
        }
        let file = machine.file("home/" + path)
        let new = file + ".new"
        try Data(text.utf8).write(to: URL(filePath: new))
        guard chmod(new, mode) == 0, chown(new, Self.userID, Self.userID) == 0, rename(new, file) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Installs a unit for the user, and has the manager read it.
    func install(_ unit: String, _ text: String) async throws {
        try write(text, to: ".config/systemd/user/\(unit)")
        try await systemctl("daemon-reload")
    }
}

/// Runs a test on an ordinary user's machine, and ends everything on it afterwards.
/// - Parameters:
///   - users: the number of upstream's users; nil for as many as are requested.
///   - environment: additions and changes, such as another `HOME`.
///   - network: the machine's network; nil for that of the test, with the upstream.
///   - keepsJournal: keeps the journal on disk, with a file that each user may read; otherwise only root may.
func onUserManager(
    users: Int? = nil, environment: [String: String] = [:], in network: NetworkNamespace? = nil,
    keepsJournal: Bool = false,
    _ body: @Sendable (UserManager) async throws -> Void
) async throws {
    try await onMachine(users: users) { machine in
        let manager = try await UserManager(
            machine, environment, in: network, keepsJournal: keepsJournal)
        do {
            try await body(manager)
        } catch {
            try await manager.end()
            throw error
        }
        try await manager.end()
    }
}
