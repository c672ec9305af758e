import Foundation
import Model
import TestSupport
import Testing
import UserdAPI

/// The transitions and rows of a userd that records or replays.
struct Playback {
    /// The number of transitions of each resource to compare: later ones depend on when the test ends.
    static let length = 6

    /// The transitions of users, then those of facts, without times and indices.
    let transitions: [String]
    /// All users and facts, without the times when facts were first seen.
    let rows: [String]

    /// Waits until enough transitions are recorded, and ends userd.
    init(of userd: ChildProcess, on machine: Machine) async throws {
        var transitions: [String] = []
        for resource in Resource.allCases {
            while try await machine.call(.history, History(resource: resource, limit: 100)).states.count
                < Self.length
            {
                try await Task.sleep(for: .milliseconds(50))
            }
            let lines = try await Self.lines(
                machine, "history", "\(resource)", "--output", "ndjson", "--limit", "100")
            transitions += try lines.reversed().prefix(Self.length).map(Self.timeless)
        }
        self.transitions = transitions
        try await userd.line(containing: "Pictures fetched")
        rows =
            try await Self.lines(machine, "list", "--output", "ndjson")
            + Self.lines(machine, "facts", "--output", "ndjson").map(Self.timeless).sorted()
        userd.send(SIGTERM)
        #expect(try await userd.ended() == .exited(0))
    }

    var told: String { (transitions + rows).map { $0 + "\n" }.joined() }

    private static func lines(_ machine: Machine, _ arguments: String...) async throws -> [String] {
        let finished = try await machine.userctl(arguments)
        #expect(finished.code == 0, "\(finished.errors)")
        return finished.outputLines
    }

    private static func timeless(_ line: String) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        let times = ["since", "synced_at", "next_sync_at", "epoch", "index", "first_seen_at"]
        return try text(object.filter { !times.contains($0.key) })
    }

    private static func text(_ object: [String: Any]) throws -> String {
        String(
            decoding: try JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
    }
}

extension Machine {
    /// Records an upstream with many faults.
    func record(to file: String, port: Int = 0) async throws -> Playback {
        let faults = [
            "etag", "status,status=429,retry_after=1,path=/api,times=1", "truncate,path=/facts,times=1",
            "redirect,location=/api/?seed=s&page=1&results=6,path=/api,times=1", "gzip,path=/facts",
        ]
        let (upstream, addresses) = try await startUpstream(
            ["--port", "\(port)", "--users", "6", "--facts", "9"] + faults.flatMap { ["--fault", $0] })
        let settings = [
            "users.query": "seed=s", "users.page_size": "6", "users.interval": "1500ms",
            "facts.interval": "1500ms", "retry.base": "300ms", "users.pictures": "thumbnail", "record": file,
        ]
        let userd = try await startUserd(settings.merging(addresses) { $1 })
        let playback = try await Playback(of: userd, on: self)
        upstream.send(SIGTERM)
        try await upstream.ended()
        return playback
    }

    func replay(
        _ file: String, _ arguments: [String] = [], in network: NetworkNamespace
    ) async throws -> Playback {
        let userd = try await startUserd(
            arguments: ["--replay", file, "--log-level", "debug"] + arguments, in: network)
        return try await Playback(of: userd, on: self)
    }
}
