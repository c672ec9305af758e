import Foundation
import Glibc
import TestSupport
import Testing

/// A terminal with a shell, drawn by tmux: a test sends keys and reads the screen.
struct TerminalWindow: Sendable {
    private let socket: String
    private let environment: [String: String]
    /// The file with all bytes that the terminal was sent.
    private let record: String

    /// Runs a test in a window of its own, which is closed afterwards.
    static func open(
        on machine: Machine, columns: Int = 100, rows: Int = 24,
        _ body: @Sendable (TerminalWindow) async throws -> Void
    ) async throws {
        let window = TerminalWindow(machine)
        let shell = ["/usr/bin/env", "PS1=$ ", "/bin/bash", "--norc", "--noprofile", "-i"]
        try await window.tmux(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"] + shell)
        do {
            try await window.screen { $0.hasPrefix("$") }
            try await window.tmux(["pipe-pane", "cat >> \(window.record)"])
            try await wait { access(window.record, F_OK) == 0 }
            try await body(window)
        } catch {
            try await window.tmux(["kill-server"])
            throw error
        }
        try await window.tmux(["kill-server"])
    }

    private init(_ machine: Machine) {
        // A server that was told to end still accepts clients for a moment, so each window has one of its own.
        let window = machine.file(UUID().uuidString)
        socket = window + ".tmux"
        record = window + ".terminal"
        environment = machine.environment
    }

    @discardableResult
    private func tmux(_ arguments: [String]) async throws -> String {
        let result = try await run(
            "/usr/bin/tmux", ["-S", socket, "-f", "/dev/null", "-u"] + arguments, environment: environment)
        guard result.code == 0 else { throw WaitedInVain(description: "tmux: \(result.errors)") }
        return result.output
    }

    /// Presses keys, by tmux's names.
    func press(_ keys: String...) async throws { try await tmux(["send-keys"] + keys) }

    func type(_ text: String) async throws { try await tmux(["send-keys", "-l", text]) }

    /// Runs a command in the shell.
    func shell(_ command: String) async throws {
        try await type(command)
        try await press("Enter")
    }

    func resize(columns: Int, rows: Int) async throws {
        try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The screen, once the condition is true.
    @discardableResult
    func screen(when isReady: @Sendable (String) -> Bool) async throws -> String {
        try await answer(to: ["capture-pane", "-p"], when: isReady)
    }

    /// Waits until full screen, cursor and line wrapping are on or off, each 1 or 0.
    func modes(_ expected: String) async throws {
        let words = "#{alternate_on} #{cursor_flag} #{wrap_flag}"
        try await answer(to: ["display-message", "-p", words]) { $0.lines == [expected] }
    }

    @discardableResult
    private func answer(to command: [String], when isReady: @Sendable (String) -> Bool) async throws -> String
    {
        let deadline = ContinuousClock.now + .seconds(100)
        while true {
            let answer = try await tmux(command)
            if isReady(answer) { return answer }
            guard ContinuousClock.now < deadline else {
                throw WaitedInVain(description: "waited in vain for the terminal, which says\n\(answer)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @discardableResult
    func screen(with texts: String...) async throws -> String {
        try await screen { screen in texts.allSatisfy(screen.contains) }
    }

    /// The bottom line, once it begins so.
    @discardableResult
    func bottom(_ beginning: String) async throws -> String {
        try await screen { $0.lines.last?.hasPrefix(beginning) == true }.lines.last ?? ""
    }

    /// The bytes that programs sent to the terminal, possibly without the newest ones.
    var sent: String { get throws { try String(contentsOfFile: record, encoding: .utf8) } }
}

extension String {
    var lines: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
