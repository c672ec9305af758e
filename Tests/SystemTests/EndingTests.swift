import DemoUpstream
import Foundation
import Glibc
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI
import Varlink

/// userd has two seconds to end, on a quiet machine. Operations that can't be interrupted, such as a
/// handshake, take ten.
@Suite("userd ended by SIGTERM", .timeLimit(.hang))
struct EndingTests {
    /// The point at which an upstream stops answering.
    enum Silence: CaseIterable { case request, handshake, connection }

    @Test(
        "A silent upstream does not delay userd's end, and clients that wait for a sync are told",
        arguments: Silence.allCases)
    func silentUpstream(silence: Silence) async throws {
        let (asked, isAsked) = AsyncStream.makeStream(of: Void.self)
        let full = silence == .connection ? try FullListener() : nil
        defer { full?.stop() }
        let server = try RawServer { connection in
            isAsked.yield()
            connection.waitForEnd()
        }
        let scheme = silence == .handshake ? "https" : "http"
        let address = "\(scheme)://127.0.0.1:\(full?.port ?? server.port)/"
        try await onMachine { machine in
            let userd = try await machine.startUserd([
                "users.url": address, "facts.url": address, "facts.one_url": address, "paused": "true",
            ])
            async let told = machine.ending { try await machine.call(.sync, Sync(wait: true)) }
            async let toldOfFact = machine.ending { try await machine.call(.fetchFact, NoParameters()) }
            if full == nil {
                var arrivals = asked.makeAsyncIterator()
                for _ in 0..<2 { await arrivals.next() }
            }
            for resource in Resource.allCases {
                try await wait { try await machine.state(of: resource).phase == .syncing }
            }
            try await machine.end(userd)
            #expect(await told == "userd is ending")
            #expect(await toldOfFact == "userd is ending")
            #expect(try machine.saved(.users).phase == .syncing)

            let states = try await machine.restarted()
            #expect(states.allSatisfy { $0.cause == .interrupted || $0.phase == .syncing }, "\(states)")
        }
    }

    @Test("SIGTERM undoes a large commit, and saves nothing of it")
    func commit() async throws {
        try await onMachine(users: 40_000) { machine in
            let settings = [
                "users.page_size": "5000", "users.pages": "8", "users.query": "seed=system",
                "paused": "true",
            ]
            let userd = try await machine.startUserd(settings)
            _ = try await machine.call(.sync, Sync(resources: [.users]))
            try await userd.line(containing: "Everything fetched", within: .seconds(600))
            try await machine.end(userd)

            let state = try machine.saved(.users)
            let users = try machine.rows("SELECT CAST(count(*) AS TEXT) FROM users")
            #expect(users == ["0"])
            #expect(state.phase == .syncing, "\(state)")
            #expect(state.failure == nil)
            let transitions = try machine.rows("SELECT CAST(count(*) AS TEXT) FROM transitions")
            #expect(transitions == ["1"])
        }
    }

    @Test("A long log stays uncopied at userd's end, and the next start reads it")
    func longLog() async throws {
        try await onMachine(users: 3) { machine in
            let userd = try await machine.startUserd()
            #expect(try await machine.sync(.users).count == 3)
            _ = try await machine.call(.setPaused, SetPaused(paused: true))
            let other = try Connection(path: machine.database, access: .readWrite)
            try other.execute("PRAGMA wal_autocheckpoint = 0")
            try other.execute("CREATE TABLE other (x); INSERT INTO other VALUES (zeroblob(20 << 20))")
            other.close()
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            #expect(try machine.size(machine.database) < 10 << 20)
            #expect(try machine.size(machine.database + "-wal") > 20 << 20)

            try await machine.startUserd()
            #expect(try await machine.users().count == 3)
            let reader = try Connection(path: machine.database, access: .readOnly)
            #expect(try reader.rows("SELECT length(x) FROM other") { try $0.int(0) } == [20 << 20])
        }
    }

    @Test("At userd's end a thousand watchers are told, even if one client does not read")
    func watchers() async throws {
        try raiseDescriptorLimit(to: 4096)
        try await onMachine(users: 5000) { machine in
            let userd = try await machine.startUserd([
                "limits.connections": "1100", "users.page_size": "5000", "log_level": "notice",
            ])
            #expect(try await machine.sync(.users).count == 5000)
            let crowd = try await WatcherCrowd(1000, at: machine.socket)
            defer { crowd.end() }
            let deaf = try RawPeer(machine.socket)
            // More than a socket's buffer holds, then a watch.
            try deaf.send(
                #"{"method":"io.userd.ListUsers","parameters":{"limit":1000},"more":true}"#,
                #"{"method":"io.userd.Watch","more":true}"#)
            _ = try deaf.receive(bytes: 1)
            try await machine.end(userd)

            try await wait { crowd.report.faults.count == 1000 }
            #expect(crowd.report.faults.allSatisfy { $0.hasSuffix("the connection was closed") })
            #expect(crowd.report.indices.allSatisfy { $0 == crowd.report.indices.first })
        }
    }

    @Test("A picture that does not arrive does not delay userd's end", arguments: [true, false])
    func picture(isAskedFor: Bool) async throws {
        try await onMachine(users: 3) { machine in
            try await machine.upstream.setFaults([Fault(.stall, path: "/portraits")])
            var arrivals = machine.upstream.arrivals().makeAsyncIterator()
            let userd = try await machine.startUserd(["users.pictures": isAskedFor ? "none" : "thumbnail"])
            _ = try await machine.sync(.users)
            let user = try #require(try await machine.users().first)
            async let picture =
                isAskedFor
                ? try? machine.call(.getPicture, GetPicture(key: user.id)) : nil
            while let arrival = await arrivals.next(), !arrival.uri.hasPrefix("/portraits") {}
            try await machine.end(userd)
            _ = await picture
        }
    }

    @Test("SIGTERM ends userd while it opens the cache, and a second SIGTERM changes nothing")
    func start() async throws {
        try await onMachine { machine in
            try await machine.end(try await machine.startUserd(), signals: 2)
            // Waiting for another process's lock stands for a migration, which happens at the same point.
            let other = try Connection(path: machine.database, access: .readWrite)
            try other.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
            let userd = try machine.start(.userd, machine.arguments())
            try await wait { try machine.hasOpened(machine.database, userd) }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            #expect(!userd.text(.errors).contains("Listening"))
            other.close()
            try await machine.end(try await machine.startUserd())
        }
    }
}

extension Machine {
    /// Ends userd, and checks its exit code, log and files.
    fileprivate func end(_ userd: ChildProcess, signals: Int = 1) async throws {
        for _ in 0..<signals { userd.send(SIGTERM) }
        #expect(try await userd.ended() == .exited(0))
        #expect(access(socket, F_OK) != 0)
        #expect(!userd.text(.errors).contains(" error "))
        // The log was copied into the cache.
        let files = try FileManager.default.contentsOfDirectory(atPath: cacheDirectory)
        #expect(Set(files) == ["userd.db", "userd.db.lock"])
        #expect(try rows("PRAGMA integrity_check") == ["ok"])
    }

    func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    fileprivate func rows(_ sql: String) throws -> [String] {
        let connection = try Connection(path: database, access: .immutable)
        return try connection.rows(sql) { try $0.text(0) }
    }

    fileprivate func saved(_ resource: Resource) throws -> State {
        let states = try rows("SELECT state FROM resources WHERE resource = '\(resource)'")
        return try decoded(State.self, from: Array(try #require(states.first).utf8))
    }

    /// The message of a call that userd's end interrupted; nil if userd sent none.
    fileprivate func ending(_ call: () async throws -> some Any) async -> String? {
        do {
            _ = try await call()
        } catch let error as VarlinkError {
            if case .cacheUnavailable(let message)? = UserdError(wire: error) { return message }
        } catch {}
        return nil
    }

    /// The first states of the next daemon.
    fileprivate func restarted() async throws -> [State] {
        try await startUserd()
        return try await call(.getState, NoParameters()).states
    }

    fileprivate func hasOpened(_ path: String, _ process: ChildProcess) throws -> Bool {
        let folder = "/proc/\(process.id)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
        }
    }
}
