import Foundation
import Glibc
import TestSupport
import Testing

@Suite("The service's sandbox", .timeLimit(.minutes(3)))
struct SandboxTests {
    /// What Clients/sandbox_probe.py finds in userd's place.
    private static let expected: [String: String] = {
        var expected = [
            "files in ~/.config": "userd", "files in /home": UserManager.userName, "files in /tmp": "none",
            "files in the runtime directory": "credentials systemd varlink", "limit of core dumps": "0",
            "file mode mask": "0077", "capabilities": "0000000000000000", "no new privileges": "1",
            "/proc/sys is read-only": "yes", "IPC namespace": "its own",
            "read ~/.ssh/id": "ENOENT", "ask the service manager": "ENOENT",
            "read another's environment": "EACCES", "open /dev/mem": "ENOENT", "open /dev/kmsg": "ENOENT",
            "socket AF_PACKET": "EAFNOSUPPORT", "socket AF_VSOCK": "EAFNOSUPPORT",
            "write to /dev/shm": "EACCES",
        ]
        for place in [
            "the configuration", "home", "~/.cache", "the runtime directory", "/tmp", "/var/tmp", "/home",
            "/root", "/run/user", "/run/lock", "/etc", "/usr",
        ] { expected["write to \(place)"] = "EROFS" }
        expected["make a control group"] = "EROFS"
        for attempt in [
            "write to the cache", "read the configuration", "open /dev/null", "socket AF_UNIX",
            "socket AF_INET", "socket AF_INET6", "socket AF_NETLINK", "raise the limit of files",
            // Nothing comes of it.
            "ask for another priority",
        ] { expected[attempt] = "done" }
        for attempt in [
            "read another's memory", "trace another",
            "map memory to write and execute", "make memory executable", "make a namespace", "mount",
            "change the user", "set a file's user", "change the personality", "real-time scheduling",
            "idle scheduling", "reboot", "kernel keyring", "BPF", "performance counters", "io_uring",
        ] { expected[attempt] = "EPERM" }
        return expected
    }()

    @Test("userd can write to its cache and read its settings, and else do nothing but what it has to")
    func probe() async throws {
        try await onUserManager { manager in
            let outcomes = try await manager.probe()
            for name in Set(Self.expected.keys).union(outcomes.keys).sorted() {
                #expect(outcomes[name] == Self.expected[name], "\(name)")
            }
        }
    }

    @Test("With a home that is not below /home, its rest is as invisible")
    func homeElsewhere() async throws {
        try await onUserManager(environment: ["HOME": "/run/people/somebody"]) { manager in
            let outcomes = try await manager.probe()
            #expect(outcomes["write to home"] == "EROFS")
            #expect(outcomes["files in ~/.config"] == "userd")
            #expect(outcomes["read ~/.ssh/id"] == "ENOENT")
            #expect(outcomes["write to the cache"] == "done")

            let bare = try await manager.probe(without: " %h:ro")
            #expect(bare["read ~/.ssh/id"] == "done")
        }
    }

    /// Words of the unit, and what changes where they are missing.
    private static let needed: KeyValuePairs = [
        "ProtectSystem=strict\n": ["write to /etc", "write to /usr"],
        "PrivateTmp=yes\n": ["files in /tmp"],
        "ReadOnlyPaths=/run /tmp /var/tmp\n": ["write to /tmp", "write to /var/tmp", "write to /run/lock"],
        "InaccessiblePaths=-/dev/shm -/dev/mqueue\n": ["write to /dev/shm"],
        "/home:ro ": ["write to /home"],
        "/root:ro ": ["write to /root"],
        "/run/user:ro ": ["write to /run/user"],
        "BindReadOnlyPaths=-%t/systemd/notify -%t/varlink/registry\n": ["files in the runtime directory"],
        "PrivateDevices=yes\n": ["open /dev/kmsg"],
        "PrivateIPC=yes\n": ["IPC namespace"],
        "ProtectControlGroups=yes\n": ["make a control group"],
        "ProtectKernelTunables=yes\n": ["/proc/sys is read-only"],
        "CapabilityBoundingSet=\n": ["capabilities"],
        "NoNewPrivileges=yes\n": ["no new privileges"],
        "LockPersonality=yes\n": ["change the personality"],
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n": ["socket AF_VSOCK"],
        "RestrictNamespaces=yes\n": ["make a namespace"],
        "RestrictSUIDSGID=yes\n": ["set a file's user"],
        "MemoryDenyWriteExecute=yes\n": ["map memory to write and execute", "make memory executable"],
        "UMask=0077\n": ["file mode mask"],
        "LimitCORE=0\n": ["limit of core dumps"],
        "@privileged ": ["change the user"],
        " @resources": ["idle scheduling"],
        " @keyring": ["kernel keyring"],
        " @aio": ["io_uring"],
        " process_vm_readv": ["read another's memory"],
        "SystemCallFilter=~setpriority:0\n": ["ask for another priority"],
    ]

    /// Directives of the sandbox that no attempt of their own is made at, and why they are thought to add nothing that one
    /// would show. That is not proven.
    private static let unseen = [
        "PrivateUsers": "tried by itself: without it userd does not start",
        "ProtectHome": "covered by TemporaryFileSystem=, which alone hides a home elsewhere",
        "PrivateMounts": "implied by the other mounts",
        "ProtectProc": "inert for an ordinary user before systemd 257",
        "ProcSubset": "inert for an ordinary user before systemd 257",
        "DevicePolicy": "needs a control group that is delegated; PrivateDevices= leaves no device to open",
        "ProtectClock": "covered by CapabilityBoundingSet= and @privileged",
        "ProtectHostname": "covered by CapabilityBoundingSet= and @privileged",
        "ProtectKernelLogs": "covered by PrivateDevices= and @privileged",
        "ProtectKernelModules": "covered by CapabilityBoundingSet= and @privileged",
        "KeyringMode": "covered by @keyring",
        "RestrictRealtime": "covered by @resources",
        "SystemCallArchitectures": "another architecture's program would have to be here",
        "SystemCallErrorNumber": "without it a forbidden call ends the probe",
        "Environment": "for crashes: nothing that userd does by itself",
        "LimitNOFILE": "no bound that an attempt runs into",
        "MemoryHigh": "needs a control group that is delegated",
        "MemoryMax": "needs a control group that is delegated",
        "TasksMax": "needs a control group that is delegated",
    ]

    @Test("Each directive of the sandbox is tried, or there is a reason why not")
    func completeness() throws {
        let unit = try unitSource("userd.service")
        let lines = unit.split(separator: "\n").map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasPrefix("PrivateUsers=") })
        let end = try #require(lines.firstIndex(of: "[Install]"))
        for line in lines[begin..<end] where line.contains("=") && !line.hasPrefix("#") {
            let isTried = Self.needed.contains { words, _ in (line + "\n").contains(words) }
            let name = String(line.prefix { $0 != "=" })
            let isSpokenFor =
                isTried || Self.unseen[name] != nil || line.hasPrefix("BindReadOnlyPaths=/usr")
                || line.hasPrefix("BindReadOnlyPaths=%E") || line == "SystemCallFilter=@system-service"
            #expect(isSpokenFor, "\(line)")
        }
    }

    @Test("Each directive keeps something from happening that would happen without it")
    func directives() async throws {
        try await onUserManager { manager in
            for (words, attempts) in Self.needed {
                let outcomes = try await manager.probe(without: words)
                // That it has been run at all.
                #expect(outcomes["open /dev/null"] == "done", "\(words)")
                for attempt in attempts {
                    #expect(outcomes[attempt] != Self.expected[attempt], "\(attempt), without \(words)")
                }
            }
            // Of which systemd 252 leaves most out without a word.
            #expect(try await manager.probe(without: "PrivateUsers=yes\n") == [:])
        }
    }

    @Test("systemd finds nothing wrong with the units, and gives the sandbox 1.5 of 10 or less")
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

extension UserManager {
    /// Runs the probe in userd's place, with its unit.
    /// - Parameter words: are taken out of the unit.
    /// - Returns: how each attempt ended, by its name.
    fileprivate func probe(without words: String? = nil) async throws -> [String: String] {
        try configure()
        try write("a key", to: ".ssh/id")
        try write("another's", to: ".config/another")
        let program = try String(
            contentsOfFile: VarlinkClients.program("sandbox_probe.py"), encoding: .utf8)
        try write(program, to: ".local/bin/probe.py")
        try write(
            """
            [Service]
            Type=oneshot
            Restart=no
            ExecStart=
            ExecStart=/usr/bin/python3 \(home)/.local/bin/probe.py
            BindReadOnlyPaths=\(home)/.local/bin/probe.py
            """, to: ".config/systemd/user/userd.service.d/probe.conf")
        var unit = try unit("userd.service")
        if let words {
            try #require(unit.contains(words), "\(words)")
            unit.replace(words, with: "")
        }
        try await install("userd.socket", self.unit("userd.socket"))
        try await install("userd.service", unit)
        try await systemctl("reset-failed")

        let before = try await journal(of: "userd.service").utf8.count
        try await systemctl("start", "userd.service")
        let written = try await journal(of: "userd.service").utf8.dropFirst(before)
        var outcomes: [String: String] = [:]
        for line in String(decoding: written, as: UTF8.self).split(separator: "\n") {
            guard let match = line.wholeMatch(of: /tried to (.+?): (.*)/) else { continue }
            outcomes[String(match.1)] = String(match.2)
        }
        if let namespace = outcomes["IPC namespace"] {
            let ours = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/ipc")
            outcomes["IPC namespace"] = namespace == ours ? "the test's" : "its own"
        }
        return outcomes
    }
}
