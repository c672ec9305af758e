import Foundation
import TestSupport
import Testing

/// What `make install` puts beside the programs: manual pages and completions.
@Suite("What is installed", .timeLimit(.minutes(3)))
struct ManualTests {
    private let directory: TemporaryDirectory
    private let environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"]

    init() throws { directory = try TemporaryDirectory() }

    /// Runs make in the package's folder, with the programs of this build.
    private func make(_ target: String) async throws {
        let package = URL(filePath: #filePath).appending(path: "../../..").standardized.path
        let bin = URL(filePath: Program.userctl.path).deletingLastPathComponent().path
        let finished = try await run(
            "/usr/bin/make",
            ["-C", package, target, "BIN=\(bin)", "DESTDIR=\(directory.path)", "PREFIX=/opt/it's here"],
            environment: environment.merging(["SOURCE_DATE_EPOCH": "1700000000"]) { $1 },
            within: .seconds(100))
        try #require(finished.code == 0, "\(finished.errors)")
    }

    private func file(_ name: String) -> String { directory.file("opt/it's here/" + name) }

    private func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: file("")).filter {
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: file($0), isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }.sorted()
    }

    private static let installed = [
        "bin/userctl", "bin/userd", "share/bash-completion/completions/userctl",
        "share/fish/vendor_completions.d/userctl.fish", "share/man/man1/userctl.1", "share/man/man1/userd.1",
        "share/zsh/site-functions/_userctl",
    ]

    @Test("The programs, their pages and completions are installed, and uninstalled without anything else")
    func install() async throws {
        try await make("install")
        #expect(try files() == Self.installed)
        for name in Self.installed {
            let mode = try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
            #expect(mode == (name.hasPrefix("bin/") ? 0o755 : 0o644), "\(name)")
        }
        let version = try await run(file("bin/userctl"), ["--version"], environment: environment)
        #expect(version.code == 0)
        for (shell, name) in [
            ("bash", Self.installed[2]), ("fish", Self.installed[3]), ("zsh", Self.installed[6]),
        ] {
            let printed = try await run(
                Program.userctl.path, ["completion", shell], environment: environment)
            #expect(try String(contentsOfFile: file(name), encoding: .utf8) == printed.output)
        }

        let others = Self.installed.map { ($0 as NSString).deletingLastPathComponent + "/other" }
        for name in others { try Data().write(to: URL(filePath: file(name))) }
        try await make("uninstall")
        #expect(try Set(files()) == Set(others))
        try await make("uninstall")
    }

    @Test("mandoc has nothing to say against the pages", arguments: ["userctl", "userd"])
    func lint(program: String) async throws {
        try await make("install")
        let page = file("share/man/man1/\(program).1")
        let lint = try await run(
            "/usr/bin/mandoc", ["-T", "lint", "-W", "warning", page], environment: environment)
        #expect(lint.code == 0)
        #expect(lint.output == "")

        let text = try await text(of: page)
        #expect(text.hasPrefix("\(program.uppercased())(1)"))
        #expect(text.contains("November 14, 2023"))
        let titles = text.split(separator: "\n").filter { $0.first?.isUppercase == true }.dropFirst()
        #expect(
            titles.map(String.init)
                == ["NAME", "SYNOPSIS", "DESCRIPTION"]
                + (program == "userd" ? ["SETTINGS", "OPTIONS"] : ["COMMANDS", "OPTIONS"])
                + ["ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO"])
    }

    /// As mandoc shows it, without bold and underlined letters and without indents.
    private func text(of page: String) async throws -> String {
        let shown = try await run(
            "/usr/bin/mandoc", ["-T", "utf8", "-O", "width=1000", page], environment: environment)
        try #require(shown.code == 0)
        return shown.output.replacing(/.\u{8}/, with: "").replacing(/[ ]+/, with: " ")
    }

    private struct Dump: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable {
                    let kind: String
                    let name: String
                }
                let names: [Name]?
                let abstract: String?
                let shouldDisplay: Bool
            }
            let commandName: String
            let abstract: String?
            let arguments: [Argument]?
            let subcommands: [Command]?
        }
        let command: Command
    }

    @Test("All that the help tells is in the page", arguments: [Program.userctl, .userd])
    func complete(program: Program) async throws {
        try await make("install")
        let text = try await text(of: file("share/man/man1/\(program.rawValue).1"))
        let dump = try await run(program.path, ["--experimental-dump-help"], environment: environment)
        let root = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
        let commands = (root.subcommands ?? []).filter { $0.commandName != "help" }
        #expect(commands.count > 10 || program == .userd)
        for command in commands {
            #expect(text.contains("\n userctl \(command.commandName)"))
            #expect(text.contains(try #require(command.abstract)))
        }
        for argument in ([root] + commands).flatMap({ $0.arguments ?? [] }) where argument.shouldDisplay {
            for name in argument.names ?? [] where name.kind == "long" {
                #expect(text.contains("--\(name.name)"), "\(name.name)")
            }
            for word in (argument.abstract ?? "").split(separator: " ") { #expect(text.contains(word)) }
        }
        if program == .userd {
            #expect(text.contains("How long after a sync of users the next is due. (default: 15min)"))
            #expect(text.contains("--users-pictures none|thumbnail|all"))
        } else {
            #expect(text.contains("userctl list --nationality us --order age\n"))
            #expect(text.contains(" 69 no userd for what needs one, or no cache\n"))
            #expect(
                text.contains(
                    "What to sort by. (values: name, age, registered, nationality, email; default: name)"))
        }
    }
}
