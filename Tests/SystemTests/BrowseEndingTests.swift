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
            SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL,
        ])
    func signals(signal: Int32) async throws {
        try await browsing { machine, window, process in
            let guardians = try children(of: process)
            kill(process, signal)
            if ![SIGTERM, SIGHUP, SIGINT, SIGQUIT].contains(signal) {
                try await wait { guardians.allSatisfy { !isRunning($0) } }
            } else {
                // The screen is restored before the shell prints anything.
                try await window.screen { $0.trimmingCharacters(in: .newlines).hasSuffix("\n$") }
            }
            try await self.expectUntouched(window, machine, status: 128 + signal)
        }
    }

    @Test("After a kill of browse the shell edits its line as before")
    func lineEditing() async throws {
        try await browsing { machine, window, process in
            let guardians = try children(of: process)
            kill(process, SIGKILL)
            try await wait { guardians.allSatisfy { !isRunning($0) } }
            try await window.modes("0 1 1")
            try await window.type("echo bcd")
            for _ in 0..<3 { try await window.press("Left") }
            try await window.type("a")
            // The prompt may be missing if the shell printed it before the screen was restored.
            try await window.screen { $0.contains(/(^|\n)(\$ )?echo abcd\n/) }
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

    @Test("When the terminal goes away, browse and its guardian process end")
    func hangup() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            _ = try await machine.sync(.users)
            let processes = Mutex<[pid_t]>([])
            try await TerminalWindow.open(on: machine) { window in
                let process = try await start(machine, window)
                let started = try [process] + children(of: process)
                #expect(started.count == 2)
                processes.withLock { $0 = started }
            }
            for process in processes.withLock({ $0 }) {
                try await wait { !isRunning(process) }
            }
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

private func children(of process: pid_t) throws -> [pid_t] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter {
        status(of: $0)?.dropFirst().first.map(String.init) == String(process)
    }
}

/// A zombie is not running.
private func isRunning(_ process: pid_t) -> Bool {
    status(of: process).map { $0.first != "Z" } ?? false
}

/// The fields of /proc/PID/stat (proc(5)) from the state on; nil without the process.
private func status(of process: pid_t) -> [Substring]? {
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return text?.split(separator: ")").last?.split(separator: " ")
}
