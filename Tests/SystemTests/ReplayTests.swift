import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("A replay in place of the upstreams", .timeLimit(.hang))
struct ReplayTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Recordings")

    @Test(
        "The repository's recording replays without a network to the same states and rows"
    )
    func kept() async throws {
        let (file, told) = (
            Self.folder.appending(path: "faults.har"), Self.folder.appending(path: "faults.ndjson")
        )
        try await onMachine { machine in
            if ProcessInfo.processInfo.environment["USERD_TEST_RECORD"] != nil {
                try await Data(machine.record(to: file.path, port: 18_080).told.utf8).write(to: told)
            }
            try await inNetworkNamespace { network in
                let playback = try await machine.replay(file.path, in: network)
                #expect(try playback.told == String(contentsOf: told, encoding: .utf8))
            }
        }
    }

    @Test("The repository's recording contains faults, and of each body only what userd reads")
    func content() throws {
        let data = try Data(contentsOf: Self.folder.appending(path: "faults.har"))
        let har = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let log = try #require(har["log"] as? [String: Any])
        let entries = try #require(log["entries"] as? [[String: Any]])
        let responses = entries.compactMap { $0["response"] as? [String: Any] }
        #expect(Set(responses.compactMap { $0["status"] as? Int }).isSuperset(of: [200, 302, 304, 429]))
        #expect(responses.contains { ($0["_failure"] as? [String: Any])?["kind"] as? String == "offline" })
        let text = String(decoding: data, as: UTF8.self)
        #expect(!text.contains(#/password|salt|md5|sha1|sha256|Server|current_page/#))
        #expect(text.contains("image/"))
        #expect(text.contains("gzip"))
        #expect(!text.contains("/tmp/"))
        #expect(data.count < 100_000)
    }

    @Test("A new recording replays at any speed to the same transitions and rows")
    func atOnce() async throws {
        try await onMachine { machine in
            let file = machine.file("a.har")
            let recorded = try await machine.record(to: file)
            try await inNetworkNamespace { network in
                for speed in ["0", "20"] {
                    let replayed = try await machine.replay(file, ["--replay-speed", speed], in: network)
                    #expect(replayed.told == recorded.told)
                }
            }
        }
    }

    @Test("A replay logs its start and its unused answers, and fails a request too many")
    func log() async throws {
        try await onMachine { machine in
            let file = Self.folder.appending(path: "faults.har").path
            let userd = try await machine.startUserd(arguments: ["--replay", file, "--paused"])
            try await userd.line(containing: "Replaying a recording")
            #expect(try await machine.sync(.users).failure?.kind == .rateLimited)
            #expect(try await machine.retry(.users).phase == .loaded)
            var last = try await machine.sync(.users)
            while last.phase != .error { last = try await machine.sync(.users) }
            let failure = try #require(last.failure)
            #expect(failure.kind == .replay && !failure.retryable)
            #expect(
                failure.message.contains("the recording has no answer to GET http://127.0.0.1:18080/api/"))
            #expect(failure.message.contains("answers have been used"))
            let result = try await machine.userctl(["sync", "users", "--wait"])
            #expect(result.code == 1)
            #expect(result.errors.contains("answers have been used"))
            userd.send(SIGTERM)
            try await userd.line(containing: "A part of the recording was not used")
            #expect(userd.text(.errors).contains("GET http://127.0.0.1:18080/facts?limit=100&page=1"))
            #expect(try await userd.ended() == .exited(0))
        }
    }

    @Test("A replay repeats the syncs that clients requested during a pause, also from a report")
    func asked() async throws {
        try await onMachine(users: 6) { machine in
            let file = machine.file("asked.har")
            let userd = try await machine.startUserd([
                "paused": "true", "record": file, "retry.base": "60s",
            ])
            try await machine.upstream.setFaults([
                Fault(.status(429, retryAfter: "60"), path: "/api", times: 1),
                Fault(.truncate, path: "/facts", times: 1),
            ])
            #expect(try await machine.sync(.users).phase == .error)
            #expect(try await machine.retry(.users).phase == .loaded)
            #expect(try await machine.sync(.facts).phase == .error)
            #expect(try await machine.retry(.facts).phase == .loaded)
            #expect(try await machine.userctl(["fact", "--new"]).code == 0)
            #expect(try await machine.sync(.users).phase == .loaded)
            #expect(try await machine.sync(.facts).phase == .loaded)
            let report = machine.file("report.har")
            #expect(try await machine.userctl(["report", report, "--with-data"]).code == 0)
            let recorded = try await told(machine)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))

            try await inNetworkNamespace { network in
                for file in [file, report] {
                    let userd = try await machine.startUserd(arguments: ["--replay", file], in: network)
                    try await userd.line(containing: "End of the recording")
                    let replayed = try await told(machine)
                    #expect(replayed.filter { !recorded.contains($0) } == [])
                    #expect(replayed.count == recorded.count)
                    userd.send(SIGTERM)
                    try await userd.line(containing: "The whole recording was used")
                    #expect(try await userd.ended() == .exited(0))
                }
            }
        }
    }

    @Test("A replay does not wait for syncs that are hours away, and ends paused")
    func impatient() async throws {
        try await onMachine(users: 6) { machine in
            let file = machine.file("a.har")
            var userd = try await machine.startUserd(["record": file, "users.pictures": "thumbnail"])
            try await userd.line(containing: "Pictures fetched")
            for _ in 0..<2 { _ = try await machine.sync(.users) }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            try await inNetworkNamespace { network in
                userd = try await machine.startUserd(arguments: ["--replay", file], in: network)
                try await userd.line(containing: "End of the recording")
                try await userd.line(containing: "Pictures fetched")
                let states = try await machine.call(.history, History(resource: .users, limit: 100)).states
                #expect(states.map(\.phase) == [.loaded, .syncing, .loaded, .syncing, .loaded, .syncing])
                #expect(try await machine.userctl(["status"]).output.contains("paused"))
                userd.send(SIGTERM)
                #expect(try await userd.ended() == .exited(0))
            }
        }
    }

    /// Each resource's transitions without their times, and the rows.
    private func told(_ machine: Machine) async throws -> [String] {
        var told: [String] = []
        for resource in Resource.allCases {
            let states = try await machine.call(.history, History(resource: resource, limit: 100)).states
            told += states.reversed().map {
                "\($0.resource) \($0.phase) \($0.cause) \($0.count) \($0.failure?.message ?? "")"
            }
        }
        let users = try await machine.userctl(["list", "--output", "ndjson"]).outputLines
        let facts = try await machine.userctl(["facts", "--output", "csv"]).output
            .split(whereSeparator: \.isNewline).map {
                $0.split(separator: ",").dropLast().joined(separator: ",")
            }
        return told + users + facts.sorted()
    }

    @Test("One sync is cancelled while another runs, and watchers are told")
    func cancelled() async throws {
        try await onMachine { machine in
            let file = Self.folder.appending(path: "faults.har").path
            // Slow enough to be cancelled in the middle.
            _ = try await machine.startUserd(
                arguments: ["--replay", file, "--paused", "--replay-speed", "0.001"])
            let watch = try machine.start(.userctl, ["watch", "--output", "ndjson"])
            try await watch.line(containing: "\"facts\"", in: .output)
            _ = try await machine.call(.sync, Sync(resources: [.users]))
            #expect(
                try await machine.call(.sync, Sync(resources: [.facts])).states.map(\.phase) == [.syncing])
            #expect(
                try await machine.call(.cancel, Cancel(resources: [.facts])).states.map(\.phase) == [.initial]
            )
            #expect(try await machine.state(of: .users).phase == .syncing)
            #expect(
                try await machine.call(.cancel, Cancel(resources: [.users])).states.map(\.phase) == [.initial]
            )
            for index in 1...4 { try await watch.line(containing: "\"index\":\(index),", in: .output) }
        }
    }

    @Test("A replay has its own cache, starts it empty, and leaves the upstreams' cache alone")
    func ownCache() async throws {
        try await onMachine { machine in
            let real = try await machine.startUserd(["paused": "true"])
            _ = try await machine.sync(.users)
            real.send(SIGTERM)
            try await real.ended()
            let before = try Data(contentsOf: URL(filePath: machine.database))
            let file = Self.folder.appending(path: "faults.har").path
            for _ in 0..<2 {
                let userd = try await machine.startUserd(arguments: ["--replay", file, "--paused"])
                #expect(try await machine.state(of: .users).phase == .initial)
                #expect(try await machine.sync(.users).index == 2)
                userd.send(SIGTERM)
                try await userd.ended()
            }
            #expect(try Data(contentsOf: URL(filePath: machine.database)) == before)
            #expect(FileManager.default.fileExists(atPath: machine.cacheDirectory + "/replay.db"))
        }
    }

    @Test("An invalid recording is refused at the start and by --check-config, with the reason")
    func refused() async throws {
        try await onMachine { machine in
            func write(_ name: String, _ text: String) throws -> String {
                try Data(text.utf8).write(to: URL(filePath: machine.file(name)))
                return machine.file(name)
            }
            let whole = try String(contentsOf: Self.folder.appending(path: "faults.har"), encoding: .utf8)
            let other = whole.replacing("\"users.page_size\":\"6\"", with: "\"users.page_size\":\"none\"")
                .replacing("\"users.page_size\": \"6\"", with: "\"users.page_size\": \"none\"")
            try #require(other != whole)
            let cases = [
                (try write("cut.har", String(whole.dropLast(whole.count / 2))), "not valid JSON"),
                (try write("list.har", "[]"), "list.har: "),
                (machine.file("none.har"), "cannot be read: No such file or directory"),
                (try write("other.har", other), "other.har: users.page_size: \"none\" is not a whole number"),
            ]
            for (file, words) in cases {
                for command in [["--replay", file], ["--replay", file, "--check-config"]] {
                    let finished = try await run(
                        Program.userd.path, command, environment: machine.environment)
                    #expect(finished.code == 64, "\(command)")
                    #expect(finished.errors.contains(words), "\(command): \(finished.errors)")
                }
            }
            let file = Self.folder.appending(path: "faults.har").path
            let upstream = try await run(
                Program.userd.path, ["--replay", file, "--check-upstream"], environment: machine.environment)
            #expect(upstream.code == 64)
            #expect(upstream.errors.contains("userd asks no upstream: the setting replay replaces them"))
            let both = try await run(
                Program.userd.path, ["--replay", file, "--record", machine.file("b.har")],
                environment: machine.environment)
            #expect(both.code == 64)
            #expect(both.errors.contains("--replay: conflicts with record"))
            #expect(!FileManager.default.fileExists(atPath: machine.cacheDirectory))
        }
    }

    @Test("A recording without an exchange is reported at the start and by each sync")
    func empty() async throws {
        try await onMachine { machine in
            let file = machine.file("empty.har")
            try Data(#"{"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[]}}"#.utf8)
                .write(to: URL(filePath: file))
            let userd = try await machine.startUserd(arguments: ["--replay", file, "--paused"])
            let warning = try await userd.line(containing: "holds no HTTP exchange")
            #expect(warning.contains(" warning ") && warning.contains("file=\(file)"))
            let result = try await machine.userctl(["sync", "users", "--wait"])
            #expect(result.code == 1)
            let told = try #require(result.errorLines.first)
            #expect(told.contains("the recording has no answer to GET https://randomuser.me/api/"))
            #expect(told.contains(": it holds no exchanges over HTTP; record again, or name another"))
            #expect(told.hasSuffix("(replay)"))
        }
    }

    @Test("A browser's recording replays, whatever else the browser requested")
    func browser() async throws {
        try await onMachine { machine in
            func entry(_ url: String, _ text: String, method: String = "GET") -> [String: Any] {
                [
                    "startedDateTime": "2026-01-02T03:04:05.678+01:00", "time": 12.5,
                    "request": [
                        "method": method, "url": url, "httpVersion": "HTTP/2", "cookies": [],
                        "headersSize": 9,
                        "headers": [["name": ":authority", "value": "x"]], "queryString": [], "bodySize": 0,
                    ] as [String: Any],
                    "response": [
                        "status": 200, "statusText": "", "httpVersion": "HTTP/2", "cookies": [],
                        "headers": [["name": "content-encoding", "value": "br"]], "redirectURL": "",
                        "content": ["size": text.utf8.count, "mimeType": "application/json", "text": text]
                            as [String: Any],
                        "headersSize": -1, "bodySize": -1,
                    ] as [String: Any],
                    "cache": [String: Any](), "timings": ["send": 0, "wait": 12.5, "receive": 0],
                ]
            }
            let users = String(
                decoding: try await fetchBody(
                    port: machine.upstream.port, "/api/?results=2&nat=us&seed=999&page=1"), as: UTF8.self)
            let facts =
                #"{"current_page":1,"data":[{"fact":"Cats purr.","length":10}],"last_page":1,"total":1}"#
            let har: [String: Any] = [
                "log": [
                    "version": "1.2", "creator": ["name": "Firefox", "version": "140"],
                    "entries": [
                        entry("https://tracker.example/collect?x=1", "", method: "POST"),
                        entry("https://catfact.ninja/facts?limit=100&page=1", facts),
                        entry("https://randomuser.me/api/?seed=999&page=1&nat=us&results=2", users),
                        entry("https://randomuser.me/favicon.ico", "x"),
                    ],
                ] as [String: Any]
            ]
            let file = machine.file("browser.har")
            try JSONSerialization.data(withJSONObject: har).write(to: URL(filePath: file))
            try await inNetworkNamespace { network in
                let userd = try await machine.startUserd(
                    arguments: ["--replay", file, "--paused", "--users-page-size", "2"], in: network)
                #expect(try await machine.sync(.users).count == 2)
                let state = try await machine.sync(.facts)
                #expect(state.count == 1)
                userd.send(SIGTERM)
                try await userd.line(containing: "left=2")
                #expect(try await userd.ended() == .exited(0))
            }
        }
    }
}
