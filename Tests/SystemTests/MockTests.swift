import Foundation
import Glibc
import Model
import TestSupport
import Testing
import Upstream
import UserdAPI

/// Each test runs in a network with only a loopback interface that is down.
@Suite("userd on a mock", .timeLimit(.hang))
struct MockTests {
    private func onMock(
        _ mock: String, _ settings: [String] = [],
        _ body: @escaping @Sendable (Machine, ChildProcess) async throws -> Void
    ) async throws {
        try await onMachine { machine in
            try await inNetworkNamespace { network in
                let userd = try await machine.startUserd(
                    arguments: ["--mock", mock, "--retry-base", "10min", "--log-level", "debug"] + settings,
                    in: network)
                let warning = try await userd.line(containing: "mock=\(mock)")
                #expect(warning.contains("warning") && warning.contains("A mock replaces the upstreams"))
                try await body(machine, userd)
            }
        }
    }

    @Test("doctor reports a mock, a replay, or a real upstream")
    func doctor() async throws {
        try await onMock("empty") { machine, _ in
            let check = try await DoctorReport(
                machine.userctl(["doctor", "--offline", "--output", "json"]).output)["daemon.stand-in"]
            #expect(check?.status == "warning")
            #expect(check?.found == "userd serves the mock empty instead of its upstreams")
            #expect(check?.advice == ["start userd without the setting mock"])
        }
        try await onMachine { machine in
            func check() async throws -> DoctorReport.Check? {
                try await DoctorReport(
                    machine.userctl(["doctor", "--offline", "--output", "json"]).output)["daemon.stand-in"]
            }
            #expect(try await check()?.found == "userd does not answer")
            let (recording, settings) = (machine.file("a.har"), ["paused": "true"])
            var userd = try await machine.startUserd(settings.merging(["record": recording]) { $1 })
            #expect(try await check()?.status == "ok")
            _ = try await machine.sync(.users)
            userd.send(SIGTERM)
            try await userd.ended()
            userd = try machine.start(.userd, [], environment: ["USERD_REPLAY_RESPONSES": recording])
            try await userd.line(containing: "Listening")
            #expect(try await check()?.found.contains("the recording \(recording) instead") == true)
        }
    }

    @Test("With the mock data all commands show the samples")
    func data() async throws {
        try await onMock("data", ["--users-pictures", "all"]) { machine, userd in
            let loaded = try await machine.userctl(["wait", "--for", "loaded", "--timeout", "30s"])
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try await machine.transitions(.users) == ["syncing", "loaded"])
            #expect(try await machine.transitions(.facts) == ["syncing", "loaded"])
            #expect(try await Set(machine.users()) == Set(User.samples))

            try await userd.line(containing: "Pictures fetched")
            #expect(try await machine.userctl(["sync", "--wait"]).code == 0)
            #expect(
                try await machine.transitions(.users)
                    == ["syncing", "loaded", "syncing", "loaded"])
            for (command, words) in [
                ("list", "Nichols, Jennie"), ("status", "loaded"), ("show bigswan571", "Billings"),
                ("facts", "clowder"), ("history", "committed: \(User.samples.count) added"),
                ("search मुंबई", "क्षितिज"),
            ] {
                let result = try await machine.userctl(command.split(separator: " ").map(String.init))
                #expect(result.code == 0 && result.output.contains(words), "\(command): \(result)")
            }
        }
    }

    @Test("With the mock data no sample sends control sequences to the terminal")
    func hostile() async throws {
        try await onMock("data") { machine, _ in
            #expect(try await machine.userctl(["wait", "--timeout", "30s"]).code == 0)
            let hostile = try #require(User.samples.first { $0.id.hasPrefix("sample-hostile") })
            for command in [["list", "--all"], ["show", hostile.id], ["facts"], ["status"], ["history"]] {
                let result = try await machine.userctl(command)
                #expect(result.code == 0, "\(command): \(result)")
                let obeyed = (result.output + result.errors).unicodeScalars.filter {
                    !["\n", "\u{2068}", "\u{2069}", "\u{200D}", "\u{200B}"].contains($0)
                        && [.control, .format, .lineSeparator].contains($0.properties.generalCategory)
                }
                #expect(obeyed.isEmpty, "\(command)")
            }
            #expect(try await machine.userctl(["list", "--all"]).output.contains(#"\u{1B}]0;owned"#))
            #expect(try await machine.userctl(["facts"]).output.contains(#"\u{1B}]0;types"#))
        }
    }

    @Test("With the mock data each size of a picture is a file, and a user without one gets none")
    func pictures() async throws {
        try await onMock("data") { machine, _ in
            #expect(try await machine.userctl(["wait", "--timeout", "30s"]).code == 0)
            for size in PictureSize.allCases {
                let file = machine.file("\(size).png")
                let arguments = ["picture", "bigswan571", "--size", size.rawValue, "--output", file]
                let written = try await machine.userctl(arguments)
                #expect(written.code == 0 && written.errors == "", "\(written)")
                let content = try Data(contentsOf: URL(fileURLWithPath: file))
                #expect(content == Data(FetchedPicture.sample(size).content))
            }
            for id in ["sample-unpictured", "sample-bare"] {
                let file = machine.file("none.png")
                let none = try await machine.userctl(["picture", id, "--output", file])
                #expect(none.code == 1 && none.errors.contains("nothing was written"), "\(none)")
                #expect(!FileManager.default.fileExists(atPath: file))
            }
        }
    }

    @Test("With the mock data each new fact is the next sample")
    func facts() async throws {
        try await onMock("data", ["--paused"]) { machine, _ in
            for text in Fact.sampleTexts + Fact.sampleTexts.prefix(1) {
                let reply = try await machine.call(.fetchFact, NoParameters())
                #expect(reply.fact.text == text)
            }
            let facts = try await machine.call(.listFacts, ListFacts()).facts
            #expect(Set(facts.map(\.text)) == Set(Fact.sampleTexts))
        }
    }

    @Test("The mock empty leads to the phase empty without a failure")
    func empty() async throws {
        try await onMock("empty", ["--paused"]) { machine, _ in
            let sync = try await machine.userctl(["sync", "--wait"])
            #expect(sync.code == 0 && sync.output.contains("empty"), "\(sync)")
            #expect(try await machine.transitions(.users) == ["syncing", "empty"])
            #expect(try await machine.transitions(.facts) == ["syncing", "empty"])
            let list = try await machine.userctl(["list"])
            #expect(list.code == 0 && list.errors.contains("upstream has none"), "\(list)")
            #expect(try await machine.userctl(["status"]).output.contains("empty"))
            #expect(try await machine.userctl(["show", "ada"]).code == 1)
            #expect(try await machine.userctl(["picture", "ada"]).code == 1)
            #expect(try await machine.userctl(["fact"]).code == 1)
            let fact = try await machine.userctl(["fact", "--new"])
            #expect(fact.code == 1 && fact.errors.contains("the mock upstream has no fact"), "\(fact)")
        }
    }

    @Test("The mock error fails like a missing network, names itself, and is retried")
    func error() async throws {
        try await onMock("error") { machine, _ in
            let failed = try await machine.userctl(["wait", "--for", "error", "--timeout", "30s"])
            #expect(failed.code == 0, "\(failed)")
            let state = try await machine.state(of: .users)
            #expect(state.failure?.kind == .offline && state.failure?.retryable == true)
            #expect(state.nextSyncAt.map { $0 > state.since } == true)
            let watch = try machine.start(.userctl, ["watch", "users"])
            try await watch.line(containing: "error", in: .output)
            let offset = watch.bytes(.output).count
            let retry = try await machine.userctl(["retry", "--wait"])
            #expect(retry.code == 1, "\(retry)")
            #expect(retry.errors.contains("users: the mock upstream fails"), "\(retry)")
            try await watch.line(containing: "syncing", in: .output, from: offset)
            try await watch.line(containing: "error", in: .output, from: offset)
            #expect(
                try await machine.transitions(.users) == ["syncing", "error", "syncing", "error"])
            let list = try await machine.userctl(["list"])
            #expect(list.code == 0 && list.errors.contains("the first sync failed"), "\(list)")
            #expect(try await machine.userctl(["status"]).output.contains("the mock upstream fails"))
        }
    }

    @Test("The mock hang syncs until it is cancelled or userd ends")
    func hang() async throws {
        try await onMock("hang") { machine, userd in
            let syncing = try await machine.userctl(["wait", "--for", "syncing", "--timeout", "30s"])
            #expect(syncing.code == 0, "\(syncing)")
            #expect(try await machine.userctl(["wait", "--for", "loaded", "--timeout", "0.5"]).code == 75)
            #expect(try await machine.userctl(["status"]).output.contains("syncing"))
            let list = try await machine.userctl(["list"])
            #expect(list.code == 0 && list.errors.contains("the first sync is running"), "\(list)")

            #expect(try await machine.userctl(["cancel", "users"]).code == 0)
            #expect(try await machine.transitions(.users) == ["syncing", "initial"])
            #expect(try await machine.state(of: .facts).phase == .syncing)
            let waiting = try machine.start(.userctl, ["sync", "users", "--wait"])
            let watch = try machine.start(.userctl, ["watch", "users", "--since", "0"])
            try await watch.line(containing: "cancelled", in: .output)
            try await watch.line(
                containing: "syncing", in: .output, from: watch.bytes(.output).count(upTo: "cancelled"))
            userd.send(SIGTERM)
            #expect(try await userd.ended(within: .seconds(40)) == .exited(0))
            #expect(try await waiting.ended() == .exited(69))
        }
    }

    @Test("A mock starts with an empty cache of its own, and lasts until userd ends")
    func start() async throws {
        try await onMachine { machine in
            let directory = machine.file("config/userd")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            func configure(_ mock: String) throws {
                let file = URL(fileURLWithPath: directory + "/config.yaml")
                try Data("mock: \(mock)\npaused: true\n".utf8).write(to: file)
            }
            try configure("data")
            let first = try await machine.startUserd(arguments: [])
            #expect(try await machine.sync(.users).count == User.samples.count)
            try configure("empty")
            first.send(SIGHUP)
            try await first.line(containing: "need a restart of userd")
            #expect(try await machine.sync(.users).count == User.samples.count)
            first.send(SIGTERM)
            try await first.ended()

            _ = try await machine.startUserd(arguments: [])
            #expect(try await machine.state(of: .users).index == 0)
            #expect(try await machine.sync(.users).phase == .empty)
            let files = try FileManager.default.contentsOfDirectory(atPath: machine.cacheDirectory)
            #expect(files.contains("mock.db") && !files.contains("userd.db"))
        }
    }

    @Test("--check-upstream refuses a mock")
    func check() async throws {
        try await onMachine { machine in
            let result = try await run(
                Program.userd.path, ["--check-upstream", "--mock", "hang"], environment: machine.environment)
            #expect(result.code == 64)
            #expect(result.errors.contains("userd asks no upstream: the setting mock replaces them"))
        }
    }
}

extension Machine {
    /// A resource's past phases, oldest first.
    fileprivate func transitions(_ resource: Resource) async throws -> [String] {
        try await call(.history, History(resource: resource)).states.reversed().map(\.phase.rawValue)
    }
}

extension [UInt8] {
    fileprivate func count(upTo text: String) -> Int {
        let all = String(decoding: self, as: UTF8.self)
        return all.range(of: text).map { all[..<$0.upperBound].utf8.count } ?? 0
    }
}
