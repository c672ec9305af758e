import DemoUpstream
import Foundation
import Model
import TestSupport
import Testing

@Suite("The actions of userctl browse in a terminal", .timeLimit(.hang))
struct BrowseActionTests {
    /// Runs browse in a window, with two users, in a folder of its own.
    private func browsing(_ body: @Sendable (Machine, TerminalWindow) async throws -> Void) async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.servePeople()
            try FileManager.default.createDirectory(
                atPath: machine.file("saved"), withIntermediateDirectories: false)
            try await TerminalWindow.open(on: machine, columns: 120) { window in
                try await window.shell("cd \(machine.file("saved")); \(Program.userctl.path) browse; clear")
                try await window.screen(with: "1 of 2", ">  Berg, Anna")
                try await body(machine, window)
            }
        }
    }

    @Test("In tmux, y copies the address of the card's user, or those of all marked users")
    func copying() async throws {
        try await browsing { machine, window in
            try await window.press("Enter")
            try await window.type("y")
            try await window.bottom("copied anna.berg@example.com with tmux")
            try await window.type("t")
            try await window.bottom("copied +41 31 555 01 01 with tmux")
            try await window.press("Down", "Tab", "Up", "Tab")
            try await window.screen(with: "2 marked")
            try await window.type("y")
            try await window.bottom("copied 2 addresses with tmux")
            // Closes the card, removes the marks, leaves.
            try await window.press("Escape")
            try await window.screen(with: "* Berg, Anna")
            try await window.press("Escape")
            try await window.screen { !$0.contains("marked") }
            try await window.press("Escape")
            try await window.modes("0 1 1")
            try await window.shell("tmux show-buffer")
            try await window.screen(with: "wei.chen@example.com, anna.berg@example.com")
        }
    }

    @Test("v saves a card that is named after the user, and a second one beside it")
    func saving() async throws {
        try await browsing { machine, window in
            try await window.press("Enter")
            for name in ["Anna Berg.vcf", "Anna Berg (2).vcf"] {
                try await window.type("v")
                try await window.bottom("saved " + machine.file("saved/\(name)"))
                #expect(try machine.text("saved/\(name)").hasPrefix("BEGIN:VCARD"))
            }
        }
    }
}
