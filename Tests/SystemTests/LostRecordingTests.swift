import Foundation
import Glibc
import Model
import TestSupport
import Testing

@Suite("A recording that can't be written", .timeLimit(.hang))
struct LostRecordingTests {
    @Test("is told to the manager at the signal that asks for it, and at the end by 74")
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
        "is refused by its name, and so is one to replay that is none",
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

    @Test(
        "Nothing in the place of a recording undoes what the environment says of it, and is no mistake then")
    func undone() async throws {
        try await onMachine { machine in
            let checked = try await run(
                Program.userd.path, ["--replay", "", "--check-config"],
                environment: machine.environment.merging(["USERD_REPLAY_RESPONSES": "/a.har"]) { $1 })
            #expect(checked.code == 0, "\(checked)")
        }
    }
}
