import DemoUpstream
import Foundation
import Glibc
import Model
import StrictJSON
import TestSupport
import Testing
import UserdAPI

@Suite("Recordings of a running daemon", .timeLimit(.hang))
struct RecordingTests {
    @Test("SIGUSR1 and the end write the recording; without the setting record, SIGUSR1 does nothing")
    func signal() async throws {
        try await onMachine(users: 20) { machine in
            let record = machine.file("a.har")
            let userd = try await machine.startUserd(["record": record, "paused": "true"])
            #expect(!FileManager.default.fileExists(atPath: record))
            userd.send(SIGUSR1)
            try await userd.line(containing: "Recording written")
            #expect(try recordedEntries(record).isEmpty)
            _ = try await machine.sync(.users)
            let offset = userd.bytes(.errors).count
            userd.send(SIGUSR1)
            try await userd.line(containing: "Recording written", from: offset)
            #expect(try recordedEntries(record).count == 1)
            _ = try await machine.sync(.users)
            userd.send(SIGKILL)
            try await userd.ended()
            #expect(try recordedEntries(record).count == 1)

            let idle = try await machine.startUserd(["record": record, "paused": "true"])
            idle.send(SIGTERM)
            #expect(try await idle.ended() == .exited(0))
            #expect(try recordedEntries(record).count == 1)
            for own in [machine.socket, machine.database, machine.database + "-wal"] {
                let command = machine.arguments(["record": own])
                let refused = try await run(Program.userd.path, command, environment: machine.environment)
                #expect(refused.code == 64 && refused.errors.contains("is userd's own socket or cache"))
            }
            let other = try await machine.startUserd(["paused": "true"])
            other.send(SIGUSR1)
            #expect(try await machine.sync(.users).phase == .loaded)
            other.send(SIGINT)
            #expect(try await other.ended() == .exited(0))
            #expect(try names(in: machine.file("")).filter { $0.hasSuffix(".part") } == [])
        }
    }

    @Test("On a full disk the last written recording stays")
    func fullDisk() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try await onMachine(users: 20) { machine in
            let folder = machine.file("small")
            mkdir(folder, 0o700)
            try #require(mount("tmpfs", folder, "tmpfs", 0, "mode=700,size=64k") == 0)
            defer { umount2(folder, Int32(MNT_DETACH)) }
            let record = folder + "/a.har"
            let userd = try await machine.startUserd(["record": record, "paused": "true"])
            _ = try await machine.sync(.users)
            userd.send(SIGUSR1)
            try await userd.line(containing: "Recording written")
            let before = try Data(contentsOf: URL(fileURLWithPath: record))
            #expect(try recordedEntries(record).count == 1)
            for _ in 0..<3 { _ = try await machine.sync(.users) }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(74))
            let lines = userd.text(.errors).split(separator: "\n")
            #expect(lines.contains { $0.contains(record) && $0.contains("No space left on device") })
            #expect(try Data(contentsOf: URL(fileURLWithPath: record)) == before)
            #expect(try names(in: folder) == ["a.har"])
        }
    }

    @Test(
        "A recording replaces only a recording",
        arguments: [
            "text", "{}", #"{"log":{"version":"1.2","entries":[]}}"#, "folder", "fifo", "nowhere/a", "report",
        ])
    func inTheWay(name: String) async throws {
        try await onMachine { machine in
            let record = machine.file(name.hasPrefix("{") ? "json" : name)
            switch name {
            case "report":
                let report = try await machine.userctl(["report", "--with-data", record])
                try #require(report.code == 0, "\(report.errors)")
            case "folder": mkdir(record, 0o700)
            case "fifo": mkfifo(record, 0o600)
            case "nowhere/a": break
            default: try Data(name.utf8).write(to: URL(fileURLWithPath: record))
            }
            let result = try await run(
                Program.userd.path, machine.arguments(["record": record]), environment: machine.environment)
            #expect(result.code == 64)
            #expect(result.errors.contains("record: ") && result.errors.contains(record))
            if name == "report" { #expect(result.errors.contains("is a bug report")) }
            if name == "text" || name.hasPrefix("{") {
                #expect(try Data(contentsOf: URL(fileURLWithPath: record)) == Data(name.utf8))
            }
        }
    }

    @Test("A relative path of a recording starts at userd's working directory, and links are followed")
    func relative() async throws {
        try await onMachine(users: 20) { machine in
            let folder = machine.file("here")
            mkdir(folder, 0o700)
            symlink("b.har", folder + "/a.har")
            symlink("link.har", folder + "/dangling.har")
            symlink(folder + "/d.har", folder + "/link.har")
            try Data(#"{"log":{"creator":{"name":"Firefox"},"entries":[]}}"#.utf8)
                .write(to: URL(fileURLWithPath: folder + "/b.har"))
            for name in ["a.har", "c.har", "dangling.har"] {
                let arguments = machine.arguments(["record": name, "paused": "true"])
                let userd = try machine.start(
                    "/usr/bin/env", ["--chdir=" + folder, Program.userd.path] + arguments)
                try await userd.line(containing: "Listening")
                _ = try await machine.sync(.users)
                userd.send(SIGTERM)
                #expect(try await userd.ended() == .exited(0))
            }
            #expect(
                try names(in: folder) == ["a.har", "b.har", "c.har", "d.har", "dangling.har", "link.har"])
            #expect(try recordedEntries(folder + "/b.har").count == 1)
            #expect(try recordedEntries(folder + "/c.har").count == 1)
            #expect(try recordedEntries(folder + "/d.har").count == 1)
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/dangling.har")
                    == "link.har")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/a.har") == "b.har")
        }
    }

    @Test("A userd that fails to start leaves the last recording as it is")
    func failedStart() async throws {
        try await onMachine(users: 20) { machine in
            let record = machine.file("a.har")
            var userd = try await machine.startUserd(["record": record, "paused": "true"])
            _ = try await machine.sync(.users)
            userd.send(SIGINT)
            #expect(try await userd.ended() == .exited(0))
            #expect(try recordedEntries(record).count == 1)
            try FileManager.default.removeItem(atPath: machine.file("run/userd"))
            try Data().write(to: URL(fileURLWithPath: machine.file("run/userd")))
            userd = try machine.start(.userd, machine.arguments(["record": record]))
            #expect(try await userd.ended() == .exited(1))
            #expect(try recordedEntries(record).count == 1)
        }
    }

    @Test("A second userd on the same cache writes no recording, and removes no other file")
    func second() async throws {
        try await onMachine(users: 20) { machine in
            let record = machine.file("a.har")
            let other = machine.file(".a.har.part")
            try Data("other".utf8).write(to: URL(fileURLWithPath: other))
            let userd = try await machine.startUserd(["record": record, "paused": "true"])
            _ = try await machine.sync(.users)
            for path in [record, machine.file("nowhere/a.har")] {
                let second = try await run(
                    Program.userd.path, machine.arguments(["record": path]), environment: machine.environment)
                #expect(second.code == 1)
                #expect(!second.errors.contains("record: "))
            }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            #expect(try recordedEntries(record).count == 1)
            #expect(try names(in: machine.file("")).filter { $0.hasSuffix(".part") } == [".a.har.part"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == Data("other".utf8))
        }
    }

    @Test("Two userds with the same recording leave a whole one")
    func together() async throws {
        try await onMachine(users: 20) { machine in
            let record = machine.file("a.har")
            var both = [try await machine.startUserd(["record": record, "paused": "true"])]
            both.append(
                try await machine.startUserd([
                    "record": record, "paused": "true", "socket": machine.file("other.sock"),
                    "database": machine.file("other.db"),
                ]))
            _ = try await machine.sync(.users)
            for _ in 0..<50 {
                for userd in both { userd.send(SIGUSR1) }
                _ = try await machine.state(of: .users)
            }
            for userd in both { userd.send(SIGTERM) }
            for userd in both {
                #expect(try await userd.ended() == .exited(0))
                #expect(!userd.text(.errors).contains("could not be written"))
            }
            #expect(try recordedEntries(record).count <= 1)
        }
    }

    @Test("Many requests to write a recording do not delay the end")
    func manySignals() async throws {
        try await onMachine(users: 10_000) { machine in
            let record = machine.file("a.har")
            let userd = try await machine.startUserd([
                "record": record, "paused": "true", "users.page_size": "5000", "users.pages": "2",
            ])
            #expect(try await machine.sync(.users).phase == .loaded)
            for _ in 0..<100 {
                userd.send(SIGUSR1)
                // userd has run in between.
                _ = try await machine.state(of: .users)
            }
            let length = userd.bytes(.errors).count
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            let end = String(decoding: userd.bytes(.errors)[length...], as: UTF8.self)
            // At most three: one that was being written, one that was just requested, and the last.
            #expect(end.split(separator: "\n").count { $0.contains("Recording written") } <= 3)
            #expect(try recordedEntries(record).count == 2)
        }
    }

    @Test("A recording of any size is replaced without being read")
    func large() async throws {
        try await onMachine(users: 20) { machine in
            let record = machine.file("a.har")
            try Data(#"{ "log": { "version": "1.2", "creator": {"name": "x"}, "entries" : ["#.utf8)
                .write(to: URL(fileURLWithPath: record))
            try #require(truncate(record, 1 << 40) == 0)
            let userd = try await machine.startUserd(["record": record, "paused": "true"])
            _ = try await machine.sync(.users)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            #expect(try recordedEntries(record).count == 1)
        }
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }
}
