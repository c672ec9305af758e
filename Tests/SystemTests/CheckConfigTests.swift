import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("--check-config and the credential for the token", .timeLimit(.hang))
struct CheckConfigTests {
    /// Arguments of a shell that becomes userd as systemd starts it.
    private let asService = ["-c", "SYSTEMD_EXEC_PID=$$ exec \"$0\" \"$@\"", Program.userd.path]

    private func check(
        _ machine: Machine, _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> Finished {
        // As if there were no session.
        let mine = machine.environment.filter { $0.key != "XDG_RUNTIME_DIR" }
        return try await run(
            "/bin/sh", asService + ["--check-config"] + arguments,
            environment: mine.merging(environment) { $1 })
    }

    @Test("--check-config says that the settings are valid, and starts nothing")
    func valid() async throws {
        try await onMachine { machine in
            let none = try await check(machine)
            #expect((none.code, none.errors) == (0, ""))
            #expect(none.output == "configuration is valid: no file\n")
            try machine.writeConfiguration("users:\n  page_size: 7\npaused: true\n")
            let two = try await check(machine, ["--users-pages", "3"])
            #expect((two.code, two.errors) == (0, ""))
            #expect(two.output == "configuration is valid: \(machine.configuration) (2 settings)\n")
            #expect(!FileManager.default.fileExists(atPath: machine.cacheDirectory))
        }
    }

    @Test(
        "--check-config warns of words that make no address book, which once were accepted",
        arguments: [
            ("-", "carddav.search has no letter and no digit"),
            ((1...17).map { "w\($0)" }.joined(separator: " "), "carddav.search has more than 16 words"),
            ("Ann", nil),
        ])
    func searchOfBook(words: String, warning: String?) async throws {
        try await onMachine { machine in
            try machine.writeConfiguration("carddav:\n  search: \"\(words)\"\n")
            let finished = try await check(machine)
            #expect(finished.code == 0, "\(finished.errors)")
            #expect(
                finished.errors
                    == (warning.map { "userd: warning: \($0): there is no address book\n" } ?? ""))
        }
    }

    @Test("--check-config prints each mistake and warning on a line, and ends with 64")
    func mistakes() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration("users:\n  page_size: 0\n  intervall: 5min\n")
            let finished = try await check(
                machine, environment: ["USERD_HTTP_DEADLINE": "soon", "USERD_PAUSD": "1"])
            #expect(finished.code == 64)
            #expect(finished.output == "")
            let lines = finished.errorLines
            #expect(lines.count == 4)
            #expect(
                lines[0].hasPrefix("userd: warning: the environment variable USERD_PAUSD is not a setting"))
            #expect(
                lines[1].hasPrefix(
                    "userd: \(machine.configuration):2: users.page_size: \"0\" is out of range"))
            #expect(
                lines[2]
                    == "userd: \(machine.configuration):3: users.intervall: is not a setting; did you mean users.interval?"
            )
            #expect(lines[3].hasPrefix("userd: USERD_HTTP_DEADLINE: \"soon\" is not a duration"))
        }
    }

    @Test("userctl checks the columns of its tables, and a reload accepts them")
    func columns() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration("columns: [name, emial]\n")
            let place = "\(machine.configuration):1: columns: "
            let list = try await machine.userctl(["list"])
            #expect(list.code == 64)
            #expect(list.errors.hasPrefix("userctl: \(place)unknown column “emial”; did you mean email?"))

            try machine.writeConfiguration("columns: [name, age]\n")
            let userd = try await machine.startUserd(["paused": "true"])
            #expect(try await machine.sync(.users).phase == .loaded)
            #expect(try await machine.userctl(["list"]).outputLines[0].hasSuffix("  Age"))
            try machine.writeConfiguration("columns: city, name.first\n")
            try await userd.reload("Settings read again")
            #expect(try await machine.userctl(["list"]).outputLines[0].hasPrefix("City"))
        }
    }

    @Test("--check-config checks a named file instead of the usual one")
    func otherFile() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration("nonsense: 1\n")
            let path = machine.file("draft.yaml")
            try Data("paused: true\n".utf8).write(to: URL(fileURLWithPath: path))
            let finished = try await check(machine, [path])
            #expect((finished.code, finished.output) == (0, "configuration is valid: \(path) (1 setting)\n"))
            let missing = try await check(machine, [machine.file("nowhere.yaml")])
            #expect(missing.code == 64)
            #expect(missing.errors.contains("there is no file"))

            // As userctl checks what it would write: beside the machine's file, whose half of a setting is enough.
            let machines = machine.file("etc/userd/config.yaml")
            try FileManager.default.createDirectory(
                atPath: machine.file("etc/userd"), withIntermediateDirectories: true)
            try Data("users: {url: \"https://a.test/\", basic: {user: a}}\n".utf8).write(
                to: URL(fileURLWithPath: machines))
            try Data("users: {token_file: /t}\n".utf8).write(to: URL(fileURLWithPath: path))
            let environment = ["XDG_CONFIG_DIRS": machine.file("etc")]
            #expect(
                try await check(machine, [path], environment: environment).errors.contains(
                    "also needs users.url"))
            let beside = try await check(
                machine, [path, "--with-machine-config"], environment: environment)
            #expect(beside.code == 64 && beside.errors.contains("conflicts with"), "\(beside)")
        }
    }

    @Test("Folders that systemd gave to another service, which has started userd or userctl, are not taken")
    func foreignFolders() async throws {
        try await onMachine { machine in
            let names = ["CACHE_DIRECTORY", "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY"]
            let foreign = machine.file("foreign")
            try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: false)
            try Data("canary".utf8).write(to: URL(filePath: foreign + "/users-token"))
            let environment = machine.environment.merging(names.map { ($0, foreign) }) { $1 }
            let print = ["--print-config", "--users-url", "https://users.example/"]
            for other in [[:], ["SYSTEMD_EXEC_PID": "1"]] {
                let printed = try await run(
                    Program.userd.path, print, environment: environment.merging(other) { $1 })
                #expect(printed.code == 0 && !printed.output.contains(foreign), "\(printed)")
            }
            let own = try await run("/bin/sh", asService + print, environment: environment)
            #expect(own.output.contains("database: \"\(foreign)/userd.db\""), "\(own)")
            #expect(own.output.contains("token_file: \"\(foreign)/users-token\""), "\(own)")
            let list = try await run(Program.userctl.path, ["list"], environment: environment)
            #expect(list.errors.contains("there is no cache at \(machine.database)"), "\(list)")
        }
    }

    @Test("The token of the credential users-token reaches the upstream, and appears nowhere else")
    func credential() async throws {
        try await onMachine { machine in
            let directory = machine.file("credentials")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let path = directory + "/users-token"
            try Data("canary-of-the-credential\n".utf8).write(to: URL(fileURLWithPath: path))
            chmod(path, 0o400)
            let manager = try NotifySocket(machine.file("notify"))
            let environment = [
                "CREDENTIALS_DIRECTORY": directory, "USERD_USERS_URL": "https://users.example/",
            ]

            let userd = try machine.start(
                "/bin/sh", asService + machine.arguments(["log_level": "trace"]),
                environment: environment.merging(["NOTIFY_SOCKET": manager.name]) { $1 })
            try await manager.next(with: "READY=1")
            #expect(try await machine.sync(.users).phase == .loaded)
            #expect(machine.upstream.authorizations == ["Bearer canary-of-the-credential"])
            try await machine.upstream.setFaults([Fault(.status(401), path: "/api")])
            #expect(try await machine.sync(.users).phase == .error)
            try await userd.reload("Settings read again")
            userd.send(SIGTERM)
            var told = ""
            while !told.contains("STOPPING=1") { told += try await manager.next().joined() }
            try await userd.ended()

            let printed = try await run(
                "/bin/sh", asService + ["--print-config"],
                environment: machine.environment.merging(environment) { $1 })
            #expect(printed.outputLines.contains("  token_file: \"\(path)\"  # credential users-token"))
            let checked = try await check(machine, environment: environment)
            #expect((checked.code, checked.errors) == (0, ""))
            let elsewhere = try await check(machine, environment: ["CREDENTIALS_DIRECTORY": directory])
            #expect(elsewhere.errors.contains("the credential users-token is not used"))
            let unwritten = try await run(
                "/bin/sh", ["-c", "\"$0\" --default-config >/dev/full 2>&-", Program.userd.path],
                environment: machine.environment)
            #expect(unwritten.code == 74)
            let texts = [userd.text(.errors), userd.text(.output), told, printed.output, checked.output]
            #expect(!texts.joined().contains("canary"))
            #expect(!userd.text(.errors).contains("chmod"))
            for name in try FileManager.default.contentsOfDirectory(atPath: machine.cacheDirectory) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: machine.cacheDirectory + "/" + name))
                #expect(bytes.range(of: Data("canary-of-the-credential".utf8)) == nil)
            }
        }
    }
}
