import Foundation
import TestSupport
import Testing

@Suite("make install and make uninstall", .timeLimit(.hang))
struct InstallTests {
    private static func installed(units: String, forGNOME: Bool = true) -> [String] {
        ((forGNOME ? ["share/gnome-shell/search-providers/io.userd.ini"] : [])
            + articles.map { "share/doc/userd/" + $0 } + [
                "bin/userctl", "bin/userd", "share/bash-completion/completions/userctl",
                "share/doc/userd/examples/config.yaml", "share/fish/vendor_completions.d/userctl.fish",
                "share/man/man1/userctl.1", "share/man/man1/userd.1", "share/zsh/site-functions/_userctl",
                "\(units)/userd.service", "\(units)/userd.socket", "\(units)/userd-publish@.service",
                "\(units)/userd-publish@.timer", "\(units)/userd-carddav@.socket",
                "\(units)/userd-attention.path", "\(units)/userd-attention.service",
                "share/applications/io.userd.desktop", "share/dbus-1/services/io.userd.Search.service",
                "share/krunner/dbusplugins/io.userd.desktop",
            ]).sorted()
    }

    private static let articles =
        ["README.md"]
        + ((try? filesBelow(Installation.package + "/Sources/Daemon/userd/userd.docc")) ?? [])
        .filter { $0 != "userd.md" }

    @Test("make install puts files where programs look for them, and uninstall removes no others")
    func install() async throws {
        let installation = try Installation(prefix: "/opt/it's here")
        let installed = Self.installed(units: "share/systemd/user", forGNOME: false)
        let message = try await installation.make("install")
        #expect(message == "Installed userd and userctl in \(installation.file("bin")).\n")
        #expect(try installation.files() == installed)
        for name in installed {
            let attributes = try FileManager.default.attributesOfItem(atPath: installation.file(name))
            let mode = attributes[.posixPermissions] as? Int
            #expect(mode == (name.hasPrefix("bin/") ? 0o755 : 0o644), "\(name)")
        }
        for program in ["userctl", "userd"] {
            let path = installation.file("bin/\(program)")
            let version = try await run(path, ["--version"], environment: Installation.environment)
            #expect(version.code == 0)
            let sections = try await run(
                "/usr/bin/readelf", ["--section-headers", "--wide", path],
                environment: Installation.environment)
            #expect(sections.output.contains(".text") && !sections.output.contains(".debug"))
        }
        for (file, program, arguments) in [
            (
                "share/bash-completion/completions/userctl", Program.userctl, ["completion", "bash"]
            ),
            ("share/fish/vendor_completions.d/userctl.fish", .userctl, ["completion", "fish"]),
            ("share/zsh/site-functions/_userctl", .userctl, ["completion", "zsh"]),
            ("share/doc/userd/examples/config.yaml", .userd, ["--default-config"]),
        ] {
            let printed = try await run(program.path, arguments, environment: Installation.environment)
            #expect(try installation.text(file) == printed.output)
        }

        for file in ["applications/io.userd.desktop", "dbus-1/services/io.userd.Search.service"] {
            let text = try installation.text("share/" + file)
            #expect(text.contains("\nExec=\"/opt/it's here/bin/userctl\" "), "\(text)")
        }

        // Other files in these folders stay.
        let others = installed.map { ($0 as NSString).deletingLastPathComponent + "/other" }
        for name in others { try Data().write(to: URL(filePath: installation.file(name))) }
        try await installation.make("uninstall")
        #expect(try Set(installation.files()) == Set(others))
        try await installation.make("uninstall")
        for folder in ["share/doc/userd/examples", "share/doc/userd"] {
            try FileManager.default.removeItem(atPath: installation.file(folder + "/other"))
        }
        try await installation.make("uninstall")
        #expect(!FileManager.default.fileExists(atPath: installation.file("share/doc/userd")))
    }

    @Test(
        "Units are installed where systemd looks for the prefix's units",
        arguments: [("/usr", "lib/systemd/user"), ("/usr/local", "lib/systemd/user")])
    func units(prefix: String, folder: String) async throws {
        let installation = try Installation(prefix: prefix)
        try await installation.make("install")
        #expect(try installation.files() == Self.installed(units: folder))
        let service = try installation.text("\(folder)/userd.service")
        #expect(service.contains("\nExecStart=\(prefix)/bin/userd\n"))
        let source = try String(
            contentsOfFile: Installation.package + "/systemd/userd.service", encoding: .utf8)
        #expect(service == source.replacing("/usr/bin/userd", with: "\(prefix)/bin/userd"))
        try await installation.make("uninstall")
        #expect(try installation.files() == [])
    }

    @Test("systemd reads a program's path with blanks and percent signs correctly")
    func oddPath() async throws {
        let installation = try Installation()
        let message = try await installation.make("install")
        // Names files that are not found where they are, and the next step, but not the commands that ran.
        #expect(
            message.split(separator: "\n").map { $0.prefix { $0 != ":" } } == [
                "Installed userd and userctl in \(installation.file("bin")).",
                "GNOME's search finds no people",
                "zsh finds the completion with this line in .zshrc, before compinit",
                "systemd finds the units once they are linked",
                "PATH lacks the programs; this line in ~/.profile adds them at the next login",
                "Next, connect your directory by your organisation's domain, which also starts userd",
                "To start it without one",
            ], "\(message)")
        // The lines work as printed, in a shell that does not find the programs.
        let userctl = try #require(
            message.split(separator: "\n").last?.split(separator: "&& ").last?.dropLast(
                "service enable".count))
        let line = try #require(
            message.split(separator: "\n").first { $0.hasPrefix("PATH") }?.split(separator: ": ").last)
        for script in ["\(userctl) --version", "\(line) && userctl --version"] {
            let ended = try await run("/bin/sh", ["-c", script], environment: Installation.environment)
            #expect(ended.code == 0 && !ended.output.isEmpty, "\(script): \(ended)")
        }
        let found = try await installation.make("install", path: installation.file("bin"))
        #expect(
            found.split(separator: "\n").last?.hasSuffix("&& userctl service enable") == true
                && !found.contains("PATH lacks"))
        let folders = [
            "share/zsh/site-functions", "share/systemd/user/userd.{service,socket}",
            "share/systemd/user/userd-attention.{path,service}",
        ].map(installation.file)
        for folder in folders { #expect(message.contains(folder.replacing(" ", with: "\\ "))) }
        let runtime = try TemporaryDirectory()
        func verify() async throws -> Finished {
            try await run(
                "/usr/bin/systemd-analyze",
                ["--user", "verify", "--man=no"]
                    + ["service", "socket"].map { installation.file("share/systemd/user/userd.\($0)") },
                environment: Installation.environment.merging(["XDG_RUNTIME_DIR": runtime.path]) { $1 })
        }
        let good = try await verify()
        #expect(good.code == 0, "\(good.errors)")
        try FileManager.default.removeItem(atPath: installation.file("bin/userd"))
        #expect(
            try await verify().errors.contains("Command \(installation.file("bin/userd")) is not executable"))

        // What userd keeps stays, and is named.
        let kept = runtime.file(".cache/userd/userd.db")
        try FileManager.default.createDirectory(
            atPath: runtime.file(".cache/userd"), withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: kept))
        let told = try await installation.make("uninstall", environment: ["HOME": runtime.path])
        #expect(told.hasPrefix("These stay. ") && told.hasSuffix("\n  \(kept)\n"), "\(told)")
        #expect(FileManager.default.fileExists(atPath: kept))
        #expect(try installation.files() == [])
    }
}
