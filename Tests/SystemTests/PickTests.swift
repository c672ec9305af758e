import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("userctl pick in a terminal", .timeLimit(.hang))
struct PickTests {
    /// Runs pick in a window, with two users and the output in a file.
    private func pick(
        _ arguments: String, _ body: @Sendable (Machine, TerminalWindow) async throws -> Void
    ) async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.servePeople()
            try await TerminalWindow.open(on: machine) { window in
                // Only stderr and /dev/tty are a terminal.
                try await window.shell(
                    "\(Program.userctl.path) pick \(arguments) </dev/null >\(machine.file("chosen")); echo left: $?"
                )
                try await body(machine, window)
            }
        }
    }

    @Test("Typing in pick searches, Enter chooses, and stdout gets only the address")
    func choosing() async throws {
        try await pick("") { machine, window in
            try await window.screen(with: "1 of 2", ">  Berg, Anna")
            try await window.modes("1 1 1")
            try await window.type("wei")
            try await window.screen(with: "1 of 1", ">  Chen, Wei")
            try await window.press("C-u")
            try await window.screen(with: "1 of 2")
            try await window.press("Down")
            try await window.screen(with: ">  Chen, Wei")
            try await window.press("Enter")
            try await window.screen(with: "left: 0")
            try await window.modes("0 1 1")
            #expect(try machine.text("chosen") == "wei.chen@example.com\n")
        }
    }

    @Test(
        "pick searches for its arguments; --field and --output choose what it prints",
        arguments: [
            ("che --field phone", "+41 31 555 01 02\n"), ("wei -o json", "{"),
        ])
    func printing(arguments: String, printed: String) async throws {
        try await pick(arguments) { machine, window in
            try await window.screen(with: "1 of 1", ">  Chen, Wei")
            try await window.press("Enter")
            try await window.screen(with: "left: 0")
            let text = try machine.text("chosen")
            guard printed == "{" else { return #expect(text == printed) }
            let user = try JSONDecoder().decode(User.self, from: Data(text.utf8))
            #expect(user.username == "wei")
        }
    }

    @Test(
        "pick prints all marked users, however fast the searches and Tab are typed",
        arguments: [
            ("", "anna.berg@example.com\nwei.chen@example.com\n"),
            ("--separator ', '", "anna.berg@example.com, wei.chen@example.com\n"),
            ("--separator - --field username", "anna-wei\n"),
        ])
    func several(arguments: String, printed: String) async throws {
        try await pick(arguments) { machine, window in
            try await window.screen(with: "1 of 2", ">  Berg, Anna")
            try await window.type("anna")
            try await window.press("Tab", "C-u")
            try await window.type("wei")
            try await window.press("Tab", "Enter")
            try await window.screen(with: "left: 0")
            #expect(try machine.text("chosen") == printed)
        }
    }

    @Test("pick prints the JSON of each marked user on a line")
    func severalRecords() async throws {
        try await pick("-o json") { machine, window in
            try await window.screen(with: "1 of 2", ">  Berg, Anna")
            try await window.press("Tab", "Tab")
            try await window.screen(with: " * Berg, Anna", ">* Chen, Wei", "2 marked")
            try await window.press("Enter")
            try await window.screen(with: "left: 0")
            let names = try machine.text("chosen").lines.map {
                try JSONDecoder().decode(User.self, from: Data($0.utf8)).username
            }
            #expect(names == ["anna", "wei"])
        }
    }

    @Test("A marked user who has left takes no other one with them", arguments: ["", "-o json"])
    func left(arguments: String) async throws {
        try await pick(arguments) { machine, window in
            try await window.screen(with: "1 of 2", ">  Berg, Anna")
            try await window.press("Tab", "Tab")
            try await window.screen(with: "2 marked")
            try await machine.servePeople(chen: "Eva")
            try await window.screen(with: "Chen, Eva", "2 marked")
            try await window.press("Enter")
            try await window.screen(with: "Wei Chen has left since", "left: 0")
            let printed = try machine.text("chosen")
            #expect(arguments == "" ? printed == "anna.berg@example.com\n" : printed.contains("id-Anna"))
        }
    }

    @Test("Without a choice pick prints nothing and ends with 130", arguments: ["Escape", "C-c"])
    func leaving(key: String) async throws {
        try await pick("") { machine, window in
            try await window.screen(with: ">  Berg, Anna")
            try await window.press(key)
            try await window.modes("0 1 1")
            // The shell drops the rest of an interrupted line.
            try await window.shell("echo left: $?")
            try await window.screen(with: "left: 130")
            #expect(try machine.text("chosen") == "")
        }
    }

    @Test("A reader that has gone ends pick as quietly as other commands")
    func closedPipe() async throws {
        try await pick("") { _, window in
            try await window.screen(with: ">  Berg, Anna")
            try await window.press("C-c")
            try await window.modes("0 1 1")
            try await window.shell("clear; \(Program.userctl.path) pick | true; echo left: ${PIPESTATUS[0]}")
            try await window.screen(with: ">  Berg, Anna")
            try await window.press("Enter")
            let screen = try await window.screen(with: "left: 141")
            #expect(!screen.contains("can't be written"))
        }
    }

    @Test("pick reports a missing field on the original screen")
    func absent() async throws {
        try await pick("--field department") { machine, window in
            try await window.screen(with: ">  Berg, Anna")
            try await window.press("Enter")
            try await window.screen(with: "Anna Berg has no department", "left: 1")
            #expect(try machine.text("chosen") == "")
        }
    }

    @Test("pick sends no control characters of upstream's to the terminal or the output")
    func hostile() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.serve([("\u{1B}]0;owned\u{7}Red", "\u{202E}kcab\u{9B}31m\r\n")])
            try await TerminalWindow.open(on: machine, columns: 160) { window in
                let file = machine.file("chosen")
                try await window.shell(
                    "\(Program.userctl.path) pick --field name_last >\(file); echo left: $?")
                try await window.screen(with: #"\u{1B}]0;owned\u{7}Red"#, "1 of 1")
                try await window.press("Enter")
                try await window.screen(with: "left: 0")
                let ours = try Regex(#"\e\[(\d+;\d+H|\?\d+[hl]|\d*[mJK])|\r\n|\r"#)
                let sent = try window.sent.replacing(ours, with: "") + machine.text("chosen")
                let controls = sent.unicodeScalars.filter {
                    $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
                }
                #expect(controls.isEmpty, "\(controls.map(\.value))")
                #expect(try machine.text("chosen").hasSuffix("Red\n"))
            }
        }
    }

    @Test("Without a terminal pick says so")
    func noTerminal() async throws {
        try await onMachine { machine in
            let alone = try await run(
                "/usr/bin/setsid", ["--wait", Program.userctl.path, "pick"], environment: machine.environment)
            #expect(alone.code == 64 && alone.output == "")
            #expect(alone.errorLines.first == "userctl: pick needs a terminal")
            let both = try await machine.userctl(["pick", "--separator", ",", "--output", "json"])
            #expect(both.code == 64 && both.output == "")
            #expect(both.errors.contains("--separator is for --output text"))
        }
    }
}
