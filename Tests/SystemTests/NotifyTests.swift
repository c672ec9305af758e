import DemoUpstream
import Foundation
import Glibc
import Migrations
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI

@Suite("userd under a service manager", .timeLimit(.hang))
struct NotifyTests {
    /// Starts userd with its own manager, before any of its messages is read.
    private func start(
        _ machine: Machine, _ settings: [String: String] = [:], environment: [String: String] = [:],
        arguments: [String]? = nil, socket: String? = nil
    ) throws -> (manager: NotifySocket, userd: ChildProcess) {
        let manager = try NotifySocket(socket ?? machine.file("notify"))
        let userd = try machine.start(
            .userd, arguments ?? machine.arguments(settings),
            environment: environment.merging(["NOTIFY_SOCKET": manager.name]) { $1 })
        return (manager, userd)
    }

    @Test(
        "userd sends READY once it answers reads, without a sync, and STOPPING when its end begins",
        arguments: [false, true])
    func readyAndStopping(isAbstract: Bool) async throws {
        try await onMachine { machine in
            let (manager, userd) = try start(
                machine, ["paused": "true"], socket: isAbstract ? "@\(machine.file("notify"))" : nil)
            #expect(try await manager.next() == ["STATUS=opening the cache"])
            try await manager.next(with: "STATUS=bringing the cache up to schema 1")
            #expect(
                try await manager.next(with: "READY=1")
                    == ["READY=1", "STATUS=users initial, facts initial, paused"])
            #expect(try await machine.state(of: .users).phase == .initial)
            #expect(try await machine.users().isEmpty)
            userd.send(SIGTERM)
            #expect(try await manager.next() == ["STOPPING=1", "STATUS=ending"])
            #expect(try await userd.ended() == .exited(0))
        }
    }

    @Test("The status follows the phases, not the pages, and never repeats itself")
    func status() async throws {
        try await onMachine(users: 60) { machine in
            let (manager, _) = try start(machine, ["users.page_size": "1", "users.pages": "60"])
            try await manager.next(with: "READY=1")
            var statuses: [String] = []
            while statuses.last?.contains(/=users loaded 60, facts loaded \d+$/) != true {
                statuses += try await manager.next()
            }
            #expect(zip(statuses, statuses.dropFirst()).allSatisfy { $0 != $1 })
            // Two resources, each from initial over syncing to loaded.
            #expect(statuses.count <= 4)

            try await machine.upstream.setFaults([Fault(.status(503), path: "/facts")])
            #expect(try await machine.sync(.facts).phase == .error)
            while statuses.last?.contains("error") != true { statuses += try await manager.next() }
            let last = try #require(statuses.last)
            #expect(
                last.wholeMatch(
                    of:
                        /STATUS=users loaded 60, facts error: http 503, next attempt (\d{4}-\d\d-\d\d )?\d\d:\d\d/
                )
                    != nil, "\(last)")
        }
    }

    @Test("A reload sends its time, then READY; the status shows its failure until one succeeds")
    func reload() async throws {
        try await onMachine { machine in
            let (manager, userd) = try start(machine, ["paused": "true"])
            try await manager.next(with: "READY=1")

            func reload() async throws -> [String] {
                let before = monotonicMicroseconds()
                userd.send(SIGHUP)
                let begin = try await manager.next(with: "RELOADING=1")
                let time = try #require(
                    begin.last?.split(separator: "MONOTONIC_USEC=").last.flatMap { Int($0) })
                #expect(begin == ["RELOADING=1", "MONOTONIC_USEC=\(time)"])
                #expect((before...monotonicMicroseconds()).contains(time))
                return try await manager.next(with: "READY=1")
            }

            #expect(try await reload() == ["READY=1", "STATUS=users initial, facts initial, paused"])
            try machine.writeConfiguration("users:\n  \"non\\nsense\": 1\n")
            let failed =
                "; the last reload failed: \(machine.configuration):2: users.non\\u000asense: is not a setting"
            let answer = try await reload()
            #expect(answer.first == "READY=1")
            #expect(answer.last?.hasPrefix("STATUS=users initial, facts initial, paused" + failed) == true)
            #expect(answer.count == 2)
            _ = try await machine.call(.setPaused, SetPaused(paused: false))
            #expect(try await manager.next().joined().contains(failed))
            _ = try await machine.call(.setPaused, SetPaused(paused: true))

            try machine.writeConfiguration("")
            let better = try await reload()
            #expect(better.last?.contains("failed") == false)
        }
    }

    @Test("SIGHUP during the start makes userd read its settings again once it serves")
    func earlyHangup() async throws {
        try await onMachine { machine in
            let (manager, userd) = try start(machine)
            #expect(try await manager.next() == ["STATUS=opening the cache"])
            userd.send(SIGHUP)
            try await manager.next(with: "READY=1")
            try await userd.line(containing: "Settings read again")
            #expect(try await machine.sync(.users).phase == .loaded)
        }
    }

    @Test("userd pings the watchdog regularly if the manager asks this process to")
    func watchdog() async throws {
        try await onMachine { machine in
            let (manager, _) = try start(
                machine, ["paused": "true"], environment: ["WATCHDOG_USEC": "100000"])
            try await manager.next(with: "READY=1")
            for _ in 1...5 { #expect(try await manager.next() == ["WATCHDOG=1"]) }
        }
        try await onMachine { machine in
            let (manager, userd) = try start(
                machine, ["paused": "true"], environment: ["WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"])
            try await manager.next(with: "READY=1")
            _ = try await machine.users()
            userd.send(SIGTERM)
            #expect(try await manager.next().first == "STOPPING=1")
        }
    }

    @Test("userd does not ping the watchdog while the cache can't be read")
    func hangingCache() async throws {
        try await onMachine { machine in
            let (manager, userd) = try start(
                machine, ["paused": "true"], environment: ["WATCHDOG_USEC": "100000"])
            try await manager.next(with: "WATCHDOG=1")
            let locks = try ReadLocks(of: machine.database)
            // SQLite reports the cache as unreadable after ten seconds, in which there would be 200 pings
            // without the locks.
            try await userd.line(containing: "Watchdog ping skipped")
            userd.send(SIGHUP)
            var pings = 0
            while case let lines = try await manager.next(), lines.first != "RELOADING=1" {
                if lines == ["WATCHDOG=1"] { pings += 1 }
            }
            #expect(pings < 20)
            locks.release()
            try await manager.next(with: "WATCHDOG=1")
        }
    }

    @Test("userd's end does not wait for the watchdog's blocked read")
    func hangingEnd() async throws {
        try await onMachine { machine in
            let (manager, userd) = try start(
                machine, ["paused": "true"], environment: ["WATCHDOG_USEC": "100000"])
            try await manager.next(with: "WATCHDOG=1")
            let locks = try ReadLocks(of: machine.database)
            try await wait { try isNapping(userd) }
            userd.send(SIGTERM)
            try await manager.next(with: "STOPPING=1")
            try await wait { access(machine.socket, F_OK) != 0 }
            // SQLite tries for ten seconds, so it is still trying.
            try await wait { try userd.hasEnded || isNapping(userd) }
            #expect(!userd.hasEnded)
            locks.release()
            #expect(try await userd.ended() == .exited(0))
        }
    }

    @Test("A reload that the end interrupts does not send READY")
    func endingReload() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration("paused: true\n")
            let (manager, userd) = try start(machine)
            try await manager.next(with: "READY=1")
            // The reload's write waits for this lock.
            let other = try Connection(path: machine.database, access: .readWrite)
            try other.execute("BEGIN IMMEDIATE")
            try machine.writeConfiguration("paused: false\n")
            userd.send(SIGHUP)
            try await manager.next(with: "RELOADING=1")
            userd.send(SIGTERM)
            try await manager.next(with: "STOPPING=1")
            other.close()
            #expect(try await userd.ended() == .exited(0))
            #expect(!userd.text(.errors).contains(" error "))

            try manager.send("END=1")
            var said: [String] = []
            while said.last != "END=1" { said += try await manager.next() }
            #expect(!said.contains("READY=1"))
        }
    }

    @Test("A failed start tells the manager why")
    func failed() async throws {
        try await onMachine { machine in
            try FileManager.default.createDirectory(
                atPath: machine.database, withIntermediateDirectories: true)
            let (manager, userd) = try start(machine)
            #expect(try await manager.next() == ["STATUS=opening the cache"])
            #expect(try await manager.next().joined().hasPrefix("STATUS=failed: \(machine.database): "))
            #expect(try await userd.ended() == .exited(1))
        }
    }

    @Test("A start with invalid settings tells the manager why")
    func settings() async throws {
        try await onMachine { machine in
            let manager = try NotifySocket(machine.file("notify"))
            let userd = try machine.start(
                .userd, machine.arguments(),
                environment: ["NOTIFY_SOCKET": manager.name, "USERD_LIMITS_WATCH_QUEUE": "soon"])
            #expect(try await manager.next().joined().hasPrefix("STATUS=failed: USERD_LIMITS_WATCH_QUEUE: "))
            #expect(try await userd.ended() == .exited(64))
        }
    }

    @Test("A migration asks the manager for more time to start")
    func migration() async throws {
        try await onMachine { machine in
            try FileManager.default.createDirectory(
                atPath: machine.cacheDirectory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            do {
                let connection = try Connection(path: machine.database, access: .readWriteCreate)
                try Migrator(applicationID: applicationID, migrations: Array(migrations.prefix(1)))
                    .migrate(connection, now: "then")
            }
            chmod(machine.database, 0o600)
            let (manager, _) = try start(machine, ["paused": "true"])
            #expect(try await manager.next() == ["STATUS=opening the cache"])
            #expect(try await manager.next() == ["STATUS=bringing the cache up to schema 2"])
            #expect(try await manager.next() == ["EXTEND_TIMEOUT_USEC=120000000"])
            try await manager.next(with: "STATUS=bringing the cache up to schema \(migrations.count)")
            try await manager.next(with: "READY=1")
        }
    }

    @Test("userd logs an unusable NOTIFY_SOCKET, and runs without a manager")
    func noSocket() async throws {
        try await onMachine { machine in
            let userd = try machine.start(
                .userd, machine.arguments(), environment: ["NOTIFY_SOCKET": "vsock:2:1234"])
            try await userd.line(containing: "Can't notify the service manager")
            try await userd.line(containing: "Listening")
        }
    }
}

/// Takes all locks for reading a cache, so that userd gets none
/// (https://www.sqlite.org/walformat.html#locks).
private struct ReadLocks {
    private let descriptor: Int32

    init(of database: String) throws {
        descriptor = open(database + "-shm", O_RDWR | O_CLOEXEC)
        var locks = flock()
        locks.l_type = Int16(F_WRLCK)
        locks.l_whence = Int16(SEEK_SET)
        locks.l_start = 123
        locks.l_len = 5
        guard fcntl(descriptor, F_SETLKW, &locks) == 0 else {
            throw RawPeer.Failure(call: "fcntl", errno: errno)
        }
    }

    func release() { close(descriptor) }
}

/// The number of the system call clock_nanosleep.
#if arch(x86_64)
    private let clockNanosleep = 230
#else
    private let clockNanosleep = 115
#endif

/// Whether a thread of the process sleeps, as SQLite does between two attempts at a lock.
private func isNapping(_ process: ChildProcess) throws -> Bool {
    let threads = "/proc/\(process.id)/task"
    return try FileManager.default.contentsOfDirectory(atPath: threads).contains { thread in
        // The thread may have ended.
        let call = try? String(contentsOfFile: "\(threads)/\(thread)/syscall", encoding: .utf8)
        return call?.hasPrefix("\(clockNanosleep) ") == true
    }
}

private func monotonicMicroseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
}
