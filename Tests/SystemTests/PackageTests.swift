import Foundation
import Model
import TestSupport
import Testing

/// The packages of all tests, with the programs of this build or of the folder USERD_PACKAGED: a first one
/// and its upgrade.
private struct Packages: Sendable {
    static let released = ProcessInfo.processInfo.environment["USERD_PACKAGED"]
    static var programs: String { released ?? Installation.programs }
    static let shared = Task { try await Packages() }

    /// Compressed, as lintian expects.
    let first: String
    let second: String

    /// Makes the packages in a folder next to the programs, where the next run replaces them.
    private init() async throws {
        let folder = Installation.programs + "/test-packages"
        try? FileManager.default.removeItem(atPath: folder)
        first = try await Self.make(in: folder + "/first", compression: ["DPKG_DEB_COMPRESSOR_LEVEL": "0"])
        second = try await Self.make(in: folder + "/second", revision: 2)
    }

    static func make(
        in folder: String, revision: Int = 1,
        compression: [String: String] = ["DPKG_DEB_COMPRESSOR_TYPE": "none"],
        environment: [String: String] = [:]
    ) async throws -> String {
        try await bash(
            #"make -C "$1" deb BIN="$2" OUT="$3""#, [Installation.package, programs, folder],
            environment: [
                "SOURCE_DATE_EPOCH": "1700000000", "REVISION": "\(revision)",
            ].merging(compression) { $1 }.merging(environment) { $1 })
        let files = try filesBelow(folder)
        try #require(files.count == 1)
        return folder + "/" + files[0]
    }
}

@Suite("The Debian package", .timeLimit(.hang))
struct PackageTests {
    private let packages: Packages
    private let directory: TemporaryDirectory
    private var released: String? { Packages.released }
    private var programs: String { Packages.programs }

    init() async throws {
        directory = try TemporaryDirectory()
        packages = try await Packages.shared.value
    }

    private func field(_ name: String, of deb: String) async throws -> String {
        try await bash(#"dpkg-deb --field "$1" "$2""#, [deb, name]).outputLines.joined(separator: "\n")
    }

    private func dependencies(of deb: String) async throws -> Set<String> {
        Set(try await field("Depends", of: deb).split(separator: ",").flatMap(DebianRoot.names))
    }

    /// A system with only the package's dependencies.
    private func root(for deb: String) async throws -> DebianRoot {
        let root = try await DebianRoot(with: dependencies(of: deb))
        // Debug builds, which are not released, are linked to Swift's libraries.
        let libraries = try await root.addSwiftLibraries(
            of: ["userd", "userctl"].map { "\(programs)/\($0)" })
        #expect(libraries.isEmpty == (released != nil))
        return root
    }

    /// Runs the system's own dpkg.
    private func dpkg(_ action: String, _ argument: String, in root: DebianRoot) async throws {
        var argument = argument
        if action == "--install" {
            try? FileManager.default.removeItem(atPath: root.file("tmp/userd.deb"))
            try FileManager.default.copyItem(atPath: argument, toPath: root.file("tmp/userd.deb"))
            argument = "/tmp/userd.deb"
        }
        let finished = try await root.run(["dpkg", action, argument])
        try #require(finished.code == 0, "\(finished.output)\(finished.errors)")
        try? FileManager.default.removeItem(atPath: root.file("tmp/userd.deb"))
    }

    @Test("The package's files are where Debian expects them")
    func contents() async throws {
        let deb = packages.first
        let version = try await run(
            "\(programs)/userctl", ["--version"], environment: Installation.environment)
        #expect(try await field("Version", of: deb) == version.outputLines[0] + "-1")
        #expect(try await field("Package", of: deb) == "userd")
        #expect(try await field("Maintainer", of: deb) == maintainer ?? "unset <unset@userd.invalid>")
        #expect(try await field("Homepage", of: deb) == homepage ?? "")
        let architecture = try await bash("dpkg --print-architecture").outputLines[0]
        #expect(try await field("Architecture", of: deb) == architecture)
        #expect(
            try await dependencies(of: deb)
                == ["init-system-helpers", "libc6", "libgcc-s1", "libsqlite3-0", "libstdc++6", "zlib1g"])
        // The library's name in Debian 13 and later, and in 12.
        let recommended = try await field("Recommends", of: deb).split(separator: ",")
            .map(DebianRoot.names)
        #expect(recommended == [["ca-certificates"], ["libldap2", "libldap-2.5-0"], ["libpam-systemd"]])

        let unpacked = directory.file("unpacked")
        try await bash(#"dpkg-deb --extract "$1" "$2""#, [deb, unpacked])
        let articles = try filesBelow(Installation.package + "/Sources/Daemon/userd/userd.docc")
            .filter { $0 != "userd.md" }
        #expect(articles.count > 8)
        let expected =
            (articles + ["README.md", "changelog.Debian.gz", "copyright", "examples/config.yaml"])
            .map { "usr/share/doc/userd/" + $0 } + [
                "usr/bin/userctl", "usr/bin/userd", "usr/lib/systemd/user-preset/90-userd.preset",
                "usr/lib/systemd/user/userd-attention.path", "usr/lib/systemd/user/userd-attention.service",
                "usr/share/applications/io.userd.desktop",
                "usr/share/dbus-1/services/io.userd.Search.service",
                "usr/share/gnome-shell/search-providers/io.userd.ini",
                "usr/share/krunner/dbusplugins/io.userd.desktop",
                "usr/lib/systemd/user/userd-carddav@.socket", "usr/lib/systemd/user/userd.service",
                "usr/lib/systemd/user/userd.socket",
                "usr/lib/systemd/user/userd-publish@.service", "usr/lib/systemd/user/userd-publish@.timer",
                "usr/share/bash-completion/completions/userctl",
                "usr/share/fish/vendor_completions.d/userctl.fish", "usr/share/lintian/overrides/userd",
                "usr/share/man/man1/userctl.1.gz", "usr/share/man/man1/userd.1.gz",
                "usr/share/zsh/vendor-completions/_userctl",
            ]
        #expect(try filesBelow(unpacked).sorted() == expected.sorted())
    }

    @Test("The same programs give the same package, byte for byte, in any place and at any time")
    func reproducible() async throws {
        let elsewhere = directory.file("elsewhere")
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
        let other = try await Packages.make(
            in: directory.file("other"), revision: 2,
            environment: ["TMPDIR": elsewhere, "TZ": "Asia/Tokyo", "LANG": "C", "USER": "ada"])
        #expect(FileManager.default.contentsEqual(atPath: packages.second, andPath: other))
    }

    @Test("The package installs and runs on a system with only its dependencies")
    func runs() async throws {
        let deb = packages.first
        let root = try await root(for: deb)
        try await dpkg("--install", deb, in: root)
        for program in ["userd", "userctl"] {
            let version = try await root.run([program, "--version"])
            try #require(version.code == 0, "\(version.errors)")
            #expect(try await field("Version", of: deb).hasPrefix(version.outputLines[0] + "-"))
        }
        try await onMachine { machine in
            let environment = ["USERD_SOCKET": "/run/userd.sock", "HOME": "/root"]
            let (executable, arguments) = root.command(["userd"] + machine.arguments())
            let userd = try machine.start(
                executable, arguments,
                environment: environment.merging(["XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""]) { $1 })
            try await userd.line(containing: "Listening")
            let waited = try await root.run(
                ["userctl", "wait", "--timeout", "60s"], environment: environment)
            #expect(waited.code == 0, "\(waited.errors)")
            let list = try await root.run(
                ["userctl", "list", "--all", "--output", "ndjson"], environment: environment)
            #expect(list.outputLines.count == 20, "\(list.errors)")
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            // Read from the cache file.
            let offline = try await root.run(["userctl", "list"], environment: environment)
            #expect(offline.code == 0 && offline.outputLines.count == 21, "\(offline.errors)")
        }
    }

    @Test(
        "Installing enables userd for no user, upgrading keeps the choice, purging leaves users' files"
    )
    func life() async throws {
        let (first, second) = (packages.first, packages.second)
        let root = try await root(for: first)
        let home = root.file("home/ada/")
        for name in [".config/userd/config.yaml", ".cache/userd/userd.db"] {
            try FileManager.default.createDirectory(
                atPath: (home + name as NSString).deletingLastPathComponent, withIntermediateDirectories: true
            )
            try Data("Ada's".utf8).write(to: URL(filePath: home + name))
        }
        func others() throws -> [String] {
            try filesBelow(root.path).filter { !$0.hasPrefix("var/lib/dpkg/") && !$0.hasPrefix("var/log/") }
        }
        func wanted() throws -> [String] { try others().filter { $0.hasPrefix("etc/systemd/") } }
        let before = try others()
        let links = [
            "etc/systemd/user/default.target.wants/userd.service",
            "etc/systemd/user/sockets.target.wants/userd.socket",
        ]

        try await dpkg("--install", first, in: root)
        #expect(try wanted() == [])
        // systemd's presets for a new or reset machine do the same.
        try await bash(#"systemctl --root="$1" --global preset userd.service userd.socket"#, [root.path])
        #expect(try wanted() == [])

        try await bash(#"systemctl --root="$1" --global enable userd.service userd.socket"#, [root.path])
        #expect(try wanted().sorted() == links)
        try await dpkg("--install", second, in: root)
        #expect(try wanted().sorted() == links)
        try await bash(#"systemctl --root="$1" --global disable userd.service userd.socket"#, [root.path])
        try await dpkg("--install", second, in: root)
        #expect(try wanted() == [])

        // The choice outlasts the package.
        try await dpkg("--remove", "userd", in: root)
        #expect(try !others().contains("usr/bin/userd"))
        try await dpkg("--install", second, in: root)
        #expect(try wanted() == [])
        try await bash(#"systemctl --root="$1" --global enable userd.service userd.socket"#, [root.path])

        try await dpkg("--purge", "userd", in: root)
        #expect(try others() == before)
    }

    @Test(
        "An upgrade restarts running userds without waiting for them, and starts no stopped one"
    )
    func upgrade() async throws {
        let (first, second) = (packages.first, packages.second)
        try await onUserManager { manager in
            try await manager.prepareForPackages(programs: programs)
            try await manager.dpkg(first)
            try await manager.systemctl("daemon-reload")
            try manager.configure(["paused": "true"])
            // A service that ends only once the file `end` exists.
            try await manager.addToService(
                """
                ExecStop=/bin/sh -c 'until [ -e %h/.config/userd/end ]; do sleep 0.1; done'
                TimeoutStopSec=infinity
                """)
            try await manager.systemctl("start", "userd.service")
            let old = try await manager.property("MainPID", of: "userd.service")
            #expect(try await manager.program(of: old) == "/usr/bin/userd")

            try await manager.dpkg(second)
            #expect(try await manager.property("MainPID", of: "userd.service") == old)
            try manager.write("", to: ".config/userd/end")
            let new = try await manager.property("MainPID", of: "userd.service") { ![old, "0"].contains($0) }
            try await manager.property("ActiveState", of: "userd.service") { $0 == "active" }
            #expect(try await manager.program(of: new) == "/usr/bin/userd")
            #expect(try await manager.property("NeedDaemonReload", of: "userd.service") == "no")
            #expect(try await manager.run("/usr/bin/userctl", ["status"]).code == 0)

            try await manager.systemctl("stop", "userd.service", "userd.socket")
            try await manager.dpkg(second)
            for unit in ["userd.service", "userd.socket"] {
                #expect(try await manager.property("ActiveState", of: unit) == "inactive")
                #expect(["", "0"].contains(try await manager.property("Job", of: unit)))
            }
        }
    }
}

extension UserManager {
    /// Prepares for packages that are installed only in this machine: layers over the real folders take their
    /// files. There is no PID 1, which systemctl(1) would ask for users' managers, so a script stands in for
    /// systemctl.
    fileprivate func prepareForPackages(programs: String) async throws {
        let script = #"""
            for folder in usr etc/systemd var/lib/dpkg var/cache; do
                layer=/run/layers/$folder
                mkdir -p "$layer"/{upper,work}
                mount -t overlay -o "lowerdir=/$folder,upperdir=$layer/upper,workdir=$layer/work" overlay "/$folder"
            done
            ldd "$1/userd" "$1/userctl" | awk '$3 ~ /\/swift\// { print $3 }' | sort -u | xargs -r cp -t /usr/lib
            mkdir /run/as-root
            cat >/run/as-root/systemctl <<END
            #!/bin/bash
            case "\$*" in
            *" list-units user@*.service") echo "user@$2.service loaded active running User Manager for UID $2" ;;
            "--user --machine=$2@ "*)
                exec setpriv --reuid $2 --regid $2 --clear-groups /usr/bin/systemctl --user "\${@:3}" ;;
            "--root=/ "*) exec /usr/bin/systemctl "\$@" ;;
            *) echo "unexpected: \$*" >&2; exit 1 ;;
            esac
            END
            chmod 755 /run/as-root/systemctl
            """#
        let finished = try await run(
            "/bin/bash", ["-euc", script, "bash", programs, "\(Self.userID)"], asRoot: true)
        try #require(finished.code == 0, "\(finished)")
    }

    fileprivate func dpkg(_ deb: String) async throws {
        let finished = try await run(
            "/usr/bin/dpkg", ["--no-triggers", "--install", deb], asRoot: true,
            environment: ["PATH": "/run/as-root:/usr/sbin:/usr/bin:/sbin:/bin"])
        try #require(finished.code == 0 && !finished.errors.contains("unexpected"), "\(finished)")
    }

    /// The path of a process's program; it ends with " (deleted)" once the file is replaced.
    fileprivate func program(of process: String) async throws -> String? {
        try await run("/usr/bin/readlink", ["/proc/\(process)/exe"], asRoot: true).outputLines.first
    }
}
