import DemoUpstream
import Foundation
import Glibc
import Migrations
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI

@Suite("Under a service manager", .timeLimit(.hang))
struct NotifyTests {
    /// Starts userd with a manager of its own; nothing of what it tells has been read then.
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
        "READY comes when reads are answered, without a sync, and STOPPING when the end begins",
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

    @Test("The status follows the phases, not the pages, and says no sentence twice running")
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

    @Test("A reload is told with its time, then that userd is ready, and that it failed until one succeeds")
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

    @Test("SIGHUP while userd starts does not end it: it reads its settings again as soon as it serves")
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

    @Test("The watchdog is pinged again and again, where the manager wants it of this process")
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

    @Test("While the cache cannot be read the watchdog is not pinged, and afterwards it is again")
    func hangingCache() async throws {
        try await onMachine { machine in
            let (manager, userd) = try start(
                machine, ["paused": "true"], environment: ["WATCHDOG_USEC": "100000"])
            try await manager.next(with: "WATCHDOG=1")
            let locks = try ReadLocks(of: machine.database)
            // After ten seconds SQLite says that it can't be read; without the locks, that would be 200 pings.
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

    @Test("The end of the service waits for no read of the watchdog's that hangs")
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
            // SQLite tries for ten seconds: it is at it still.
            try await wait { try userd.hasEnded || isNapping(userd) }
            #expect(!userd.hasEnded)
            locks.release()
            #expect(try await userd.ended() == .exited(0))
        }
    }

    @Test("A reload that the end comes upon is not said to have made userd ready")
    func endingReload() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration("paused: true\n")
            let (manager, userd) = try start(machine)
            try await manager.next(with: "READY=1")
            // What a reload writes waits for that.
            let other = try Connection(path: machine.database, access: .readWrite)
            try other.execute("BEGIN IMMEDIATE")
            try machine.writeConfiguration("paused: false\n")
            userd.send(SIGHUP)
            try await manager.next(with: "RELOADING=1")
            userd.send(SIGTERM)
            try await manager.next(with: "STOPPING=1")
            other.close()
            #expect(try await userd.ended() == .exited(0))
            #expect(userd.text(.errors).contains("Settings read again"))

            try manager.send("END=1")
            var said: [String] = []
            while said.last != "END=1" { said += try await manager.next() }
            #expect(!said.contains("READY=1"))
        }
    }

    @Test("Why a start fails is told")
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

    @Test("So is a mistake in the settings")
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

    @Test("While an old cache is brought up to date, the manager is asked for more time to start")
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

    @Test("A name that is no socket's is said in the log, and userd runs without a manager")
    func noSocket() async throws {
        try await onMachine { machine in
            let userd = try machine.start(
                .userd, machine.arguments(), environment: ["NOTIFY_SOCKET": "vsock:2:1234"])
            try await userd.line(containing: "Can't notify the service manager")
            try await userd.line(containing: "Listening")
        }
    }
}

/// All locks that reading a cache takes, so that none is left for userd (https://www.sqlite.org/walformat.html#locks).
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

/// The system call's number.
#if arch(x86_64)
    private let clockNanosleep = 230
#else
    private let clockNanosleep = 115
#endif

/// Whether a thread of it does nothing for a while, as SQLite does between two attempts at a lock.
private func isNapping(_ process: ChildProcess) throws -> Bool {
    let threads = "/proc/\(process.id)/task"
    return try FileManager.default.contentsOfDirectory(atPath: threads).contains { thread in
        // It may have ended meanwhile.
        let call = try? String(contentsOfFile: "\(threads)/\(thread)/syscall", encoding: .utf8)
        return call?.hasPrefix("\(clockNanosleep) ") == true
    }
}

private func monotonicMicroseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
}
