import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

/// Checks each line of userctl's table of exit codes on a process.
@Suite("Exit codes of userctl", .timeLimit(.hang))
struct ExitCodeTests {
    private static let reads = [
        ["list"], ["search", "a"], ["show", "nobody"], ["fact"], ["facts"], ["history"], ["status"],
    ]
    private static let requests = [
        ["sync"], ["sync", "users", "--wait"], ["retry"], ["cancel"], ["pause"], ["resume"], ["watch"],
        ["wait", "--timeout", "0"], ["fact", "--new"],
    ]

    private func expect(
        _ code: Int32, _ arguments: [String], on machine: Machine, saying words: String...
    ) async throws {
        let result = try await machine.userctl(arguments)
        #expect(result.code == code, "\(arguments): \(result.errors)")
        for word in words { #expect(result.errors.contains(word), "\(arguments)") }
        #expect(result.errorLines.allSatisfy { $0.hasPrefix("userctl: ") }, "\(arguments)")
    }

    @Test("userctl ends with 0 if all is done, with 1 if something is not found or an awaited sync failed")
    func done() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            for arguments in [["sync", "--wait"], ["list"], ["fact"], ["status"], ["pause"], ["--help"], []] {
                try await expect(0, arguments, on: machine)
            }
            try await expect(
                1, ["show", "nobody"], on: machine, saying: "no user has")
            try await expect(
                1, ["fact", "--max-length", "1"], on: machine, saying: "no cached fact", "--max-length")
            try await machine.upstream.setFaults([Fault(.status(500))])
            try await expect(1, ["sync", "users", "--wait"], on: machine, saying: "users: ", "answered 500")
            try await expect(1, ["retry", "users", "--wait"], on: machine, saying: "answered 500")
            try await expect(1, ["fact", "--new"], on: machine, saying: "answered 500", "userctl fact")
            try await expect(0, ["list"], on: machine, saying: "last sync failed (http 500)")
        }
    }

    @Test("Without userd, commands that need it end with 69 and advice; reads do so only without a cache")
    func unavailable() async throws {
        try await onMachine { machine in
            for arguments in Self.requests + Self.reads {
                try await expect(
                    69, arguments, on: machine, saying: "userd is not running", "userctl service enable"
                )
            }
            let userd = try await machine.startUserd()
            try await expect(0, ["sync", "--wait"], on: machine)
            userd.send(SIGTERM)
            try await userd.ended()
            for arguments in Self.requests {
                try await expect(
                    69, arguments, on: machine, saying: "userd is not running", "userctl service enable"
                )
            }
            for arguments in Self.reads {
                try await expect(
                    arguments == ["show", "nobody"] ? 1 : 0, arguments, on: machine)
            }
        }
    }

    @Test("A wrong command line ends with 64, with or without userd")
    func usage() async throws {
        try await onMachine { machine in
            for arguments in [["nonsense"], ["list", "--nonsense"], ["list", "--limit", "x"], ["show"]] {
                try await expect(64, arguments, on: machine, saying: "--help`")
            }
        }
    }

    @Test("userctl ends with 74 if the output can't be written")
    func output() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            try await expect(0, ["sync", "--wait"], on: machine)
            for arguments in [
                "list", "list --output json", "facts", "status", "history", "fact", "sync", "--help",
                "--version",
                "list --help", "completion zsh",
            ] {
                let result = try await run(
                    "/bin/sh", ["-c", "\(Program.userctl.path) \(arguments) >/dev/full"],
                    environment: machine.environment)
                #expect(result.code == 74, "\(arguments)")
                #expect(
                    result.errors.hasPrefix("userctl: the output can't be written: No space left on device"),
                    "\(arguments)")
            }
        }
    }

    @Test("userctl ends with 75 if userd does not answer in time")
    func timedOut() async throws {
        try await onMachine { machine in
            let socket = machine.file("silent")
            let silent = try machine.start("/usr/bin/nc", ["-l", "-k", "-U", socket])
            try await wait { FileManager.default.fileExists(atPath: socket) || silent.hasEnded }
            try await expect(
                75, ["cancel", "--socket", socket], on: machine, saying: "did not answer in time",
                "journalctl")
        }
    }

    @Test("SIGINT ends userctl by that signal (130 in a shell), whatever it waits for")
    func interrupted() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.upstream.setFaults([Fault(.stall)])
            let watch = try machine.start(.userctl, ["watch"])
            try await watch.line(containing: "initial", in: .output)
            let sync = try machine.start(.userctl, ["sync", "users", "--wait"])
            try await watch.line(containing: "syncing", in: .output)
            for process in [watch, sync] {
                process.send(SIGINT)
                #expect(try await process.ended() == .signalled(SIGINT))
            }
            #expect(sync.text(.errors).hasSuffix("userctl: the sync goes on; `userctl cancel` stops it\n"))
            #expect(try await machine.state(of: .users).phase == .syncing)
        }
    }

    @Test("When the reader of a list closes the pipe, SIGPIPE ends userctl silently")
    func pipe() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["users.page_size": "5000"])
            #expect(try await machine.sync(.users).count == 5000)
            let result = try await run(
                "/bin/bash", ["-c", "\(Program.userctl.path) list --all | head -n 1; echo ${PIPESTATUS[0]}"],
                environment: machine.environment)
            #expect(result.outputLines.last == "\(128 + SIGPIPE)")
            #expect(result.errors == "")
        }
    }

    @Test(
        "When the reader of a watch closes the pipe, SIGPIPE ends userctl even without new output",
        arguments: [
            "watch users", "watch users --output ndjson", "status --watch", "status --watch --output json",
        ])
    func quietPipe(command: String) async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            let script = "\(Program.userctl.path) \(command) | head -n 1; echo ${PIPESTATUS[0]}"
            let result = try await run(
                "/bin/bash", ["-c", script], environment: machine.environment)
            #expect(result.outputLines.last == "\(128 + SIGPIPE)")
            #expect(result.errors == "")
        }
    }
}
