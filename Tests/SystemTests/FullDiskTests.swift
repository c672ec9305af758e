import Foundation
import Glibc
import Model
import SQLite
import TestSupport
import Testing

@Suite("A full disk", .timeLimit(.hang))
struct FullDiskTests {
    /// Sizes of the disk go from little more than the schema up to enough for all. SQLite may report a commit
    /// as failed that is in the cache's file, if there is no room for its temporary file, where the other
    /// resource is staged.
    @Test("However little room there is, userd publishes exactly the transitions that it has saved")
    func sweep() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        for kilobytes in stride(from: 460, through: 560, by: 10) {
            try await onMachine(users: 20) { machine in
                mkdir(machine.cacheDirectory, 0o700)
                try #require(
                    mount("tmpfs", machine.cacheDirectory, "tmpfs", 0, "mode=700,size=\(kilobytes)k") == 0)
                defer { umount2(machine.cacheDirectory, Int32(MNT_DETACH)) }
                let userd = try machine.start(.userd, machine.arguments())
                // If there is no room for the outcome either, the log says so.
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

    @Test("While the disk is full reads continue and the failure is shown; with room again userd syncs")
    func fillsUp() async throws {
        try await onFullDisk(stopped: false) { machine, free in
            try await expectFull(machine)
            free()
            try await expectWell(machine)
        }
    }

    @Test("On a full disk a starting userd serves the cached users, and so does userctl alone")
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

    @Test("In a read-only folder userd serves the cached users, and syncs once it can write")
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
            // userd retries by itself, and may be syncing now.
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
    /// - Parameter stopped: kills userd before the disk is filled.
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
                // Space that the log already occupies has room for the next writes.
                if !stopped { try machine.emptyLog() }
                while write(descriptor, page, page.count) > 0 {}
            } while try !stopped && machine.size(machine.database + "-wal") > 0
            close(descriptor)
            try await body(machine) { truncate(filler, 0) }
        }
    }

    /// The indices of the published transitions in the log.
    private func indices(of userd: ChildProcess) -> [Int] {
        userd.text(.errors).matches(of: /index=(\d+)/).compactMap { Int($0.output.1) }
    }
}
