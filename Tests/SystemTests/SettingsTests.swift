import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Settings of a running daemon", .timeLimit(.hang))
struct SettingsTests {
    @Test("--print-config shows each setting's source: command line, environment, file or default")
    func printed() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration("users:\n  page_size: 7\n  pages: 7\n  removal_guard: 0.7\n")
            let printed = try await run(
                Program.userd.path, ["--print-config", "--users-pages", "9"],
                environment: machine.environment.merging([
                    "USERD_USERS_PAGE_SIZE": "8", "USERD_USERS_PAGES": "8",
                ]) { $1 })
            #expect(printed.code == 0)
            #expect(printed.errors == "")
            for line in [
                "  pages: 9  # command line", "  page_size: 8  # environment USERD_USERS_PAGE_SIZE",
                "  removal_guard: 0.7  # file \(machine.configuration):4",
                "  interval: 15min  # default", "  url: \"https://randomuser.me/api/\"  # default",
                "socket: \"\(machine.socket)\"  # default", "database: \"\(machine.database)\"  # default",
            ] {
                #expect(printed.outputLines.contains(line), "\(line)\n\(printed.output)")
            }
            #expect(!FileManager.default.fileExists(atPath: machine.database))
        }
    }

    @Test("The output of --print-config is a configuration file that means the same")
    func printedAgain() async throws {
        try await onMachine { machine in
            let arguments = machine.arguments(["users.removal_guard": "0.25"]) + ["--print-config"]
            let first = try await run(
                Program.userd.path, arguments, environment: machine.environment)
            try machine.writeConfiguration(first.output)
            let second = try await run(
                Program.userd.path, ["--print-config"], environment: machine.environment)
            let values = { (text: String) in
                text.split(separator: "\n").map { $0.split(separator: "  #")[0] }
            }
            #expect(values(second.output) == values(first.output))
            #expect(second.output.contains("removal_guard: 0.25  # file"))
        }
    }

    @Test("A mistake in the file stops the start with the key, the line and the reason")
    func bad() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration("users:\n  intervall: 5min\n")
            let userd = try machine.start(.userd, machine.arguments())
            #expect(try await userd.ended() == .exited(64))
            let message = userd.text(.errors)
            let words = "2: users.intervall: is not a setting; did you mean users.interval?"
            #expect(message.hasPrefix("userd: \(machine.configuration):\(words)"), "\(message)")
            #expect(!FileManager.default.fileExists(atPath: machine.database))
        }
    }

    @Test("An invalid variable stops the start with its name")
    func badVariable() async throws {
        try await onMachine { machine in
            let variable = try machine.start(
                .userd, machine.arguments(), environment: ["USERD_HTTP_DEADLINE": "soon"])
            #expect(try await variable.ended() == .exited(64))
            #expect(variable.text(.errors).contains("USERD_HTTP_DEADLINE"))
        }
    }

    @Test("SIGHUP adopts a valid file; an invalid one keeps the settings")
    func reload() async throws {
        try await onMachine { machine in
            try await withDemoUpstream { other in
                func settings(_ url: String, seed: String) -> String {
                    "users:\n  url: \(url)\n  query: seed=\(seed)\n  page_size: 5\n"
                }
                try machine.writeConfiguration(settings(machine.upstream.url("/api/"), seed: "one"))
                let arguments = [
                    "--facts-url", machine.upstream.url("/facts"), "--facts-one-url",
                    machine.upstream.url("/fact"),
                ]
                let userd = try await machine.startUserd(arguments: arguments)
                #expect(try await machine.sync(.users).count == 5)
                let before = try await machine.users()

                try machine.writeConfiguration("users:\n  url: \(other.url("/api/"))\n  nonsense: 1\n")
                try await userd.reload("Settings stay as they were")
                #expect(userd.text(.errors).contains("users.nonsense"))
                machine.upstream.forgetRequests()
                #expect(try await machine.sync(.users).phase == .loaded)
                #expect(try await machine.users() == before)
                #expect(machine.upstream.requests(for: "/api") == 1)

                try machine.writeConfiguration(settings(other.url("/api/"), seed: "two"))
                try await userd.reload("Settings read again")
                machine.upstream.forgetRequests()
                // No user stays the same.
                let sync = Sync(resources: [.users], wait: true, acceptRemovals: true)
                #expect(try await machine.call(.sync, sync).states.first?.phase == .loaded)
                #expect(try await Set(machine.users().map(\.id)).isDisjoint(with: before.map(\.id)))
                #expect(machine.upstream.requests(for: "/api") == 0)
                // The reload asks at once, too.
                #expect(1...2 ~= other.requests(for: "/api"))

                try FileManager.default.removeItem(atPath: machine.configuration)
                try machine.writeConfiguration("socket: \(machine.file("run/other.sock"))\n")
                try await userd.reload("need a restart of userd")
            }
        }
    }

    @Test("A file that appears, changes and vanishes, with SIGHUP during a sync, does no harm")
    func reloadWhileSyncing() async throws {
        try await onMachine { machine in
            try await machine.upstream.setFaults([Fault(.delay(milliseconds: 300), path: "/api")])
            var arrivals = machine.upstream.arrivals().makeAsyncIterator()
            let userd = try await machine.startUserd()
            while let arrival = await arrivals.next(), arrival.path != "/api" {}
            try machine.writeConfiguration("users:\n  interval: 1h\n")
            try await userd.reload("Settings read again")
            #expect(try await machine.sync(.users).phase == .loaded)
            try await machine.upstream.setFaults([])
            let state = try await machine.sync(.users)
            #expect(try #require(state.nextSyncAt) - state.since >= .seconds(3240))
            try FileManager.default.removeItem(atPath: machine.configuration)
            try await userd.reload("\(machine.configuration) is gone; put it back")
            let doctor = try await machine.userctl(["doctor", "--offline"])
            #expect(doctor.code == 1 && doctor.output.contains("which is gone"), "\(doctor)")
            let later = try await machine.sync(.users)
            #expect(try #require(later.nextSyncAt) - later.since >= .seconds(3240))
        }
    }

    @Test("The token goes to the users' upstream with each request, and nowhere else")
    func token() async throws {
        try await onMachine { machine in
            try await withDemoUpstream { other in
                let path = machine.file("token")
                try Data("t0ken-of-the-test\n".utf8).write(to: URL(fileURLWithPath: path))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
                let userd = try await machine.startUserd([
                    "users.token_file": path, "facts.url": other.url("/facts"),
                    "facts.one_url": other.url("/fact"), "log_level": "trace",
                ])
                #expect(try await machine.sync(.users).phase == .loaded)
                #expect(try await machine.sync(.facts).phase == .loaded)
                _ = try await machine.call(.fetchFact, NoParameters())
                #expect(machine.upstream.authorizations == ["Bearer t0ken-of-the-test"])
                #expect(other.authorizations == [])
                #expect(other.requests() > 1)

                // A redirect to another origin, and failures whose messages quote the answer.
                for fault in [
                    Fault.Kind.redirect(location: other.url("/api/?results=20&seed=a")), .status(500),
                    .rubbish(.bytes),
                ] {
                    try await machine.upstream.setFaults([Fault(fault, path: "/api")])
                    _ = try await machine.sync(.users)
                }
                #expect(other.requests(for: "/api") == 1)
                #expect(other.authorizations == [])
                try await machine.upstream.setFaults([])

                // The file is read again for each request.
                try Data("another-t0ken".utf8).write(to: URL(fileURLWithPath: path))
                machine.upstream.forgetRequests()
                #expect(try await machine.sync(.users).phase == .loaded)
                #expect(machine.upstream.authorizations == ["Bearer another-t0ken"])

                let states = try await machine.reply(.history, History())
                let config = try await run(
                    Program.userd.path, machine.arguments(["users.token_file": path]) + ["--print-config"],
                    environment: machine.environment)
                for text in [userd.text(.errors), String(decoding: states, as: UTF8.self), config.output] {
                    #expect(!text.contains("t0ken"))
                }
            }
        }
    }

    @Test("A token that can't be read fails the sync, and no request is sent without it")
    func noToken() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["users.token_file": machine.file("nowhere")])
            let failure = try #require(try await machine.sync(.users).failure)
            #expect(failure.message.contains("there is no file"))
            #expect(failure.message.contains(machine.file("nowhere")))
            #expect(machine.upstream.requests(for: "/api") == 0)
        }
    }
}

extension Machine {
    var configuration: String { file("config/userd/config.yaml") }

    func writeConfiguration(_ text: String) throws {
        try FileManager.default.createDirectory(
            atPath: file("config/userd"), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration), options: .atomic)
    }
}

extension ChildProcess {
    /// Sends SIGHUP and waits for the words in the log.
    func reload(_ words: String) async throws {
        let before = bytes(.errors).count
        send(SIGHUP)
        try await line(containing: words, from: before)
    }
}

extension DemoUpstream {
    /// The distinct Authorization headers of the requests.
    var authorizations: Set<String> {
        Set(recentRequests.compactMap { $0.headers["authorization"] })
    }
}
