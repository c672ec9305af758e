import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("userctl without upstream or userd", .timeLimit(.hang))
struct OfflineTests {
    @Test("Without upstream reads stay the same, a sync says why it fails, and a later retry succeeds")
    func upstream() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            #expect(try await machine.userctl(["sync", "--wait"]).code == 0)
            let before = try await reads(of: machine)
            let history = try await machine.userctl(["history"])

            try await machine.upstream.takeDown()
            #expect(try await machine.userctl(["history"]).output == history.output)
            let sync = try await machine.userctl(["sync", "users", "--wait"])
            #expect(sync.code == 1)
            let place = "127.0.0.1:\(machine.upstream.port)"
            #expect(sync.errors.contains("connection refused"))
            #expect(sync.errors.contains(place))
            let state = try await machine.state(of: .users)
            #expect(state.phase == .error)
            #expect(state.failure?.kind == .offline)
            #expect(try await machine.state(of: .facts).phase == .loaded)
            let status = try await machine.userctl(["status"])
            #expect(status.output.contains("error"))
            #expect(status.output.contains("connection refused"))
            #expect(try await machine.userctl(["retry", "--wait"]).code == 1)
            #expect(try await machine.userctl(["fact", "--new"]).code == 1)

            let after = try await reads(of: machine)
            for (command, result) in after {
                #expect(result.output == before[command]?.output, "\(command)")
                #expect(result.code == 0)
                // The facts were not synced, so they are as fresh as before.
                let notes = command.contains("fact") ? 0 : 1
                #expect(result.errorLines.count == notes, "\(command): \(result.errors)")
            }

            try await machine.upstream.bringUp()
            let retry = try await machine.userctl(["retry", "--wait"])
            #expect(retry.code == 0)
            #expect(retry.errors == "")
            #expect(try await machine.state(of: .users).phase == .loaded)
            let healed = try await reads(of: machine)
            #expect(healed.mapValues(\.output) == before.mapValues(\.output))
            #expect(healed.values.allSatisfy { $0.errors == "" })
        }
    }

    @Test("Without userd reads stay the same with a line on stderr; other commands say what to do")
    func daemon() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd()
            #expect(try await machine.userctl(["sync", "--wait"]).code == 0)
            var before = try await reads(of: machine)
            before["history"] = try await machine.userctl(["history"])
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))

            var after = try await reads(of: machine)
            after["history"] = try await machine.userctl(["history"])
            for (command, result) in after {
                #expect(result.output == before[command]?.output, "\(command)")
                #expect(result.code == 0)
                #expect(result.errorLines.count == 1, "\(command): \(result.errors)")
                #expect(
                    result.errors.contains("userd is not running; reading the cache at \(machine.database)"))
            }
            let status = try await machine.userctl(["status"])
            #expect(status.code == 0)
            #expect(status.output.contains("loaded"))
            #expect(status.output.contains("20 users"))
            #expect(status.errorLines.count == 1)
            for command in [
                ["sync"], ["sync", "--wait"], ["retry"], ["cancel"], ["pause"], ["resume"], ["watch"],
                ["fact", "--new"],
            ] {
                let result = try await machine.userctl(command)
                #expect(result.code == 69, "\(command)")
                #expect(result.output == "")
                #expect(result.errors.contains("userd is not running"))
                #expect(result.errors.contains("userctl service enable"))
            }
            #expect(try await machine.userctl(["show", "nobody"]).code == 1)
        }
    }

    @Test(
        "A socket named on the command line stands for its own cache; one of the environment, for the usual one"
    )
    func otherSocket() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd()
            #expect(try await machine.sync(.users).phase == .loaded)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            let other = ["--socket", machine.file("other.sock")]
            for command in [
                ["list"], ["list", "-q"], ["show", "a"], ["publish", machine.file("users.json")],
            ] {
                let result = try await machine.userctl(command + other)
                #expect(result.code == 69 && result.output == "", "\(command): \(result)")
                #expect(result.errors.contains("name the file with --database"), "\(result.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: machine.file("users.json")))
            #expect(try await machine.userctl(["list", "--database", machine.database] + other).code == 0)
            for (name, value) in [("USERD_SOCKET", other[1]), ("USERD_DATABASE", machine.database)] {
                let result = try await run(
                    Program.userctl.path, ["list"] + (name == "USERD_SOCKET" ? [] : other),
                    environment: machine.environment.merging([name: value]) { $1 })
                #expect(result.code == 0 && result.errors.contains("reading the cache at"), "\(result)")
            }
        }
    }

    @Test("After a kill during a sync, reads without userd show the rows from before the sync")
    func killed() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd()
            #expect(try await machine.sync(.users).phase == .loaded)
            #expect(try await machine.sync(.facts).phase == .loaded)
            let before = try await reads(of: machine)
            try await machine.upstream.setFaults([Fault(.stall)])
            _ = try await machine.call(.sync, Sync())
            userd.send(SIGKILL)
            try await userd.ended()
            let after = try await reads(of: machine)
            #expect(after.mapValues(\.output) == before.mapValues(\.output))
            let status = try await machine.userctl(["status"])
            #expect(status.output.contains("loaded"))
            #expect(!status.output.contains("syncing"))
        }
    }

    @Test("A database file that is no database is reported with its path")
    func unusable() async throws {
        try await onMachine { machine in
            let path = machine.file("foreign.db")
            try Data("not a database, but long enough to be taken for a file of its own kind".utf8)
                .write(to: URL(fileURLWithPath: path))
            let result = try await machine.userctl(["list", "--database", path])
            #expect(result.code == 69)
            #expect(result.errors.contains(path))
            #expect(result.output == "")
        }
    }

    @Test("A file that is no database and has no lock beside it is somebody else's, wherever its path is set")
    func foreignFile() async throws {
        try await onMachine { machine in
            let path = machine.file("config/notes.txt")
            let text = Data("not a database, but long enough to be taken for a file of its own kind".utf8)
            try text.write(to: URL(filePath: path))
            for _ in 0..<2 {
                let refused = try await run(
                    Program.userd.path, machine.arguments(["database": path]),
                    environment: machine.environment)
                #expect(refused.code == 1, "\(refused)")
                #expect(refused.errors.contains("\(path): is another program's file"), "\(refused)")
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == text)
            let files = try FileManager.default.contentsOfDirectory(atPath: machine.file("config"))
            #expect(files == ["notes.txt"])
            // The usual cache is userd's own, whatever has become of it.
            mkdir(machine.cacheDirectory, 0o700)
            try text.write(to: URL(filePath: machine.database))
            try await machine.startUserd()
            #expect(try await machine.sync(.users).phase == .loaded)
        }
    }

    @Test("A socket that is removed while userd runs is bound again")
    func socketRemoved() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd()
            let begun = userd.bytes(.errors).count
            unlink(machine.socket)
            try await userd.line(containing: "bound again", from: begun)
            #expect(try await machine.sync(.users).phase == .loaded)
        }
    }

    @Test("userd syncs with the demo upstream run as a program")
    func demoUpstream() async throws {
        try await onMachine { machine in
            let (upstream, settings) = try await machine.startUpstream([
                "--users", "25", "--fault", "status,status=503,times=1",
            ])
            try await machine.startUserd(
                settings.merging(["users.page_size": "30", "paused": "true"]) { $1 })
            #expect(try await machine.sync(.users).failure?.httpStatus == 503)
            #expect(try await machine.retry(.users).count == 25)
            upstream.send(SIGTERM)
            #expect(try await upstream.ended() == .exited(0))
            #expect(try await machine.sync(.users).failure?.kind == .offline)
        }
    }

    /// The output of each command that reads.
    private func reads(of machine: Machine) async throws -> [String: Finished] {
        var results: [String: Finished] = [:]
        let users = try await machine.userctl(["list", "--columns", "id", "--limit", "1"])
        let id = users.outputLines.last ?? ""
        for command in [
            "list", "list --all --columns name,email,id", "list --search a --order age", "show \(id)",
            "facts",
            "facts --all --max-length 70",
        ] {
            results[command] = try await machine.userctl(command.split(separator: " ").map(String.init))
        }
        return results
    }
}
