import DemoUpstream
import Foundation
import Glibc
import Model
import SQLite
import TestSupport
import Testing

/// Tests of userd on a disk that can't be written for a while.
@Suite(.timeLimit(.hang)) struct DiskTroubleTests {
    enum Trouble: String, CaseIterable {
        case full = "a full disk (tmpfs)"
        case fileSize = "ulimit -f"
        case locked = "another process's lock"
    }

    @Test(
        "While the disk can't be written, reads continue; afterwards, userd syncs again",
        arguments: Trouble.allCases)
    func trouble(_ trouble: Trouble) async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try await onMachine(users: 200) { machine in
            mkdir(machine.cacheDirectory, 0o700)
            try #require(mount("tmpfs", machine.cacheDirectory, "tmpfs", 0, "mode=700,size=4m") == 0)
            defer { umount2(machine.cacheDirectory, Int32(MNT_DETACH)) }
            let userd = try await machine.startUserd(["users.page_size": "200", "paused": "true"])
            #expect(try await machine.sync(.users).phase == .loaded)
            let before = try await machine.users()
            try machine.upstream.edit(Edit(added: 7, changed: .first(1000), removed: .first(3)))

            let heal = try await begin(trouble, machine, userd)
            // The beginning of a sync may be impossible to write, too.
            let told = try? await machine.sync(.users)
            #expect(told == nil || told?.failure?.kind == .storage)
            #expect(try await machine.users() == before)
            #expect(!userd.hasEnded)
            try await heal()

            #expect(try await machine.sync(.users).phase == .loaded)
            let after = try await machine.users()
            #expect(after.count == 200 && after != before)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            let cache = try Connection(path: machine.database, access: .readOnly)
            #expect(try cache.rows("PRAGMA integrity_check") { try $0.text(0) } == ["ok"])
            cache.close()
        }
        print("FAULT|\(trouble.rawValue)|1|reads continue, and later syncs succeed")
    }

    /// - Returns: ends the trouble.
    private func begin(
        _ trouble: Trouble, _ machine: Machine, _ userd: ChildProcess
    ) async throws -> @Sendable () async throws -> Void {
        switch trouble {
        case .full:
            let filler = machine.cacheDirectory + "/filler"
            let file = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(file) }
            let block = [UInt8](repeating: 1, count: 4096)
            while write(file, block, block.count) > 0 {}
            return { unlink(filler) }
        case .fileSize:
            let limit: @Sendable (String) async throws -> Void = { size in
                let arguments = ["--pid", "\(userd.id)", "--fsize=\(size)"]
                let finished = try await run("/usr/bin/prlimit", arguments, environment: [:])
                #expect(finished.code == 0, "\(finished.errors)")
            }
            try await limit("4096:unlimited")
            return { try await limit("unlimited") }
        case .locked:
            let path = machine.database
            let database = Database { try Connection(path: path, access: .readWrite) }
            try await database.run { try $0.execute("BEGIN EXCLUSIVE") }
            return {
                try await database.run { try $0.execute("ROLLBACK") }
                await database.close()
            }
        }
    }
}
