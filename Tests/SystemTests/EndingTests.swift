import DemoUpstream
import Foundation
import Glibc
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI
import Varlink

/// Two seconds is what userd has, on a quiet machine. What does not end by itself, such as a handshake, takes ten.
@Suite("Ended by SIGTERM", .timeLimit(.hang))
struct EndingTests {
    /// What an upstream does with a connection that it has taken.
    enum Silence: CaseIterable { case request, handshake, connection }

    @Test(
        "An upstream that says nothing keeps nobody, and who waits for the sync is told",
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

    @Test("A large commit is undone, and nothing is written of it")
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

    @Test("A log that it would take long to copy stays as it is, and the next start has what is in it")
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

    @Test("A thousand who watch are told, also where one of them does not read")
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
            // More than a socket holds, and then a watch.
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

    @Test("A picture that does not come keeps nobody", arguments: [true, false])
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

    @Test("While the cache is being opened, and twice")
    func start() async throws {
        try await onMachine { machine in
            try await machine.end(try await machine.startUserd(), signals: 2)
            // Who waits for another's lock is where a migration would be.
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
    /// Ends userd, and looks at what it leaves.
    fileprivate func end(_ userd: ChildProcess, signals: Int = 1) async throws {
        for _ in 0..<signals { userd.send(SIGTERM) }
        #expect(try await userd.ended() == .exited(0))
        #expect(access(socket, F_OK) != 0)
        #expect(!userd.text(.errors).contains(" error "))
        // Nothing of it is left in a log.
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

    /// What a call says that was cut short by the end; nil where it was not told.
    fileprivate func ending(_ call: () async throws -> some Any) async -> String? {
        do {
            _ = try await call()
        } catch let error as VarlinkError {
            if case .cacheUnavailable(let message)? = UserdError(wire: error) { return message }
        } catch {}
        return nil
    }

    /// The states with which the next daemon begins.
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
