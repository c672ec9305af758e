import Foundation
import Glibc
import Model
import TestSupport
import Testing

@Suite("A recording that can't be written", .timeLimit(.hang))
struct LostRecordingTests {
    @Test("A recording that can't be written is reported to the manager, and by exit code 74 at the end")
    func folderGone() async throws {
        try await onMachine(users: 20) { machine in
            let folder = machine.file("recordings")
            mkdir(folder, 0o700)
            let manager = try NotifySocket(machine.file("notify"))
            let userd = try machine.start(
                .userd, machine.arguments(["record": folder + "/a.har", "paused": "true"]),
                environment: ["NOTIFY_SOCKET": manager.name])
            try await manager.next(with: "READY=1")
            #expect(try await machine.sync(.users).phase == .loaded)
            rmdir(folder)
            let reason = "the recording \(folder)/a.har could not be written: No such file or directory"
            userd.send(SIGUSR1)
            var told = ""
            while !told.hasSuffix("; " + reason) { told = try await manager.next().joined() }
            mkdir(folder, 0o700)
            userd.send(SIGUSR1)
            while told.contains(reason) { told = try await manager.next().joined() }
            rename(folder, folder + ".other")
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(74))
            #expect(userd.text(.errors).contains("\nuserd: \(reason)\n"))
            while told != "STATUS=failed: " + reason { told = try await manager.next().joined() }
        }
    }

    @Test(
        "userd refuses - as a recording, and an empty name of one to replay",
        arguments: [
            (["--record", "-"], "--record: \"-\" is not standard input or output here"),
            (["--replay", "-"], "--replay: \"-\" is not standard input or output here"),
            (["--replay", ""], "--replay: is empty"),
        ])
    func names(arguments: [String], reason: String) async throws {
        try await onMachine { machine in
            let refused = try await run(
                Program.userd.path, machine.arguments() + arguments, environment: machine.environment)
            #expect(refused.code == 64, "\(refused)")
            #expect(refused.errors.contains(reason), "\(refused)")
            #expect(refused.errorLines.count == 1, "\(refused)")
        }
    }

    @Test("--replay '' undoes the environment variable, and is valid then")
    func undone() async throws {
        try await onMachine { machine in
            let checked = try await run(
                Program.userd.path, ["--replay", "", "--check-config"],
                environment: machine.environment.merging(["USERD_REPLAY_RESPONSES": "/a.har"]) { $1 })
            #expect(checked.code == 0, "\(checked)")
        }
    }
}
