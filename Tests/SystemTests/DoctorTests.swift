import DemoUpstream
import Foundation
import Glibc
import Migrations
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI

@Suite("userctl doctor", .timeLimit(.hang))
struct DoctorTests {
    @Test("doctor reports a healthy userd, asks upstream for a few rows, and with --no-upstream for none")
    func well() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            for resource in Resource.allCases { _ = try await machine.sync(resource) }
            machine.upstream.forgetRequests()
            let healthy = try await machine.doctor()
            #expect(healthy.code == 0)
            #expect(healthy.failed == [])
            #expect(healthy["daemon.answer"]?.status == "ok")
            #expect(healthy["daemon.version"]?.found == "userd and userctl are both \(version)")
            #expect(healthy["sync.users"]?.found.hasPrefix("20 users, as many as ") == true)
            #expect(healthy["cache.content"]?.status == "ok")
            #expect(healthy["userd.program"]?.found == Program.userd.path)
            #expect(healthy["upstream.users.url.answer"]?.status == "ok")
            #expect(healthy["upstream.facts.url.tls"]?.found == "the address is plain http://")
            let asked = machine.upstream.recentRequests.map(\.uri)
            #expect(asked.count == 2)
            #expect(asked.contains { $0.contains("results=3&") })
            #expect(asked.contains { $0.contains("limit=1&") })

            let offline = try await machine.doctor(["--no-upstream"])
            #expect(offline.code == 0)
            #expect(offline["upstream"]?.found == "left out")
            #expect(machine.upstream.recentRequests.count == 2)

            let table = try await machine.userctl(["doctor", "--offline"])
            #expect(table.code == 0)
            #expect(table.errors == "")
            #expect(table.output.hasPrefix("! warning "))
            #expect(!table.output.contains("✓ ok"))
            let summary = /userd works, with \d+ warnings?; \d+ ok, \d+ skipped \(--all lists them\)/
            #expect(table.outputLines.last?.wholeMatch(of: summary) != nil)
            let whole = try await machine.userctl(["doctor", "--offline", "-a"])
            #expect(whole.output.contains("✓ ok      Answer: userd answers\n"))
            #expect(whole.output.hasPrefix("! warning "))
        }
    }

    @Test("doctor distinguishes a hanging, a killed and a missing userd")
    func silent() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd(["paused": "true"])
            userd.send(SIGSTOP)
            let hung = try await machine.doctor(["--offline"])
            #expect(hung.code == 1)
            #expect(hung["socket.connection"]?.status == "ok")
            #expect(hung["daemon.answer"]?.found == "userd accepted the connection but does not answer")
            userd.send(SIGKILL)
            try await userd.ended()

            let stale = try await machine.doctor(["--offline"])
            #expect(stale.code == 1)
            #expect(stale.failed == ["socket.connection"])
            #expect(stale["socket.connection"]?.found.contains("left the socket behind") == true)
            #expect(stale["cache.content"]?.status == "ok")

            unlink(machine.socket)
            let none = try await machine.doctor(["--offline"])
            #expect(none.failed == ["socket.connection"])
            #expect(none["socket.connection"]?.found.contains("no socket at \(machine.socket)") == true)
            #expect(none["socket.connection"]?.advice.first?.contains("userctl service enable") == true)
        }
    }

    @Test("doctor reports a failed sync and a pause")
    func states() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            try await machine.upstream.takeDown()
            _ = try await machine.sync(.users)
            _ = try await machine.call(.setPaused, SetPaused(paused: true))
            let report = try await machine.doctor(["--offline"])
            #expect(report.code == 1)
            #expect(report.failed.contains("sync.users"))
            #expect(report["sync.users"]?.found.contains("connection refused") == true)
            #expect(report["sync.users"]?.advice == ["`userctl retry users` tries again"])
            #expect(report["sync.paused"]?.status == "warning")
        }
    }

    @Test("doctor reports another user's socket, with and without permission to connect")
    func otherUser() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            let outOfReach = try await machine.doctor(["--offline"], as: 65_534)
            #expect(outOfReach.code == 1)
            #expect(outOfReach["socket.connection"]?.found == "no permission to connect to \(machine.socket)")

            for path in ["", "run", "run/userd"] { chmod(machine.file(path), 0o755) }
            chmod(machine.socket, 0o777)
            let within = try await machine.doctor(["--offline"], as: 65_534)
            #expect(within["socket.directory"]?.found.hasSuffix("belongs to user 0") == true)
            #expect(within["socket.file"]?.found.hasSuffix("belongs to user 0") == true)
            #expect(within["daemon.answer"]?.status == "failed")

            let own = try await machine.doctor(["--offline"])
            #expect(own["socket.directory"]?.status == "warning")
            #expect(own["socket.file"]?.advice == ["`chmod 600 \(machine.socket)`"])
        }
    }

    @Test("doctor reports a damaged, newer or readable cache, and its advice repairs a damaged one")
    func cache() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd(["users.page_size": "500"])
            #expect(try await machine.sync(.users).count == 500)
            userd.send(SIGTERM)
            try await userd.ended()
            try change(machine.database, "PRAGMA user_version = 999")
            let newer = try await machine.doctor(["--offline"])
            #expect(newer["cache.content"]?.found.hasPrefix("it has schema 999, ") == true)
            try change(machine.database, "PRAGMA user_version = \(migrations.count)")
            chmod(machine.database, 0o644)
            let open = try await machine.doctor(["--offline"])
            #expect(open["cache.file"]?.advice == ["`chmod 600 \(machine.database)`"])
            #expect(open["cache.content"]?.status == "ok")
            chmod(machine.database, 0o600)

            let file = try FileHandle(forWritingTo: URL(filePath: machine.database))
            let middle = try file.seekToEnd() / 2 / 4096 * 4096
            try file.seek(toOffset: middle)
            try file.write(contentsOf: Data(repeating: 0xAA, count: 8192))
            try file.close()
            let damaged = try await machine.doctor(["--offline"])
            #expect(damaged.code == 1)
            let check = try #require(damaged["cache.content"])
            #expect(check.found.hasPrefix("it is damaged: "))

            let commands = check.advice.filter { $0.hasPrefix("  ") && !$0.contains("systemctl") }
            #expect(commands.count == 2)
            let mended = try await run(
                "/bin/sh", ["-ec", commands.joined(separator: "\n")], environment: machine.environment)
            #expect(mended.code == 0, "\(mended.errors)")
            try await machine.startUserd()
            #expect(try await machine.sync(.users).phase == .loaded)
            #expect(try await machine.doctor(["--offline"])["cache.content"]?.status == "ok")
        }
    }

    private func change(_ database: String, _ statement: String) throws {
        let connection = try Connection(path: database, access: .readWrite)
        try connection.execute(statement)
        connection.close()
    }

    @Test("doctor reports an invalid configuration file in userd's words, and does not ask upstream")
    func settings() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration("users:\n  pages: none\n")
            let report = try await machine.doctor()
            let words = try #require(report["userd.settings"])
            #expect(words.status == "failed")
            let userd = try await run(
                Program.userd.path, ["--check-upstream"], environment: machine.environment)
            #expect(userd.code == 64)
            #expect(userd.output == "")
            #expect(userd.errors == "userd: \(words.found)\n")
            #expect(words.found.contains("users.pages"))
            #expect(report["upstream"]?.status == "skipped")
            #expect(machine.upstream.recentRequests.isEmpty)
        }
    }

    @Test("userctl finds the socket and the cache that a configuration file names")
    func moved() async throws {
        try await onMachine { machine in
            let (socket, database) = (machine.file("it's/here.sock"), machine.file("it's/here.db"))
            try machine.writeConfiguration("socket: \"\(socket)\"\ndatabase: \"\(database)\"\n")
            let moved = try await machine.doctor(["--offline"])
            #expect(moved["userd.places"]?.status == "ok")
            #expect(moved["socket.path"]?.found == socket)
            #expect(try await machine.userctl(["sync"]).errors.contains("no socket at \(socket)"))
        }
    }

    @Test("userctl reads paths from a configuration file in YAML's flow style, as userd does")
    func shortForm() async throws {
        try await onMachine { machine in
            let (socket, database) = (machine.file("it's/here.sock"), machine.file("it's/here.db"))
            try machine.writeConfiguration("{socket: \"\(socket)\", database: \"\(database)\"}\n")
            let moved = try await machine.doctor(["--offline"])
            #expect(moved["userd.places"]?.status == "ok")
            #expect(moved["socket.path"]?.found == socket)
            let told = try await machine.doctor(
                ["--offline"], settings: ["socket": socket, "database": database])
            #expect(told["userd.places"]?.status == "ok")
            #expect(told["socket.path"]?.found == socket)
            let named = try await machine.doctor(["--offline", "--socket", "/x", "--database", "/y"])
            #expect(named["userd.places"]?.status == "ok")
        }
    }

    @Test("doctor ends at once when interrupted, even if upstream never answers")
    func interrupted() async throws {
        try await onMachine { machine in
            let (connections, connection) = AsyncStream.makeStream(of: Void.self)
            let silent = try RawServer {
                connection.yield()
                $0.waitForEnd()
            }
            defer { silent.stop() }
            let doctor = try machine.start(
                .userctl, ["doctor"],
                environment: [
                    "USERD_USERS_URL": silent.url().absoluteString,
                    "USERD_FACTS_URL": silent.url().absoluteString, "USERD_HTTP_DEADLINE": "5s",
                ])
            for await _ in connections { break }
            doctor.send(SIGINT)
            #expect(try await doctor.ended() == .signalled(SIGINT))
        }
    }

    @Test("On a terminal doctor shows its current step, and removes it again")
    func progress() async throws {
        try await onMachine { machine in
            let command = "\(Program.userctl.path) doctor --offline"
            for (term, isSaid) in [("xterm", true), ("dumb", false)] {
                let shown = try await run(
                    "/usr/bin/script", ["-qec", command, "/dev/null"],
                    environment: machine.environment.merging(["TERM": term]) { $1 })
                #expect(shown.code == 1)
                let isTakenBack = shown.output.contains(
                    /looking at the cache….{0,6}\u{1B}\[K\r\n\u{1B}\[J\u{1B}\[1F\u{1B}\[J/)
                #expect(isTakenBack == isSaid)
                #expect(shown.output.contains("\u{1B}") == isSaid)
            }
        }
    }
}

/// The output of `doctor --output json`.
struct DoctorReport: Decodable {
    struct Check: Decodable {
        var name: String
        var status: String
        var found: String
        var advice: [String]
    }

    private var checks: [Check]
    private(set) var code: Int32 = 0

    private enum CodingKeys: CodingKey { case checks }

    /// - Parameter json: the output.
    init(_ json: String, code: Int32 = 0) throws {
        self = try decoded(Self.self, from: Array(json.utf8))
        self.code = code
    }

    init(_ finished: Finished) throws {
        guard finished.errors.isEmpty else { throw WaitedInVain(description: finished.errors) }
        try self.init(finished.output, code: finished.code)
    }

    subscript(_ name: String) -> Check? { checks.first { $0.name == name } }
    var failed: [String] { checks.filter { $0.status == "failed" }.map(\.name) }
}

extension Machine {
    /// Runs the doctor; its userd finds this machine's upstream in the environment.
    /// - Parameters:
    ///   - settings: values by name, such as `users.url`.
    ///   - user: runs the doctor; nil for the user who runs the tests.
    func doctor(
        _ arguments: [String] = [], settings: [String: String] = [:], as user: uid_t? = nil
    ) async throws -> DoctorReport {
        let usual = [
            "users.url": upstream.url("/api/"), "facts.url": upstream.url("/facts"),
            "facts.one_url": upstream.url("/fact"),
        ]
        let variables = usual.merging(settings) { $1 }.map { name, value in
            ("USERD_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined(), value)
        }
        let environment = environment.merging(variables) { $1 }
        let command = [Program.userctl.path, "doctor", "--output", "json"] + arguments
        guard let user else {
            return try DoctorReport(
                try await run(command[0], Array(command.dropFirst()), environment: environment))
        }
        let others = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
        return try DoctorReport(
            try await run("/usr/bin/setpriv", others + command, environment: environment))
    }
}
