import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UserctlCommands

@Suite("Copying with the programs of the session", .timeLimit(.hang))
struct ClipboardTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Makes a program of this name, which is found in `PATH`.
    private func install(_ name: String, _ script: String = "exit 0") async throws {
        // Another process writes it: a file that this one has open can't be run by a thread at the same time.
        let write = #"printf '#!/bin/sh\n%s\n' "$1" >"$2" && chmod 755 "$2""#
        let made = try await run(
            "/bin/sh", ["-c", write, "sh", script, folder.file(name)], environment: ["PATH": "/usr/bin:/bin"])
        try #require(made.code == 0, "\(made.errors)")
    }

    private func environment(_ variables: [String]) -> [String: String] {
        var environment = ["PATH": folder.path + ":/usr/bin:/bin", "OUT": folder.file("copied")]
        for variable in variables { environment[variable] = "x" }
        return environment
    }

    /// The command lines that a copy runs, of which those of `failing` programs fail, and the message.
    private func copied(
        _ variables: [String], failing: Set<String> = []
    ) -> (commands: [String], message: String) {
        let ran = Mutex<[String]>([])
        var environment = environment(variables)
        // Only the programs of the test.
        environment["PATH"] = folder.path
        let clipboard = Clipboard(environment: environment) { path, arguments, input throws(CommandError) in
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            ran.withLock { $0.append(([name] + arguments).joined(separator: " ") + " <" + input) }
            if failing.contains(name) { throw CommandError("no display", .failed) }
        }
        let message = clipboard.copy("a@x", named: "it")
        return (ran.withLock { $0 }, message)
    }

    @Test(
        "The session's variables choose the programs",
        arguments: [
            (["WAYLAND_DISPLAY"], ["wl-copy <a@x"], "copied it with wl-copy"),
            (["DISPLAY"], ["xclip -selection clipboard <a@x"], "copied it with xclip"),
            (["WAYLAND_DISPLAY", "DISPLAY"], ["wl-copy <a@x"], "copied it with wl-copy"),
            (
                ["DISPLAY", "TMUX"], ["xclip -selection clipboard <a@x", "tmux load-buffer -w - <a@x"],
                "copied it with xclip and tmux"
            ),
            ([], [], "copied it, if the terminal lets programs copy"),
        ] as [([String], [String], String)])
    func choice(variables: [String], commands: [String], message: String) async throws {
        for name in ["wl-copy", "xclip", "xsel", "tmux"] { try await install(name) }
        let copied = copied(variables)
        #expect(copied.commands == commands)
        #expect(copied.message == message)
    }

    @Test("A program that is missing or fails is replaced by the next")
    func next() async throws {
        try await install("xsel")
        #expect(copied(["WAYLAND_DISPLAY", "DISPLAY"]).commands == ["xsel --clipboard --input <a@x"])
        for name in ["wl-copy", "xclip"] { try await install(name) }
        let other = copied(["WAYLAND_DISPLAY", "DISPLAY"], failing: ["wl-copy"])
        #expect(other.message == "copied it with xclip")
        let none = copied(["DISPLAY", "TMUX"], failing: ["xclip", "xsel"])
        #expect(
            none.message
                == "copied it, if the terminal lets programs copy (xclip: no display; xsel: no display)")
    }

    @Test("A real program gets exactly the text, also a long one, and no shell reads it")
    func real() async throws {
        try await install("wl-copy", #"cat >"$OUT""#)
        let clipboard = Clipboard.live(environment(["WAYLAND_DISPLAY"]))
        let long = String(repeating: "anna@example.com, ", count: 20_000)
        for text in ["anna@example.com", "$(touch x); 'ä", long] {
            let message = try await onThread { clipboard.copy(text, named: "it") }
            #expect(message == "copied it with wl-copy")
            #expect(try String(contentsOfFile: folder.file("copied"), encoding: .utf8) == text)
        }
    }

    @Test("A process that stays in the background is not waited for, though it holds the pipes")
    func background() async throws {
        try await install("xclip", #"cat >"$OUT"; sleep 20 <&0 &"#)
        let clipboard = Clipboard.live(environment(["DISPLAY"]))
        #expect(try await onThread { clipboard.copy("a@x", named: "it") } == "copied it with xclip")
        #expect(try String(contentsOfFile: folder.file("copied"), encoding: .utf8) == "a@x")
    }

    @Test("A program that reads nothing and ends is a success or failure by its exit code, with its message")
    func failing() async throws {
        try await install("xclip", "echo \"Error: Can't open display: x\" >&2; exit 1")
        let clipboard = Clipboard.live(environment(["DISPLAY"]))
        let text = String(repeating: "x", count: 1_000_000)
        let message = try await onThread { clipboard.copy(text, named: "it") }
        #expect(
            message
                == "copied it, if the terminal lets programs copy (xclip: Error: Can't open display: x)")
    }

    @Test("A program that does not end is killed after the limit", arguments: ["", "x"])
    func late(text: String) async throws {
        try await install("slow", "exec sleep 600")
        let path = folder.file("slow")
        let long = String(repeating: text, count: 1_000_000)
        _ = try await onThread {
            #expect(throws: ProgramRunError.late(.milliseconds(300))) {
                try ProgramRun.of(
                    path, [], input: Array(long.utf8), environment: ["PATH": "/usr/bin:/bin"], isApart: true,
                    within: .milliseconds(300))
            }
        }
    }
}
