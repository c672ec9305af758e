import DemoUpstream
import Foundation
import Glibc
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI

@Suite("userctl report", .timeLimit(.hang))
struct ReportTests {
    /// The report's content about userd, and the number of its exchanges.
    private func read(_ path: String) throws -> (told: [String: Any], entries: Int, text: String) {
        let data = try Data(contentsOf: URL(filePath: path))
        let har = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let log = try #require(har["log"] as? [String: Any])
        return (
            try #require(log["_userd"] as? [String: Any]), try #require(log["entries"] as? [Any]).count,
            String(decoding: data, as: UTF8.self)
        )
    }

    private func transitions(_ machine: Machine) async throws -> [String] {
        let states = try await machine.call(.history, History(limit: 100)).states.reversed()
        return states.map { "\($0.resource) \($0.phase) \($0.cause) \($0.count)" }.sorted()
    }

    @Test(
        "A report on a running userd contains its current recording, and replays without a network"
    )
    func whole() async throws {
        try await onMachine(users: 20) { machine in
            let (report, log) = (machine.file("bug.har"), machine.file("userd.log"))
            try Data("canary-of-the-token".utf8).write(to: URL(filePath: machine.file("token")))
            let settings = [
                "record": "recorded.har", "users.token_file": machine.file("token"), "paused": "true",
                "users.query": "seed=system&api_key=canary-of-the-key",
            ]
            try await machine.upstream.setFaults([
                Fault(.status(429, retryAfter: "1"), path: "/facts", times: 1)
            ])
            // Run by hand: in a folder of its own, with the log in a file.
            let command = ([Program.userd.path] + machine.arguments(settings)).map { "'\($0)'" }.joined(
                separator: " ")
            let userd = try machine.start(
                "/bin/sh", ["-c", "cd '\(machine.file("run"))' && exec \(command) 2>'\(log)'"])
            try await wait { try await machine.userctl(["status"]).errors == "" }
            #expect(try await machine.sync(.users).phase == .loaded)
            #expect(try await machine.sync(.facts).phase == .error)
            #expect(try await machine.retry(.facts).phase == .loaded)
            let before = try await transitions(machine)

            let finished = try await machine.userctl(["report", report, "--with-data"])
            #expect(finished.code == 0, "\(finished.errors)")
            #expect(finished.output == report + "\n")
            #expect(finished.errors.contains("the recording \(machine.file("run"))/recorded.har"))
            let (told, entries, text) = try read(report)
            #expect(entries == 3)
            #expect((told["states"] as? [Any])?.count == 2)
            #expect((told["history"] as? [Any])?.count == before.count)
            let lines = (told["log"] as? [String: Any])?["lines"] as? [String]
            #expect(lines?.contains { $0.contains("Starting") } == true)
            let printed = told["printed_settings"] as? [String]
            #expect(printed?.contains { $0.contains("api_key=REDACTED") } == true)
            #expect(!text.contains("canary"))
            var status = stat()
            #expect(stat(report, &status) == 0 && status.st_mode & 0o777 == 0o600)
            let itself = try await machine.userctl(["report", machine.file("run/recorded.har")])
            #expect(itself.code == 64)
            #expect(itself.errors.contains("recorded.har already exists"))
            userd.send(SIGTERM)
            try await userd.ended()

            try await inNetworkNamespace { network in
                let replay = try await machine.startUserd(arguments: ["--replay", report], in: network)
                try await replay.line(containing: "End of the recording")
                #expect(try await transitions(machine) == before)
                replay.send(SIGTERM)
                try await replay.ended()
            }
        }
    }

    @Test("A report without data has the shape of upstream's list, and nothing of thirty people")
    func anonymous() async throws {
        let people = (0..<30).map { number in
            """
            {"id": "canary-\(number)", "userName": "canary.\(number)@corp.example", "title": "Canary of the \(number)th",
            "name": {"givenName": "Cänary\(number)", "familyName": "Kanarienvogel"},
            "phoneNumbers": [{"value": "+4179202\(1000 + number)"}], "active": true}
            """
        }
        let isRefused = Mutex(false)
        let server = try RawServer { connection in
            let head = connection.readHead()
            let isList = head.contains("/Users") && head.contains("startIndex=1&")
            let isRefused = isRefused.withLock { $0 }
            let body =
                isRefused
                ? #"{"detail": "Cänary1 Kanarienvogel, +41792021001, is no reader", "status": "403"}"#
                : isList
                    ? #"{"totalResults": 30, "Resources": [\#(people.joined(separator: ","))]}"#
                    : #"{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"]}"#
            connection.send(
                "HTTP/1.1 \(isRefused ? "403 No" : isList || head.contains("/ServiceP") ? "200 OK" : "404 None")\r\nContent-Type: application/scim+json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        }
        try await onMachine { machine in
            let log = machine.file("userd.log")
            let settings = [
                "users.format": "scim", "users.url": server.url("/kanarienvogel/Users").absoluteString,
                "users.query": "name=canary", "paused": "true",
                "record": machine.file("canary.har"), "log_level": "trace", "users.basic.user": "canary",
                "users.basic.password_file": machine.file("canary-password"),
            ]
            try FileManager.default.createDirectory(
                atPath: machine.file("config/userd"), withIntermediateDirectories: true)
            try Data("users: {skip: {/title: Canary}}".utf8).write(
                to: URL(filePath: machine.file("config/userd/config.yaml")))
            try Data("canary-of-the-password".utf8).write(to: URL(filePath: machine.file("canary-password")))
            let command = ([Program.userd.path] + machine.arguments(settings)).map { "'\($0)'" }.joined(
                separator: " ")
            _ = try machine.start("/bin/sh", ["-c", "exec \(command) 2>'\(log)'"])
            try await wait { try await machine.userctl(["status"]).errors == "" }
            #expect(try await machine.sync(.users).count == 30)
            isRefused.withLock { $0 = true }
            #expect(try await machine.sync(.users).failure?.message.contains("Kanarienvogel") == true)

            let finished = try await machine.userctl(["report", "-", "--check-upstream"])
            #expect(finished.code == 0, "\(finished.errors)")
            #expect(finished.output.hasPrefix("{\n  \"summary\": ["))
            let forms = ["canary", "cänary", "kanarienvogel", "79202"].flatMap { word in
                [
                    word, Data(word.utf8).base64EncodedString().prefix(5).lowercased(),
                    word.addingPercentEncoding(withAllowedCharacters: .lowercaseLetters) ?? "",
                    word.map { "\($0)\\u0000" }.joined(),
                ]
            }
            let text = finished.output.lowercased()
            #expect(forms.filter(text.contains) == [])
            let report = try #require(
                JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any])
            let list = try #require(report["last_list"] as? [String: Any])
            #expect(list["surveyed"] as? Int == 30)
            let phones = (list["fields"] as? [String: Any])?["phones"] as? [String: Any]
            #expect(phones?["found"] as? Int == 30)
            let page = (list["pages"] as? [[String: Any]])?.first
            #expect(page?["status"] as? Int == 403 && page?["end"] as? String == "http")
            #expect(
                (report["states"] as? [Any])?.count == 2 && (report["checks"] as? [Any])?.isEmpty == false)
        }
    }

    @Test("Of a file that other programs of the session write to, a report has userd's lines alone")
    func sharedLog() async throws {
        try await onMachine(users: 20) { machine in
            let log = machine.file("xsession-errors")
            let others =
                "canary of a mail client\n2026-01-02T03:04:05+0000 info other: canary\n\ncanary userd: x\n"
            try Data(others.utf8).write(to: URL(filePath: log))
            let command = ([Program.userd.path] + machine.arguments()).map { "'\($0)'" }.joined(
                separator: " ")
            _ = try machine.start("/bin/sh", ["-c", "exec \(command) 2>>'\(log)'"])
            try await wait { try await machine.userctl(["status"]).errors == "" }
            let finished = try await machine.userctl(["report", machine.file("a.har"), "--with-data"])
            #expect(finished.code == 0, "\(finished)")
            let (told, _, text) = try read(machine.file("a.har"))
            let lines = (told["log"] as? [String: Any])?["lines"] as? [String]
            #expect(lines?.contains { $0.contains("Starting") } == true)
            #expect(!text.contains("canary"))
            let named = try await machine.userctl([
                "report", machine.file("b.har"), "--with-data", "--log", log,
            ])
            #expect(named.code == 0, "\(named)")
            #expect(try read(machine.file("b.har")).text.contains("canary of a mail client"))
        }
    }

    @Test("A report without userd, recording or cache contains what there is, and names what is missing")
    func parts() async throws {
        try await onMachine(users: 20) { machine in
            var report = machine.file("nothing.har")
            let nothing = try await machine.userctl(["report", report, "--with-data"])
            #expect(nothing.code == 0)
            #expect(nothing.errors.contains("no recording"))
            #expect(nothing.errors.contains("there is no cache"))
            #expect((try read(report).told["states"] as? [Any])?.isEmpty == true)

            report = machine.file("running.har")
            let userd = try await machine.startUserd(["paused": "true"])
            _ = try await machine.sync(.users)
            let running = try await machine.userctl(["report", report, "--with-data"])
            #expect(running.code == 0)
            #expect(running.errors.contains("without a recording"))
            #expect(try read(report).entries == 0)
            // The setting is in the file, but userd was not restarted.
            try FileManager.default.createDirectory(
                atPath: machine.file("config/userd"), withIntermediateDirectories: true)
            try Data("record: \(machine.file("later.har"))".utf8).write(
                to: URL(filePath: machine.file("config/userd/config.yaml")))
            report = machine.file("later-report.har")
            let later = try await machine.userctl(["report", report, "--with-data"])
            #expect(later.code == 0)
            #expect(later.errors.contains("userd was started without the setting record"))
            userd.send(SIGTERM)
            try await userd.ended()
            let played = try await run(
                Program.userd.path, ["--replay", report, "--record", "", "--check-config"],
                environment: machine.environment)
            #expect(played.code == 0, "\(played.errors)")

            let cached = try await machine.userctl(["report", "-", "--with-data"])
            #expect(cached.code == 0)
            #expect(cached.output.contains("\"phase\":\"loaded\""))
            #expect(cached.errors.contains("userd is not running"))
        }
    }

    @Test("report takes the file's name also as -o, like picture")
    func output() async throws {
        try await onMachine { machine in
            let report = machine.file("bug.har")
            let finished = try await machine.userctl(["report", "-o", report])
            #expect(finished.code == 0, "\(finished.errors)")
            #expect(finished.output == report + "\n")
            #expect(FileManager.default.fileExists(atPath: report))
            let both = try await machine.userctl(["report", "a.har", "--output", "b.har"])
            #expect(both.code == 64)
            #expect(both.errors.contains("--output and FILE can't be combined"), "\(both.errors)")
        }
    }

    @Test("report refuses an invalid recording or log, and leaves no file")
    func refused() async throws {
        try await onMachine { machine in
            let report = machine.file("bug.har")
            try Data("[]".utf8).write(to: URL(filePath: machine.file("list.har")))
            let cases = [
                (["--recording", machine.file("list.har")], "list.har: expected an object, found a list"),
                (["--recording", "/dev/zero"], "/dev/zero: is not a regular file"),
                (["--recording", machine.file("none.har")], "none.har: cannot be read: No such file"),
                (["--log", machine.file("run")], "run is a directory"),
                (["--recording", "a", "--no-recording"], "can't be combined"),
            ]
            for (arguments, words) in cases {
                let finished = try await machine.userctl(["report", report] + arguments)
                #expect(finished.code == 64, "\(arguments)")
                #expect(finished.errors.contains(words), "\(finished.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: report))
        }
    }

    @Test("A report on a sandboxed userd is as complete")
    func service() async throws {
        try await onUserManager(users: 20) { manager in
            let home = try await manager.run("/bin/sh", ["-c", "cd; pwd"]).output.split(separator: "\n")[0]
            try await manager.installUnits([
                "paused": "true", "record": "\(home)/.cache/userd/recorded.har",
            ])
            try await manager.systemctl("start", "userd.service")
            #expect(try await manager.userctl("sync", "--wait").code == 0)
            let finished = try await manager.userctl("report", "-", "--with-data")
            #expect(finished.code == 0, "\(finished.errors)")
            let har = try #require(
                JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any])
            let log = try #require(har["log"] as? [String: Any])
            #expect((log["entries"] as? [Any])?.count == 2, "\(finished.errors)")
            let told = try #require(log["_userd"] as? [String: Any])
            #expect((told["states"] as? [Any])?.count == 2)
            #expect(!finished.errors.contains("not written"))
        }
    }

    @Test("Without a name report names the file after the time, and replaces no file")
    func unnamed() async throws {
        try await onMachine { machine in
            let folder = machine.file("reports")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            var names: [String] = []
            for _ in 1...3 {
                let report = try await run(
                    "/usr/bin/env", ["-C", folder, Program.userctl.path, "report"],
                    environment: machine.environment)
                #expect(report.code == 0, "\(report.errors)")
                names.append(contentsOf: report.outputLines)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names.sorted())
            #expect(Set(names).count == 3)
            for name in names {
                #expect(try #/userd-report-\d{8}-\d{6}(-[23])?\.json/#.wholeMatch(in: name) != nil, "\(name)")
            }
        }
    }
}
