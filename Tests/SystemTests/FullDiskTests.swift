import Foundation
import Glibc
import Model
import SQLite
import TestSupport
import Testing

@Suite("A disk without room", .timeLimit(.hang))
struct FullDiskTests {
    /// From room for little more than the schema up to room for all. SQLite may call a commit failed that the cache's file
    /// has where its temporary file, in which the other resource waits for its own, finds none.
    @Test("However little room there is, what has been recorded has been told, and nothing else has")
    func sweep() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        for kilobytes in stride(from: 460, through: 560, by: 10) {
            try await onMachine(users: 20) { machine in
                mkdir(machine.cacheDirectory, 0o700)
                try #require(
                    mount("tmpfs", machine.cacheDirectory, "tmpfs", 0, "mode=700,size=\(kilobytes)k") == 0)
                defer { umount2(machine.cacheDirectory, Int32(MNT_DETACH)) }
                let userd = try machine.start(.userd, machine.arguments())
                // Where there is no room for an outcome either, the log says that.
                try await wait {
                    indices(of: userd).count > 2 || userd.text(.errors).contains("could not be written")
                }
                userd.send(SIGTERM)
                #expect(try await userd.ended() == .exited(0))
                let cache = try Connection(
                    path: machine.cacheDirectory + "/userd.db", access: .readOnly)
                let numbers = try cache.rows("SELECT number FROM transitions ORDER BY number") {
                    try $0.int(0)
                }
                cache.close()
                #expect(indices(of: userd) == numbers, "\(kilobytes): \(userd.text(.errors))")
                #expect(numbers.count > 1)
            }
        }
    }

    @Test("A disk that fills costs no read, is told, and is got over when there is room again")
    func fillsUp() async throws {
        try await onFullDisk(stopped: false) { machine, free in
            try await expectFull(machine)
            free()
            try await expectWell(machine)
        }
    }

    @Test("A start on a full disk serves what is cached, and so does userctl without userd")
    func startsFull() async throws {
        try await onFullDisk(stopped: true) { machine, free in
            #expect(unlink(machine.database + "-shm") == 0)
            let alone = try await machine.userctl(["list", "--output", "ndjson"])
            #expect(alone.code == 0 && alone.output.split(separator: "\n").count == 20, "\(alone.errors)")
            try await machine.startUserd()
            try await expectFull(machine)
            free()
            try await expectWell(machine)
        }
    }

    @Test("In a read-only folder userd serves what is cached, and syncs once it can write")
    func readOnly() async throws {
        try await onFullDisk(stopped: true) { machine, free in
            free()
            let folder = machine.cacheDirectory
            try #require(mount(nil, folder, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
            try await machine.startUserd()
            try await expectFull(machine)
            try #require(mount(nil, folder, nil, UInt(MS_REMOUNT), nil) == 0)
            try await expectWell(machine)
        }
    }

    private func expectFull(_ machine: Machine) async throws {
        let sync = try await machine.userctl(["sync", "--wait"])
        #expect(sync.code == 1 && (sync.output + sync.errors).contains("storage"), "\(sync)")
        let list = try await machine.userctl(["list", "--output", "ndjson"])
        #expect(list.code == 0 && list.output.split(separator: "\n").count == 20, "\(list.errors)")
        for resource in Resource.allCases {
            // It tries again by itself, and may be at it.
            try await wait {
                let state = try await machine.state(of: resource)
                return state.phase == .error && state.failure?.kind == .storage && state.nextSyncAt != nil
            }
        }
        let status = try await machine.userctl(["status"])
        #expect(status.output.contains("could not be written"), "\(status.output)")
    }

    private func expectWell(_ machine: Machine) async throws {
        let sync = try await machine.userctl(["sync", "--wait"])
        #expect(sync.code == 0, "\(sync)")
        for resource in Resource.allCases { #expect(try await machine.state(of: resource).phase == .loaded) }
    }

    /// Syncs, and fills the disk.
    /// - Parameter stopped: kills userd before that.
    private func onFullDisk(
        stopped: Bool, _ body: @Sendable (Machine, _ free: @Sendable () -> Void) async throws -> Void
    ) async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try await onMachine(users: 20) { machine in
            mkdir(machine.cacheDirectory, 0o700)
            try #require(mount("tmpfs", machine.cacheDirectory, "tmpfs", 0, "mode=700,size=4m") == 0)
            defer { umount2(machine.cacheDirectory, Int32(MNT_DETACH)) }
            let userd = try await machine.startUserd()
            for resource in Resource.allCases { #expect(try await machine.sync(resource).phase == .loaded) }
            if stopped {
                userd.send(SIGKILL)
                try await userd.ended()
            }
            let filler = machine.cacheDirectory + "/filler"
            let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            let page = [UInt8](repeating: 1, count: 4096)
            repeat {
                // What its log has taken up already has room for what is written next.
                if !stopped { try machine.emptyLog() }
                while write(descriptor, page, page.count) > 0 {}
            } while try !stopped && machine.size(machine.database + "-wal") > 0
            close(descriptor)
            try await body(machine) { truncate(filler, 0) }
        }
    }

    /// Of the transitions that have been told, as the log has them.
    private func indices(of userd: ChildProcess) -> [Int] {
        userd.text(.errors).matches(of: /index=(\d+)/).compactMap { Int($0.output.1) }
    }
}
