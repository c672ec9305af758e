import DemoUpstream
import Foundation
import Glibc
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("A damaged cache", .timeLimit(.hang))
struct DamageTests {
    enum Fault { case header, half, pages, state, history, search }

    @Test(
        "A start sets a damaged cache aside, and fetches everything again at once",
        arguments: [Fault.header, .half, .pages, .state])
    func start(_ fault: Fault) async throws {
        try await onMachine(users: 20) { machine in
            let first = try await machine.startUserd()
            let before = try await machine.sync(.users)
            first.send(SIGTERM)
            #expect(try await first.ended() == .exited(0))
            try machine.damage(fault)
            let damaged = try Data(contentsOf: URL(filePath: machine.database))

            let userd = try await machine.startUserd()
            let after = try await machine.sync(.users)
            #expect(after.count == 20)
            #expect(after.epoch != before.epoch)
            let aside = try #require(try machine.setAside.first)
            #expect(userd.text(.errors).contains(aside))
            #expect(try Data(contentsOf: URL(filePath: aside)) == damaged)
            let doctor = try await machine.userctl(["doctor", "--offline"])
            #expect(doctor.output.contains(aside))
        }
    }

    @Test(
        "With the upstream down, the users of a damaged cache are still there",
        arguments: [Fault.state, .history, .search])
    func upstreamDown(_ fault: Fault) async throws {
        try await onMachine(users: 20) { machine in
            let first = try await machine.startUserd()
            let before = try await machine.sync(.users)
            first.send(SIGTERM)
            #expect(try await first.ended() == .exited(0))
            try await machine.upstream.setFaults([.init(.status(500))])
            try await machine.break(fault)
            let userd = try await machine.startUserd()
            let begun = userd.bytes(.errors).count
            _ = try? await machine.userctl(["search", "a"])
            _ = try? await machine.call(.history, History(limit: 200))
            if fault == .search {
                try await userd.line(containing: "it was rebuilt from the rows", from: begun)
                // The socket is closed for a moment.
                try await userd.line(containing: "Listening", from: begun)
            }
            #expect(try await machine.userctl(["list", "--all"]).outputLines.count == 21)
            #expect(try await machine.users().count == 20)
            #expect(try await machine.state(of: .users).syncedAt == before.syncedAt)
            #expect(userd.text(.errors).contains("restored 20 of 20 users") == (fault == .state))
            #expect(try machine.setAside.count == (fault == .state ? 1 : 0))
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
        }
    }

    @Test("A running userd sets a damaged cache aside at the first read that finds it; watchers start again")
    func live() async throws {
        try await onMachine(users: 20) { machine in
            let userd = try await machine.startUserd()
            let before = try await machine.sync(.users)
            let watch = try machine.start(.userctl, ["watch", "--output", "ndjson"])
            try await watch.line(containing: "\"epoch\"", in: .output)
            try machine.damage(.pages)
            try await machine.useUntilDamageIsFound(by: userd)
            // The socket is closed for a moment.
            try await watch.line(containing: "\"loaded\"", in: .output, from: watch.bytes(.output).count)
            let after = try await machine.sync(.users)
            #expect(after.epoch != before.epoch)
            #expect(try await machine.users().count == 20)
            #expect(try machine.setAside.count == 1)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
        }
    }

    @Test("After a damaged cache userd keeps its passed socket and the reloaded settings")
    func passedSocket() async throws {
        try await onMachine(users: 20) { machine in
            mkdir(machine.file("config/userd"), 0o700)
            let config = URL(filePath: machine.file("config/userd/config.yaml"))
            try Data("facts: { interval: 5min }\n".utf8).write(to: config)
            let passed = machine.environment.filter { $0.key.hasPrefix("XDG") }.flatMap {
                ["-E", "\($0.key)=\($0.value)"]
            }
            let userd = try machine.start(
                "/usr/bin/systemd-socket-activate",
                ["--listen=\(machine.socketForActivation)", "--fdname=varlink"] + passed + [
                    Program.userd.path
                ]
                    + machine.arguments())
            try await userd.line(containing: "Listening on")
            #expect(try await machine.sync(.users).count == 20)
            try Data("facts: { interval: 7min }\n".utf8).write(to: config)
            userd.send(SIGHUP)
            try await userd.line(containing: "Settings read again")
            for _ in 0..<2 {
                let length = userd.bytes(.errors).count
                try machine.damage(.pages)
                try await machine.useUntilDamageIsFound(by: userd, from: length)
                // Connections wait until the new cache is open.
                #expect(try await machine.sync(.users).count == 20)
            }
            let settings = try await machine.call(.getSettings, NoParameters()).settings
            #expect(settings.first { $0.name == "facts.interval" }?.value == "7min")
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
        }
    }

    @Test("systemd keeps the process of a userd with a damaged cache, and shows its progress")
    func service() async throws {
        try await onUserManager(users: 20) { manager in
            try await manager.installUnits()
            try await manager.systemctl("start", "userd.service")
            try await manager.property("StatusText", of: "userd.service") {
                $0.hasPrefix("users loaded 20, facts loaded")
            }
            let process = try await manager.property("MainPID", of: "userd.service")
            let cache = manager.machine.file("home/.cache/userd")
            let file = try FileHandle(forUpdating: URL(filePath: cache + "/userd.db"))
            try file.write(contentsOf: Data(repeating: 0xA5, count: 100))
            try file.close()
            // Either command may be the first to find the damage.
            _ = try await manager.userctl("fact", "--new")
            _ = try await manager.userctl("list")
            let isSetAside = {
                try await manager.journal(of: "userd.service").contains("The cache is damaged")
            }
            while try await !isSetAside() {}
            try await manager.property("StatusText", of: "userd.service") {
                $0.hasPrefix("users loaded 20, facts loaded")
            }
            #expect(try await manager.property("ActiveState", of: "userd.service") == "active")
            #expect(try await manager.property("MainPID", of: "userd.service") == process)
            #expect(try await manager.userctl("list").outputLines.count == 21)
        }
    }

    @Test("If the cache's log is removed, userd opens the cache again and keeps the rows")
    func log() async throws {
        try await onMachine(users: 20) { machine in
            let userd = try await machine.startUserd(["paused": "true"])
            let before = try await machine.sync(.users)
            try FileManager.default.removeItem(atPath: machine.database + "-wal")
            _ = try? await machine.call(.sync, Sync(resources: [.facts]))
            try await userd.line(containing: "The cache's log was removed")
            try await userd.line(containing: "Listening", from: userd.text(.errors).utf8.count / 2)
            let after = try await machine.sync(.users)
            #expect(after.epoch == before.epoch)
            #expect(after.index > before.index)
            #expect(try machine.setAside == [])
        }
    }
}

extension Machine {
    fileprivate var socketForActivation: String {
        mkdir(file("run/userd"), 0o700)
        return socket
    }

    fileprivate var setAside: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: cacheDirectory)
                .filter { $0.contains(".damaged-") && $0.hasSuffix("Z") }.map { "\(cacheDirectory)/\($0)" }
        }
    }

    fileprivate func damage(_ fault: DamageTests.Fault) throws {
        let file = try FileHandle(forUpdating: URL(filePath: database))
        defer { try? file.close() }
        let end = try Int(file.seekToEnd())
        func overwrite(_ range: Range<Int>) throws {
            try file.seek(toOffset: UInt64(range.lowerBound))
            try file.write(contentsOf: Data(repeating: 0xA5, count: range.count))
        }
        switch fault {
        case .header: try overwrite(0..<100)
        case .half: try file.truncate(atOffset: UInt64(end / 2))
        case .pages:
            // Rows that are in the log would be read from there.
            try emptyLog()
            try overwrite(4096..<Int(file.seekToEnd()))
        case .history, .search: break
        case .state:
            // The same length as before: the text's length is stored elsewhere.
            try file.seek(toOffset: 0)
            var content = try file.readToEnd() ?? Data()
            while let place = content.range(of: Data("\"phase\":\"loaded\"".utf8)) {
                content.replaceSubrange(place, with: Data("\"phase\":\"laoded\"".utf8))
            }
            try file.seek(toOffset: 0)
            try file.write(contentsOf: content)
        }
    }

    /// Damages a cache that no userd has open.
    fileprivate func `break`(_ fault: DamageTests.Fault) async throws {
        let sql =
            switch fault {
            case .history: "UPDATE transitions SET state = json_set(state, '$.cause', 'postponed')"
            case .search: "DELETE FROM user_words_data WHERE id > 10"
            default: ""
            }
        guard !sql.isEmpty else { return try damage(fault) }
        let finished = try await run("/usr/bin/sqlite3", [database, sql], environment: [:])
        try #require(finished.code == 0, "\(finished)")
    }

    /// Alternates reads with writes, which make the connections' cached pages stale. Either may find the
    /// damage.
    fileprivate func useUntilDamageIsFound(by userd: ChildProcess, from length: Int = 0) async throws {
        var isPaused = false
        while !String(decoding: userd.bytes(.errors).dropFirst(length), as: UTF8.self)
            .contains("The cache is damaged; setting it aside")
        {
            _ = try? await users()
            isPaused.toggle()
            _ = try? await call(.setPaused, SetPaused(paused: isPaused))
        }
    }
}
