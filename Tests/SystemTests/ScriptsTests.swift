import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

/// Runs each block of Scripts.md as it is written.
@Suite("The scripts of Scripts.md", .timeLimit(.hang))
struct ScriptsTests {
    private let blocks: [String]

    init() throws {
        let root = #filePath.prefix(#filePath.count - "Tests/SystemTests/ScriptsTests.swift".count)
        let article = try String(
            contentsOfFile: root + "Sources/Daemon/userd/userd.docc/Scripts.md", encoding: .utf8)
        blocks = article.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element.drop { $0 != "\n" }.dropFirst()) }
    }

    private func block(with words: String) throws -> String {
        try #require(blocks.first { $0.contains(words) })
    }

    /// A folder for PATH with userctl, the article's scripts, and substitutes for programs that need a
    /// display.
    private func programs(on machine: Machine, _ standIns: [String: String] = [:]) throws -> String {
        let folder = machine.file("bin")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try #require(symlink(Program.userctl.path, folder + "/userctl") == 0)
        var scripts = standIns
        for block in blocks {
            guard let named = block.firstMatch(of: #/^#!/bin/sh\n# ~/\.local/bin/([\w-]+): /#) else {
                continue
            }
            scripts[String(named.1)] = block
        }
        for (name, text) in scripts { try writeScript(text, to: folder + "/" + name) }
        return folder
    }

    private func shell(
        _ command: String, on machine: Machine, _ programs: String, _ more: [String: String] = [:]
    ) async throws -> Finished {
        var environment = machine.environment.merging(more) { $1 }
        environment["PATH"] = programs + ":/usr/bin:/bin"
        return try await run("/bin/bash", ["-c", command], environment: environment)
    }

    private struct Bar: Decodable, Equatable {
        let text: String
        let tooltip: String
        let `class`: String
    }

    private struct Waybar: Decodable {
        struct Module: Decodable {
            let exec: String
            let returnType: String

            enum CodingKeys: String, CodingKey {
                case exec
                case returnType = "return-type"
            }
        }
        let module: Module

        enum CodingKeys: String, CodingKey { case module = "custom/userd" }
    }

    @Test("Waybar gets one line of JSON for a running, stale, failed or stopped userd")
    func waybar() async throws {
        let waybar = try JSONDecoder().decode(
            Waybar.self, from: Data(try block(with: "custom/userd").utf8))
        #expect(waybar.module.returnType == "json")
        try await onMachine { machine in
            let programs = try programs(on: machine)
            func bar() async throws -> Bar {
                let shown = try await shell(waybar.module.exec, on: machine, programs)
                #expect(shown.code == 0 && shown.errors == "" && shown.outputLines.count == 1)
                return try JSONDecoder().decode(Bar.self, from: Data(shown.output.utf8))
            }
            #expect(
                try await bar() == Bar(text: "0 users (stopped)", tooltip: "never synced", class: "stopped"))
            let settings = ["paused": "true", "users.interval": "1s"]
            let userd = try await machine.startUserd(settings)
            #expect(
                try await bar() == Bar(text: "0 users (initial)", tooltip: "never synced", class: "initial"))
            try await machine.servePeople()
            try await wait { try await bar().class == "stale" }
            let stale = try await bar()
            #expect(stale.text == "2 users (stale)")
            #expect(stale.tooltip.contains(#/^synced \w{3} \d\d:\d\d$/#))
            try await machine.upstream.setFaults([
                Fault(.status(500, body: #"{"error": "<b>&"}"#), path: "/api")
            ])
            _ = try await machine.sync(.users)
            let failed = try await bar()
            #expect(failed.text == "2 users (http)" && failed.class == "error")
            #expect(failed.tooltip.hasPrefix("synced ") && failed.tooltip.contains("&lt;b&gt;&amp;"))
            userd.send(SIGKILL)
            try await userd.ended()
            let stopped = try await bar()
            #expect(stopped.text == "2 users (stopped)" && stopped.class == "stopped")
            try await machine.startUserd(["paused": "true"])
            try await machine.servePeople()
            let loaded = try await bar()
            #expect(loaded.text == "2 users" && loaded.class == "loaded")
        }
    }

    @Test("tmux shows the number of users in its status line")
    func tmux() async throws {
        let configuration = try block(with: "status-right")
        try await onMachine { machine in
            let programs = try programs(on: machine)
            try Data(configuration.utf8).write(to: URL(filePath: machine.file("tmux.conf")))
            try await machine.startUserd(["paused": "true"])
            try await machine.servePeople()
            try await TerminalWindow.open(on: machine) { window in
                // The inner tmux ends with the terminal.
                try await window.shell(
                    "cd \(machine.file("")); TMUX= PATH=\(programs):$PATH tmux -S inner -f tmux.conf "
                        + #"new-session cat \; set-option -g exit-unattached on"#)
                try await window.screen { $0.lines.last?.contains(#/ 2 users  \d\d:\d\d *$/#) == true }
            }
        }
    }

    @Test("i3status lines begin with the number of users, and end with their reader")
    func i3status() async throws {
        try await onMachine { machine in
            let programs = try programs(on: machine, ["i3status": "echo one; echo two"])
            let stopped = try await shell("i3status-userd", on: machine, programs)
            #expect(stopped.output == "0 users (stopped) | one\n0 users (stopped) | two\n")
            try await machine.startUserd(["paused": "true"])
            try await machine.servePeople()
            let shown = try await shell("i3status-userd", on: machine, programs)
            #expect(shown.output == "2 users | one\n2 users | two\n")
        }
    }

    @Test("rofi offers all addresses, and the chosen one gets a mail")
    func rofi() async throws {
        let standIns = [
            // rofi prints nothing and fails without a choice.
            "rofi": #"tee "$HOME/shown" | grep -m 1 "$CHOICE""#, "xdg-open": #"echo "opened $*""#,
        ]
        try await onMachine { machine in
            mkdir(machine.file("home"), 0o700)
            let programs = try programs(on: machine, standIns)
            try await machine.startUserd(["paused": "true"])
            try await machine.servePeople()
            let chosen = try await shell("userd-mail", on: machine, programs, ["CHOICE": "Anna"])
            #expect(chosen.output == "opened mailto:anna.berg@example.com\n" && chosen.errors == "")
            let shown = try String(contentsOfFile: machine.file("home/shown"), encoding: .utf8)
            #expect(shown.hasPrefix("anna.berg@example.com\tAnna Berg\t") && shown.lines.count == 2)
            try await machine.servePeople(anna: "b&b+cc=50%2@example.com")
            let odd = try await shell("userd-mail", on: machine, programs, ["CHOICE": "Anna"])
            #expect(odd.output == "opened mailto:b%26b%2Bcc%3D50%252@example.com\n")
            let left = try await shell("userd-mail", on: machine, programs, ["CHOICE": "nobody"])
            #expect(left.output == "" && left.errors == "")
        }
    }

    @Test("fzf searches users, shows their cards, and prints the chosen address")
    func fzf() async throws {
        let function = try block(with: "fzf ")
        try await onMachine { machine in
            let programs = try programs(on: machine)
            try Data(function.utf8).write(to: URL(filePath: machine.file("bashrc")))
            try await machine.startUserd(["paused": "true"])
            try await machine.servePeople()
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell("export PATH=\(programs):$PATH; . \(machine.file("bashrc")); clear")
                try await window.shell("people wei > \(machine.file("chosen")); echo left: $?")
                try await window.screen(with: "wei.chen@example.com", "1/2", "+41 31 555 01 02")
                try await window.press("C-u")
                try await window.screen(with: "2/2")
                try await window.type("berg")
                try await window.screen(with: "1/2", "+41 31 555 01 01")
                try await window.press("Enter")
                try await window.screen(with: "left: 0")
                #expect(try machine.text("chosen") == "anna.berg@example.com\n")
            }
        }
    }

    @Test("git ends the message with the co-author's mailbox, and takes no words as options or commands")
    func git() async throws {
        let commands = try block(with: "trailer.co.cmd").lines
        try await onMachine { machine in
            mkdir(machine.file("home"), 0o700)
            let programs = try programs(on: machine)
            try await machine.startUserd(["paused": "true"])
            try await machine.servePeople(anna: "anna@example.com>, eve@example.com", chen: "Wei;\"\n`x`")
            func git(_ command: String) async throws -> Finished {
                try await shell("cd \"$HOME\" && " + command, on: machine, programs)
            }
            let identity = "git config --global user.name A && git config --global user.email a@example.com"
            #expect(try await git("git init --quiet && " + identity).code == 0)
            for command in commands.prefix(2) { #expect(try await git(command).code == 0) }
            func message(_ words: String) async throws -> (text: String, errors: String) {
                let commit = commands[2].replacing("anna keller", with: words)
                let made = try await git(commit + " --quiet --allow-empty --message Work")
                return (try await git("git log -1 --format=%B").output, made.errors)
            }
            let found = try await message("wei chen")
            #expect(
                found.text == "Work\n\nCo-authored-by: \"Wei;\\\" `x` Chen\" <wei.chen@example.com>\n\n",
                "\(found)")
            // The address of one is no address, and the rest finds nobody.
            for words in ["anna", "--version", "$(touch pwned)\";touch pwned;\""] {
                #expect(try await message(words).text == "Work\n\nCo-authored-by:\n\n", "\(words)")
            }
            #expect(try await message("nobody").errors.contains("no user has the id"))
            #expect(access(machine.file("home/pwned"), F_OK) != 0)
        }
    }

    @Test("pick passes the address to a command, also through a pipe")
    func picked() async throws {
        let mail = try block(with: "mail ").lines
        let others = try block(with: "userctl pick --field").lines
        try await onMachine { machine in
            let programs = try programs(on: machine, ["mail": #"echo "mail to $*""#])
            try await machine.startUserd(["paused": "true"])
            try await machine.servePeople()
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell("export PATH=\(programs):$PATH; clear")
                for (line, words) in [
                    (mail[0], "mail to anna.berg@example.com"), (mail[1], "mail to anna.berg@example.com"),
                    (others[0], "+41 31 555 01 01"), (others[1], "anna"),
                ] {
                    try await window.shell("clear; " + line)
                    try await window.screen(with: ">  Berg, Anna")
                    try await window.press("Enter")
                    try await window.screen { $0.lines.contains(words) }
                }
                for line in [mail[0], mail[1], "dash -c '\(mail[1])'"] {
                    try await window.shell("clear; " + line)
                    try await window.screen(with: ">  Berg, Anna")
                    try await window.press("Escape")
                    try await window.modes("0 1 1")
                    try await window.shell("echo left: $?")
                    #expect(try await !window.screen(with: "left: 130").contains("mail to"))
                }
            }
        }
    }
}

extension Machine {
    /// Syncs two users with addresses and telephone numbers.
    func servePeople(anna: String = "anna.berg@example.com", chen: String = "Wei") async throws {
        let people = [
            ("Anna", "Berg", anna, "+41 31 555 01 01"),
            (chen, "Chen", "wei.chen@example.com", "+41 31 555 01 02"),
        ]
        let records = people.map { first, last, email, phone in
            [
                "name": ["first": first, "last": last], "phone": phone, "nat": "ch",
                "login": ["uuid": "id-\(first)", "username": first.lowercased()],
                "email": email,
            ] as [String: Any]
        }
        let body = try JSONSerialization.data(withJSONObject: ["results": records])
        try await upstream.setFaults([
            Fault(.status(200, body: String(decoding: body, as: UTF8.self)), path: "/api")
        ])
        guard try await sync(.users).count == 2 else { throw WaitedInVain(description: "no people") }
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }
}
