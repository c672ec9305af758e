import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("userctl browse in a terminal", .timeLimit(.hang))
struct BrowseTests {
    private static let browse = "\(Program.userctl.path) browse; echo left: $?"

    /// Ends browse by SIGINT, after which the shell runs nothing else of its line.
    private static func interrupt(_ window: TerminalWindow) async throws {
        try await window.press("C-c")
        try await window.modes("0 1 1")
        try await window.shell("echo left: $?")
        try await window.screen(with: "left: 130")
    }

    @Test("browse lists users, narrows the list while typing, shows the card, and Esc restores the screen")
    func looking() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.serve([
                ("Berg", "Anna"), ("Bergström", "Ola"), ("Chen", "Wei"), ("Ångström", "Åsa"),
            ])
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell(Self.browse)
                let first = try await window.screen(with: "1 of 4", "loaded  4 users, synced")
                let list = first.lines.dropFirst().prefix(5).map { String($0.prefix(18)) }
                #expect(
                    list.map(\.trimmed) == [
                        "Name", ">  Ångström, Åsa", "Berg, Anna", "Bergström, Ola", "Chen, Wei",
                    ])
                #expect(first.lines[1].contains("Åsa Ångström"))
                try await window.modes("1 1 1")
                try await window.press("Down")
                try await window.screen { $0.lines[1].contains("Anna Berg") && $0.contains("2 of 4") }
                try await window.type("bergs")
                try await window.screen { $0.contains("1 of 1") && $0.lines[1].contains("Ola Bergström") }
                try await window.press("C-u")
                try await window.screen(with: "1 of 4")
                try await window.press("End")
                try await window.screen { $0.contains("4 of 4") && $0.lines[1].contains("Wei Chen") }
                try await window.press("Escape")
                let after = try await window.screen(with: "left: 0")
                #expect(after.hasPrefix("$ \(Self.browse.prefix(20))"))
                try await window.modes("0 1 1")

                try await window.shell("\(Program.userctl.path) browse bergs")
                try await window.screen { $0.contains("1 of 1") && $0.lines[1].contains("Ola Bergström") }
            }
        }
    }

    @Test(
        "browse fits the terminal whenever its size changes",
        arguments: [(20, 5), (500, 12), (60, 40), (8, 3)])
    func resizing(columns: Int, rows: Int) async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            _ = try await machine.sync(.users)
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell(Self.browse)
                try await window.screen(with: "1 of 20")
                try await window.resize(columns: columns, rows: rows)
                let screen = try await window.screen {
                    // The position in the list is at the right.
                    $0.lines.count == rows && (columns < 20 || $0.lines[0].count == columns)
                        && ($0.lines.last ?? "").hasPrefix("load") && $0.contains(">")
                }
                #expect(screen.lines.allSatisfy { $0.count <= columns })
                try await window.resize(columns: 100, rows: 24)
                try await window.screen(with: "1 of 20", "F1 help")
                try await Self.interrupt(window)
            }
        }
    }

    @Test("browse shows the changes of a sync, and keeps the selected user")
    func syncing() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.serve([("Berg", "Anna"), ("Chen", "Wei")])
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell(Self.browse)
                try await window.screen(with: "1 of 2")
                try await window.press("Down")
                try await window.screen(with: "2 of 2", ">  Chen, Wei")
                try await machine.serve([
                    ("Berg", "Anna"), ("Chen", "Wei"), ("Aalto", "Eino"), ("Diaz", "Eva"),
                ])
                let screen = try await window.screen(with: "Aalto, Eino", "loaded  4 users")
                #expect(screen.contains(">  Chen, Wei"))
                #expect(screen.contains("3 of 4"))
                // Ctrl-R starts a sync.
                let before = machine.upstream.requests(for: "/api/")
                try await window.press("C-r")
                try await window.bottom("loaded  4 users")
                try await wait { machine.upstream.requests(for: "/api/") > before }
                #expect(machine.upstream.requests(for: "/api/") == before + 1)
            }
        }
    }

    @Test("The bottom line shows the progress of a sync and why it failed")
    func failing() async throws {
        try await onMachine(users: 60) { machine in
            try await machine.startUserd(["users.page_size": "20", "users.pages": "3"])
            _ = try await machine.sync(.users)
            try await TerminalWindow.open(on: machine, columns: 140) { window in
                try await window.shell(Self.browse)
                try await window.bottom("loaded  60 users")
                try await machine.upstream.setFaults([Fault(.delay(milliseconds: 2000), path: "/api")])
                try await window.press("C-r")
                try await window.bottom("syncing  20 of 60; 60 users")
                try await window.bottom("loaded  60 users")
                try await machine.upstream.takeDown()
                try await window.press("C-r")
                let error = try await window.bottom("error  could not connect to ")
                #expect(error.contains("next attempt in"))
                #expect(error.contains("60 users, synced"))
                try await machine.upstream.setFaults([])
                try await machine.upstream.bringUp()
                try await window.press("C-r")
                try await window.bottom("loaded  60 users")
            }
        }
    }

    @Test("browse shows the cache when userd ends, and userd's users when it is back")
    func withoutUserd() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd(["paused": "true"])
            try await machine.serve([("Berg", "Anna"), ("Chen", "Wei")])
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell(Self.browse)
                try await window.bottom("loaded  2 users")
                try await window.press("Down")
                userd.send(SIGKILL)
                try await userd.ended()
                // Or userd has closed the connection before its answer.
                try await window.screen(with: "; reading its cache, synced")
                try await window.screen(with: ">  Chen, Wei")
                try await window.type("ber")
                try await window.screen(with: "1 of 1", ">  Berg, Anna")
                try await window.press("C-r")
                try await window.bottom("userd is not running (no")
                try await machine.startUserd(["paused": "true"])
                try await window.press("Escape")
                try await window.bottom("loaded  2 users")
                try await window.screen(with: "of 2")
                try await machine.serve([("Berg", "Anna"), ("Chen", "Wei"), ("Diaz", "Eva")])
                try await window.screen(with: "of 3", "Diaz, Eva")
            }
        }
    }

    @Test("Without userd browse shows the cache; without a cache it says so and ends")
    func offline() async throws {
        try await onMachine { machine in
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell(Self.browse)
                try await window.screen(with: "userd is not running, and there is no cache at", "left: 69")
                try await window.modes("0 1 1")
                let userd = try await machine.startUserd(["paused": "true"])
                try await machine.serve([("Berg", "Anna")])
                userd.send(SIGTERM)
                try await userd.ended()
                try await window.shell("clear; " + Self.browse)
                try await window.bottom("userd is not running; reading its cache, synced")
                try await window.screen(with: ">  Berg, Anna")
                try await machine.startUserd(["paused": "true"])
                try await window.bottom("loaded  1 user,")
            }
        }
    }

    @Test("browse sends no control characters of upstream's to the terminal")
    func hostile() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.serve([
                ("\u{1B}]0;owned\u{7}Red", "\u{202E}kcab\u{9B}31m\r\n"), ("Berg", "Anna"),
            ])
            try await TerminalWindow.open(on: machine, columns: 160) { window in
                try await window.shell(Self.browse)
                try await window.screen(with: #"\u{1B}]0;owned\u{7}Red"#, "1 of 2")
                try await window.press("Down")
                try await window.screen(with: "2 of 2")
                try await Self.interrupt(window)
                try await wait { try window.sent.contains(#"\u{9B}31m"#) }
                // browse's own sequences, and the shell's.
                let ours = try Regex(#"\e\[(\d+;\d+H|\?\d+[hl]|\d*[mJK])|\r\n|\r"#)
                let sent = try window.sent.replacing(ours, with: "")
                let controls = sent.unicodeScalars.filter {
                    $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
                }
                #expect(controls.isEmpty, "\(controls.map(\.value))")
            }
        }
    }

    @Test("With NO_COLOR browse sends no colours, and still marks the selected user")
    func noColour() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.serve([("Berg", "Anna")])
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell("NO_COLOR=1 " + Self.browse)
                try await window.screen(with: ">  Berg, Anna")
                #expect(try !window.sent.contains(try Regex(#"\e\[\d+m"#)))
                try await window.press("Escape")
                try await window.screen(with: "left: 0")
                try await window.shell(Self.browse)
                try await window.screen(with: ">  Berg, Anna")
                try await wait { try window.sent.contains(try Regex(#"\e\[7m"#)) }
            }
        }
    }

    @Test("Without a suitable terminal browse names the command to use instead")
    func noTerminal() async throws {
        try await onMachine { machine in
            let result = try await machine.userctl(["browse"])
            #expect(result.code == 64)
            #expect(result.output == "")
            #expect(
                result.errorLines == [
                    "userctl: browse needs a terminal", "userctl: `userctl list` prints the users anywhere",
                ])
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell("TERM=dumb " + Self.browse)
                try await window.screen(with: "can't draw on this terminal (TERM is dumb)", "left: 64")
                try await window.shell("clear; \(Program.userctl.path) browse </dev/null; echo left: $?")
                try await window.screen(with: "browse needs a terminal", "left: 64")
                try await window.shell("clear; \(Program.userctl.path) browse | cat")
                try await window.screen(with: "browse needs a terminal")
            }
        }
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
