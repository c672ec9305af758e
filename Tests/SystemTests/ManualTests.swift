import Foundation
import TestSupport
import Testing

/// Checks the manual pages that `make install` installs.
@Suite("Manual pages", .timeLimit(.hang))
struct ManualTests {
    private let installation: Installation
    private let environment = Installation.environment

    init() throws { installation = try Installation(prefix: "/opt/it's here") }

    @Test("mandoc has no complaint about the manual pages", arguments: ["userctl", "userd"])
    func lint(program: String) async throws {
        try await installation.make("install")
        let page = installation.file("share/man/man1/\(program).1")
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

    /// The text as mandoc shows it, without bold, underlines and indents.
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
            let shouldDisplay: Bool
            let arguments: [Argument]?
            let subcommands: [Command]?
        }
        let command: Command
    }

    @Test("The manual pages contain the whole help", arguments: [Program.userctl, .userd])
    func complete(program: Program) async throws {
        try await installation.make("install")
        let text = try await text(of: installation.file("share/man/man1/\(program.rawValue).1"))
        let dump = try await run(program.path, ["--experimental-dump-help"], environment: environment)
        let root = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
        let commands = (root.subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
        #expect(commands.count > 10 || program == .userd)
        #expect(!text.contains("userctl desktop"))
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
            #expect(text.contains("The time from one sync of users to the next. (default: 15min; 1h"))
            #expect(text.contains("--users-pictures none|thumbnail|all"))
        } else {
            #expect(text.contains("userctl list --nationality us --order age\n"))
            #expect(text.contains(" 69 userd is needed and does not run, or there is no cache\n"))
            #expect(
                text.contains(
                    "or match for a search in a table on a terminal. (values: name, age, registered, nationality, email, department, title, city, match)"
                ))
        }
    }
}
