import Foundation
import Glibc
import Model
import Synchronization
import TestSupport
import Testing

@Suite("userctl browse restores the terminal", .timeLimit(.hang))
struct BrowseEndingTests {
    @Test(
        "browse restores the screen, the cursor and the terminal's settings whichever signal ends it",
        arguments: [
            SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSYS,
        ])
    func signals(signal: Int32) async throws {
        try await browsing { machine, window, process in
            kill(process, signal)
            // The screen is restored before the shell prints anything.
            try await window.screen { $0.trimmingCharacters(in: .newlines).hasSuffix("\n$") }
            try await self.expectUntouched(window, machine, status: 128 + signal)
        }
    }

    @Test("Ctrl-Z restores the terminal, and fg continues browse at the same user")
    func suspending() async throws {
        try await browsing { machine, window, process in
            try await window.press("Down")
            try await window.screen(with: "2 of 20")
            for _ in 0..<3 {
                try await window.press("C-z")
                try await window.screen(with: "Stopped")
                try await self.expectUntouched(window, machine, status: 128 + SIGTSTP)
                try await window.shell("clear; fg")
                try await window.screen(with: "2 of 20", "F1 help")
                try await window.modes("1 1 1")
            }
            try await window.press("Escape")
            try await self.expectUntouched(window, machine, status: 0)
            try await wait { try window.sent.contains("left: 0") }
            #expect(
                try window.sent.components(separatedBy: "\u{1B}[?1049h").count - 1 == 4,
                "once at the start, and once after each fg")
        }
    }

    @Test("SIGTSTP restores the terminal as Ctrl-Z does, and a kill while stopped leaves the terminal alone")
    func stopped() async throws {
        try await browsing { machine, window, process in
            kill(process, SIGTSTP)
            try await self.expectUntouched(window, machine, status: 128 + SIGTSTP)
            try await window.shell("clear; echo between")
            try await window.screen { $0.hasPrefix("between\n$") }
            kill(process, SIGKILL)
            try await window.shell("wait; echo over")
            try await window.screen(with: "\nover")
            let screen = try await window.screen(with: "between\n$")
            #expect(screen.hasPrefix("between\n$"))
            try await self.expectUntouched(window, machine, status: 0)
        }
    }

    @Test("When the terminal goes away, browse ends")
    func hangup() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            _ = try await machine.sync(.users)
            let browse = Mutex<pid_t>(0)
            try await TerminalWindow.open(on: machine) { window in
                let process = try await start(machine, window)
                browse.withLock { $0 = process }
            }
            try await wait { !isRunning(browse.withLock { $0 }) }
        }
    }

    /// Runs a test while browse is open.
    private func browsing(
        _ body: @Sendable (Machine, TerminalWindow, pid_t) async throws -> Void
    ) async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            _ = try await machine.sync(.users)
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell("stty -a > \(machine.file("before")); echo as it was")
                try await window.screen(with: "\nas it was")
                try await body(machine, window, try await start(machine, window))
            }
        }
    }

    private func start(_ machine: Machine, _ window: TerminalWindow) async throws -> pid_t {
        let file = machine.file("process")
        try await window.shell("(echo $BASHPID > \(file); exec \(Program.userctl.path) browse)")
        try await window.screen(with: "1 of 20", "F1 help")
        try await window.modes("1 1 1")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        return try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    private func expectUntouched(
        _ window: TerminalWindow, _ machine: Machine, status: Int32
    ) async throws {
        try await window.modes("0 1 1")
        let (before, after) = (machine.file("before"), machine.file("after"))
        try await window.shell("echo left: $?; stty -a > \(after); cmp \(before) \(after) && echo same")
        try await window.screen(with: "\nleft: \(status)", "\nsame")
    }
}

/// A zombie is not running.
private func isRunning(_ process: pid_t) -> Bool {
    // The state, after the name (proc(5)).
    let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return status.map { !$0.contains(") Z ") } ?? false
}
