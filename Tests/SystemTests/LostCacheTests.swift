import Foundation
import Glibc
import Model
import TestSupport
import Testing

@Suite("A cache file that disappears while userd has it open", .timeLimit(.hang))
struct LostCacheTests {
    enum Loss: String, CaseIterable { case file, folder, replaced, renamed }

    @Test(
        "If the cache file disappears, userd ends at its next write and says why; a restart makes a new one",
        arguments: Loss.allCases)
    func atWrite(loss: Loss) async throws {
        try await onMachine(users: 20) { machine in
            let userd = try await machine.startUserd(["paused": "true"])
            #expect(try await machine.sync(.users).phase == .loaded)
            try machine.lose(loss)
            let asked = try await machine.userctl(["sync", "facts", "--wait"])
            // The sync failed, or userd ended before its reply.
            #expect(asked.code == 1 || asked.code == 69, "\(asked)")
            #expect(try await userd.ended() == .exited(75))
            #expect(userd.text(.errors).contains("userd: \(machine.database) was removed or replaced"))
            if loss == .replaced { try FileManager.default.removeItem(atPath: machine.database) }

            try await machine.startUserd(["paused": "true"])
            #expect(try await machine.sync(.users).count == 20)
            #expect(try await machine.users().count == 20)
            #expect(access(machine.database, F_OK) == 0)
        }
    }

    @Test("userd leaves a file that replaced the cache, and that file's log, as they are")
    func other() async throws {
        try await onMachine(users: 20) { machine in
            let userd = try await machine.startUserd(["paused": "true"])
            #expect(try await machine.sync(.users).phase == .loaded)
            try machine.lose(.replaced)
            let log = machine.database + "-wal"
            // Written as a new file: userd may still be copying its own log.
            try Data("of the other".utf8).write(to: URL(filePath: log), options: .atomic)
            _ = try await machine.userctl(["sync", "users"])
            #expect(try await userd.ended() == .exited(75))
            #expect(try String(contentsOfFile: machine.database, encoding: .utf8) == "another")
            #expect(try String(contentsOfFile: log, encoding: .utf8) == "of the other")
        }
    }

    @Test("If the cache is removed, systemd restarts userd, which syncs without any request")
    func service() async throws {
        try await onUserManager(users: 20) { manager in
            try await manager.installUnits()
            try await manager.systemctl("start", "userd.service")
            try await manager.property("StatusText", of: "userd.service") {
                $0.hasPrefix("users loaded 20, facts loaded")
            }
            try FileManager.default.removeItem(atPath: manager.machine.file("home/.cache/userd"))
            // userd checks the file at intervals.
            try await manager.property("NRestarts", of: "userd.service") { $0 == "1" }
            try await manager.property("StatusText", of: "userd.service") {
                $0.hasPrefix("users loaded 20, facts loaded")
            }
            #expect(try await manager.has("\(manager.home)/.cache/userd/userd.db"))
            #expect(
                try await manager.journal(of: "userd.service").contains("userd.db was removed or replaced"))
            #expect(try await manager.userctl("list").outputLines.count == 21)
        }
    }
}

extension Machine {
    fileprivate func lose(_ loss: LostCacheTests.Loss) throws {
        let manager = FileManager.default
        switch loss {
        case .file: try manager.removeItem(atPath: database)
        case .folder: try manager.removeItem(atPath: cacheDirectory)
        case .renamed: try manager.moveItem(atPath: cacheDirectory, toPath: cacheDirectory + ".old")
        case .replaced:
            try Data("another".utf8).write(to: URL(filePath: database + ".new"))
            chmod(database + ".new", 0o600)
            try #require(rename(database + ".new", database) == 0)
        }
    }
}
