import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("Reloading the settings", .timeLimit(.hang))
struct ReloadTests {
    /// A userd with all settings in its file.
    private struct Rig {
        let machine: Machine
        let userd: ChildProcess

        init(_ machine: Machine, _ settings: String = "") async throws {
            self.machine = machine
            try machine.writeConfiguration(Self.file(machine, settings))
            userd = try await machine.startUserd(arguments: [])
        }

        /// - Parameter settings: YAML, placed after the settings for facts and before the section `users`.
        private static func file(_ machine: Machine, _ settings: String) -> String {
            """
            facts: { url: "\(machine.upstream.url("/facts"))", one_url: "\(machine.upstream.url("/fact"))", \
            max_count: \(settings.contains("few facts") ? 10 : 1000) }
            retry: { base: 10min }
            \(settings)
            users:
              url: "\(machine.upstream.url("/api/"))"
              query: seed=system

            """
        }

        /// Reloads, and returns the log's line about that.
        func reload(_ settings: String) async throws -> String {
            try machine.writeConfiguration(Self.file(machine, settings))
            let before = userd.bytes(.errors).count
            userd.send(SIGHUP)
            return try await userd.line(containing: "Settings read again", from: before)
        }
    }

    @Test("A reload logs only the names of the changed settings")
    func names() async throws {
        try await onMachine { machine in
            let rig = try await Rig(machine)
            #expect(try await rig.reload("").contains("changed=nothing"))
            let line = try await rig.reload(
                "limits: { history: 77 }\nlog_level: debug\nhttp: { deadline: 9s }")
            #expect(line.contains("changed=log_level, http.deadline, limits.history"))
            #expect(!line.contains("77"))
            #expect(
                try await rig.reload("limits: { history: 77 }").contains("changed=log_level, http.deadline"))
        }
    }

    @Test("A closed terminal ends userd; under nohup it causes a reload")
    func terminal() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration(
                "paused: true\nusers: { url: \"\(machine.upstream.url("/api/"))\" }\n")
            let program = Program.userd.path
            func run(_ command: String) async throws {
                try await TerminalWindow.open(on: machine) { window in
                    try await window.shell(command)
                    try await wait { try machine.text("log").contains("Listening") }
                }
            }
            try Data().write(to: URL(filePath: machine.file("log")))
            try await run("'\(program)' >> \(machine.file("log")) 2>&1")
            try await wait { access(machine.socket, F_OK) != 0 }
            #expect(try !machine.text("log").contains("Settings read again"))

            try Data().write(to: URL(filePath: machine.file("log")))
            // The first one may hold its lock for a moment after its socket is gone.
            let lock = machine.cacheDirectory + "/userd.db.lock"
            try await run(
                """
                (echo $BASHPID > \(machine.file("process")); flock '\(lock)' true; \
                exec nohup '\(program)' >> \(machine.file("log")) 2>&1)
                """)
            try await wait { try machine.text("log").contains("Settings read again") }
            #expect(try await machine.state(of: .users).resource == .users)
            let process = try #require(pid_t(machine.text("process").trimmingCharacters(in: .newlines)))
            kill(process, SIGTERM)
            try await wait { access(machine.socket, F_OK) != 0 }
        }
    }

    @Test("A reload changes the log level")
    func logLevel() async throws {
        try await onMachine { machine in
            let rig = try await Rig(machine)
            _ = try await machine.sync(.users)
            #expect(!rig.userd.text(.errors).contains("Everything fetched"))
            _ = try await rig.reload("log_level: debug")
            _ = try await machine.sync(.users)
            try await rig.userd.line(containing: "Everything fetched")
        }
    }

    @Test("A reload changes the limits on connections and on the size of requests")
    func limits() async throws {
        try await onMachine { machine in
            let rig = try await Rig(machine, "limits: { connections: 1 }")
            let first = try RawPeer(machine.socket)
            let call = #"{"method":"io.userd.ListUsers"}"#
            try first.send(call)
            _ = try await first.receive(1)
            await #expect(throws: VarlinkError.permissionDenied) { try await machine.users() }
            _ = try await rig.reload("limits: { connections: 2, request_bytes: 100 }")
            _ = try await machine.users()
            let long =
                #"{"method":"io.userd.ListUsers","parameters":{"search":"\#(String(repeating: "a", count: 100))"}}"#
            // A connection keeps the limits that it was opened with.
            try first.send(long)
            #expect(try await first.receive(1).count == 1)
            let second = try RawPeer(machine.socket)
            try second.send(long)
            #expect(try await second.receiveAll() == [])
        }
    }

    @Test("A reload changes how many facts and transitions are kept, from the next write on")
    func kept() async throws {
        try await onMachine { machine in
            let rig = try await Rig(machine)
            #expect(try await machine.sync(.facts).count > 10)
            _ = try await machine.sync(.users)
            #expect(try await machine.call(.history, History()).states.count > 2)
            _ = try await rig.reload("# few facts\nlimits: { history: 2 }")
            #expect(try await machine.sync(.facts).count == 10)
            #expect(try await machine.call(.listFacts, ListFacts()).facts.count == 10)
            #expect(try await machine.call(.history, History()).states.count == 2)
        }
    }

    @Test("A reload changes the deadline of requests")
    func deadline() async throws {
        try await onMachine { machine in
            let rig = try await Rig(machine)
            #expect(try await machine.sync(.users).phase == .loaded)
            try await machine.upstream.setFaults([Fault(.stall, path: "/api")])
            _ = try await rig.reload("http: { deadline: 50ms }")
            #expect(try await machine.sync(.users).failure?.kind == .timeout)
        }
    }

    @Test("A reload changes whether userd is paused")
    func paused() async throws {
        try await onMachine { machine in
            let rig = try await Rig(machine)
            #expect(try await machine.call(.getState, NoParameters()).paused == false)
            _ = try await rig.reload("paused: true")
            #expect(try await machine.call(.getState, NoParameters()).paused)
        }
    }

    @Test("A reload reports and uses a token that changed in its file, and prints no token")
    func token() async throws {
        try await onMachine { machine in
            let manager = try NotifySocket(machine.file("notify"))
            let path = machine.file("token")
            func write(_ token: String) throws {
                try Data(token.utf8).write(to: URL(fileURLWithPath: path))
                chmod(path, 0o600)
            }
            try write("canary-one")
            let userd = try machine.start(
                .userd, machine.arguments(["users.token_file": path, "log_level": "trace"]),
                environment: ["NOTIFY_SOCKET": manager.name])
            try await manager.next(with: "READY=1")
            #expect(try await machine.sync(.users).phase == .loaded)
            try write("canary-two")
            try await userd.reload("changed=the content of users.token_file")
            try await userd.reload("changed=nothing")
            machine.upstream.forgetRequests()
            #expect(try await machine.sync(.users).phase == .loaded)
            #expect(machine.upstream.authorizations == ["Bearer canary-two"])
            userd.send(SIGTERM)
            var told = ""
            while !told.contains("STOPPING=1") { told += try await manager.next().joined() }
            try await userd.ended()
            #expect(!(userd.text(.errors) + userd.text(.output) + told).contains("canary"))
        }
    }

    @Test("After a restart with another URL, userd does not wait for the old one's next attempt")
    func changedByRestart() async throws {
        try await onMachine { machine in
            let first = try await machine.startUserd(["facts.url": "http://127.0.0.1:1/facts"])
            try await first.line(containing: "phase=error resource=facts")
            first.send(SIGTERM)
            #expect(try await first.ended() == .exited(0))
            let second = try await machine.startUserd()
            try await second.line(containing: "phase=loaded resource=facts")
        }
    }

    @Test("A reload keeps the socket and the cache until the next start, and warns of that once")
    func untilTheEnd() async throws {
        try await onMachine { machine in
            let rig = try await Rig(machine)
            let line = try await rig.reload(
                "socket: \(machine.file("other"))\ndatabase: \(machine.file("other.db"))\npaused: true")
            #expect(line.contains("changed=paused"))
            let warning = try await rig.userd.line(containing: "need a restart of userd")
            #expect(warning.contains("warning") && warning.contains("settings=socket, database"))
            #expect(try await machine.call(.getState, NoParameters()).paused)
            #expect(!FileManager.default.fileExists(atPath: machine.file("other.db")))
        }
    }
}
