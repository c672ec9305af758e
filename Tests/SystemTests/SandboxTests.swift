import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import UserctlCommands

@Suite("The service's sandbox", .timeLimit(.hang))
struct SandboxTests {
    /// The expected results of Clients/sandbox_probe.py in userd's place.
    private static let expected: [String: String] = {
        var expected = [
            "files in ~/.config": "userd userd-tokens", "files in /home": UserManager.userName,
            "files in /tmp": "none",
            "files in the runtime directory": "systemd varlink", "limit of core dumps": "0",
            "limit of processes": "512", "limit of open files": "\(min(65_536, descriptorLimit))",
            "file mode mask": "0077", "capabilities": "0000000000000000", "no new privileges": "1",
            "/proc/sys is read-only": "yes", "mode of /proc/kmsg": "0000", "Swift's backtraces": "enable=no",
            "read ~/.ssh/id": "ENOENT", "ask the service manager": "ENOENT",
            "read another's environment": "EACCES", "open /dev/mem": "ENOENT", "open /dev/kmsg": "ENOENT",
            "socket AF_PACKET": "EAFNOSUPPORT", "socket AF_VSOCK": "EAFNOSUPPORT",
            "write to /dev/shm": "EACCES", "run a file of the cache": "EACCES",
            "run a file of the tokens": "EACCES", "see the system bus": "EACCES",
        ]
        for namespace in namespaces.keys { expected[namespace] = "its own" }
        #if arch(x86_64)
            expected["another architecture's call"] = "SIGSYS"
        #endif
        for place in [
            "the configuration", "home", "~/.cache", "the runtime directory", "/tmp", "/var/tmp", "/home",
            "/root", "/run/user", "/run/lock", "/etc", "/usr",
        ] { expected["write to \(place)"] = "EROFS" }
        expected["make a control group"] = "EROFS"
        for attempt in [
            "write to the cache", "write to the tokens", "read the configuration", "read the program",
            "open /dev/null",
            "socket AF_UNIX", "socket AF_INET", "socket AF_INET6", "socket AF_NETLINK",
            "raise the limit of files",
            // The call succeeds, but changes nothing.
            "ask for another priority",
            // Seeing it is all.
            "see another process",
        ] { expected[attempt] = "done" }
        for attempt in [
            "read another's memory", "write another's memory", "take another's descriptor",
            "compare with another", "trace another", "set the clock", "set the host's name",
            "read the kernel's log", "load a kernel module",
            "map memory to write and execute", "make memory executable", "make a namespace", "mount",
            "change the user", "set a file's user", "change the personality", "real-time scheduling",
            "idle scheduling", "reboot", "session keyring", "BPF", "performance counters", "io_uring",
        ] { expected[attempt] = "EPERM" }
        return expected
    }()

    /// Attempts that print a namespace, and its name in /proc/self/ns.
    static let namespaces = [
        "IPC namespace": "ipc", "UTS namespace": "uts", "mount namespace": "mnt", "user namespace": "user",
    ]

    @Test("In the sandbox userd can write its cache and read its settings, and do only what it needs")
    func probe() async throws {
        try await onUserManager { manager in
            let outcomes = try await manager.probe()
            for name in Set(Self.expected.keys).union(outcomes.keys).sorted() {
                #expect(outcomes[name] == Self.expected[name], "\(name)")
            }
        }
    }

    @Test("Opened for Kerberos tickets, the sandbox shows nothing else of the home, and is no more writable")
    func tickets() async throws {
        try await onUserManager { manager in
            try manager.write("a ticket", to: "tickets/cc")
            for (cache, changed) in [("\(manager.home)/tickets/cc", []), ("/tmp/cc", ["files in /tmp"])] {
                let dropIn = try #require(KerberosDropIn(.file(cache), places: [], runtime: nil))
                let outcomes = try await manager.probe(dropIn: "\n" + dropIn.text)
                for (name, expected) in Self.expected {
                    #expect((outcomes[name] == expected) != changed.contains(name), "\(name) with \(cache)")
                }
            }
        }
    }

    @Test("A home outside of /home is as invisible in the sandbox")
    func homeElsewhere() async throws {
        try await onUserManager(environment: ["HOME": "/run/people/somebody"]) { manager in
            let outcomes = try await manager.probe()
            #expect(outcomes["write to home"] == "EROFS")
            #expect(outcomes["files in ~/.config"] == "userd userd-tokens")
            #expect(outcomes["read ~/.ssh/id"] == "ENOENT")
            #expect(outcomes["write to the cache"] == "done")

            let bare = try await manager.probe(without: [" %h:ro"])
            #expect(bare["read ~/.ssh/id"] == "done")
        }
    }

    private static let descriptorLimit: rlim_t = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit.rlim_max
    }()

    /// Words of the unit, and the attempts whose results change without them.
    private static let needed: [(words: String, attempts: [String])] = {
        var needed = [
            ("ProtectSystem=strict\n", ["write to /etc", "write to /usr"]),
            ("PrivateTmp=yes\n", ["files in /tmp"]),
            (
                "ReadOnlyPaths=/run /tmp /var/tmp\n",
                ["write to /tmp", "write to /var/tmp", "write to /run/lock"]
            ),
            (
                "InaccessiblePaths=-/dev/shm -/dev/mqueue -/run/dbus\n",
                ["write to /dev/shm", "see the system bus"]
            ),
            (
                "NoExecPaths=%C/userd %S/userd-tokens\n",
                ["run a file of the cache", "run a file of the tokens"]
            ),
            ("/home:ro ", ["write to /home"]),
            ("/root:ro ", ["write to /root"]),
            ("/run/user:ro ", ["write to /run/user"]),
            ("BindReadOnlyPaths=/usr/bin/userd\n", ["read the program"]),
            ("BindReadOnlyPaths=%E/userd\n", ["write to the configuration"]),
            (
                "BindReadOnlyPaths=-%t/systemd/notify -%t/varlink/registry\n",
                ["files in the runtime directory"]
            ),
            ("PrivateDevices=yes\n", ["open /dev/kmsg"]),
            ("PrivateIPC=yes\n", ["IPC namespace"]),
            ("ProtectControlGroups=yes\n", ["make a control group"]),
            ("ProtectHostname=yes\n", ["UTS namespace"]),
            ("ProtectKernelLogs=yes\n", ["mode of /proc/kmsg"]),
            ("ProtectKernelTunables=yes\n", ["/proc/sys is read-only"]),
            ("CapabilityBoundingSet=\n", ["capabilities"]),
            ("NoNewPrivileges=yes\n", ["no new privileges"]),
            ("LockPersonality=yes\n", ["change the personality"]),
            ("RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n", ["socket AF_VSOCK"]),
            ("RestrictNamespaces=yes\n", ["make a namespace"]),
            ("RestrictSUIDSGID=yes\n", ["set a file's user"]),
            (
                "MemoryDenyWriteExecute=yes\n",
                ["map memory to write and execute", "make memory executable"]
            ),
            ("UMask=0077\n", ["file mode mask"]),
            ("LimitCORE=0\n", ["limit of core dumps"]),
            ("LimitNOFILE=65536\n", ["limit of open files"]),
            ("TasksMax=512\n", ["limit of processes"]),
            ("SystemCallFilter=@system-service\n", ["mount", "trace another", "performance counters"]),
            ("@privileged ", ["change the user"]),
            (" @resources", ["idle scheduling"]),
            (" @keyring", ["session keyring"]),
            (" @aio", ["io_uring"]),
            (" kcmp", ["compare with another"]),
            (" process_vm_readv", ["read another's memory"]),
            (" process_vm_writev", ["write another's memory"]),
            ("SystemCallFilter=~setpriority:0\n", ["ask for another priority"]),
            ("SystemCallErrorNumber=EPERM\n", ["reboot"]),
            ("Environment=SWIFT_BACKTRACE=enable=no\n", ["Swift's backtraces"]),
        ]
        #if arch(x86_64)
            needed.append(("SystemCallArchitectures=native\n", ["another architecture's call"]))
        #endif
        return needed
    }()

    /// Words of the unit that only repeat a protection, the words that protect first, and an attempt whose
    /// result changes only without both.
    private static let covered: [(words: String, covering: [String], attempt: String)] = {
        let filters = ["SystemCallFilter=@system-service\n", "@privileged "]
        return [
            (
                "ProtectHome=tmpfs\n",
                ["TemporaryFileSystem=/home:ro /root:ro /run/user:ro %h:ro %t:ro\n"], "read ~/.ssh/id"
            ),
            ("ProtectClock=yes\n", filters, "set the clock"),
            ("ProtectKernelModules=yes\n", filters, "load a kernel module"),
            ("pidfd_getfd ", Array(filters.prefix(1)), "take another's descriptor"),
            ("RestrictRealtime=yes\n", [" @resources"], "real-time scheduling"),
            ("KeyringMode=private\n", [" @keyring"], "session keyring"),
            ("PrivateMounts=yes\n", allBut("PrivateUsers", "PrivateMounts"), "mount namespace"),
            ("PrivateUsers=yes\n", allBut("PrivateUsers"), "user namespace"),
        ]
    }()

    /// Directives that have no effect in a user's service.
    private static let idle = [
        // systemd.exec(5), Sandboxing: for system services only. Without it the unit would exceed 1.5, below.
        "ProtectProc=invisible\n"
    ]

    /// Directives that need the memory controller in the user's manager (systemd.resource-control(5)), which
    /// this machine can't provide. The test checks only that systemd accepts them.
    private static let taken = ["MemoryHigh": ("512M", 512 << 20), "MemoryMax": ("1G", 1 << 30)]

    /// The lines of the sandbox, and the credential, which is a mount, too.
    private static let sandbox: [String] = {
        let lines = (try? unitSource("userd.service"))?.split(separator: "\n").map { "\($0)\n" } ?? []
        return lines.filter { $0.contains("Credential=") }
            + lines.drop { !$0.hasPrefix("PrivateUsers=") }.prefix { $0 != "[Install]\n" }
            .filter { $0.contains("=") && !$0.hasPrefix("#") }
    }()

    private static func allBut(_ names: String...) -> [String] {
        sandbox.filter { line in !names.contains { line.hasPrefix($0 + "=") } }
    }

    @Test("Each directive of the sandbox has a test")
    func completeness() {
        #expect(Self.sandbox.count > 30)
        for line in Self.sandbox where !line.contains("Credential=") {
            let isProven =
                Self.needed.contains { line.contains($0.words) } || Self.idle.contains(line)
                || Self.covered.contains { line.contains($0.words) }
                || Self.taken.contains { line == "\($0)=\($1.0)\n" }
            #expect(isProven, "\(line)")
        }
    }

    @Test("Each directive of the sandbox prevents something")
    func directives() async throws {
        try await onUserManager { manager in
            // Without it systemd 252 skips most directives silently.
            let users = ["PrivateUsers=yes\n"]
            let outcomes = try await manager.probes(
                [users] + Self.needed.map { [$0.words] } + Self.idle.map { [$0] }
                    + Self.covered.flatMap { [$0.covering, $0.covering + [$0.words]] })
            #expect(outcomes[users] == [:])
            for (words, attempts) in Self.needed {
                let outcomes = try #require(outcomes[[words]])
                // The probe ran at all.
                #expect(outcomes["open /dev/null"] == "done", "\(words)")
                for attempt in attempts {
                    #expect(outcomes[attempt] != Self.expected[attempt], "\(attempt), without \(words)")
                }
            }
            for (words, covering, attempt) in Self.covered {
                let one = try #require(outcomes[covering]?[attempt], "\(words)")
                let neither = try #require(outcomes[covering + [words]]?[attempt], "\(words)")
                #expect(one != neither, "\(attempt), without \(words)")
            }
            for words in Self.idle { #expect(outcomes[[words]] == Self.expected, "\(words)") }
        }
    }

    @Test("systemd accepts the memory limits of the unit")
    func memory() async throws {
        try await onUserManager { manager in
            try await manager.installUnits()
            for (name, (_, bytes)) in Self.taken {
                #expect(try await manager.property(name, of: "userd.service") == "\(bytes)")
            }
        }
    }

    @Test("systemd finds no fault with the units, and rates the sandbox 1.5 of 10 or less")
    func analysis() async throws {
        try await onUserManager { manager in
            try await manager.installUnits()
            let units = ["userd.socket", "userd.service"].map { "\(manager.home)/.config/systemd/user/\($0)" }
            // The manual pages are not installed here.
            let verified = try await manager.run(
                "/usr/bin/systemd-analyze", ["--user", "--man=no", "verify"] + units)
            #expect(verified.code == 0 && verified.output + verified.errors == "", "\(verified)")

            let report = try await manager.run(
                "/usr/bin/systemd-analyze", ["--user", "--no-pager", "security", "userd.service"])
            let words = try #require(report.outputLines.last).split(separator: " ")
            let level = try #require(words.compactMap { Double($0) }.first, "\(report)")
            #expect(level > 0 && level <= 1.5)
        }
    }
}
