import Foundation
import TestSupport
import Testing

/// What a userd that recorded or replayed has told of itself.
struct Playback {
    /// So many transitions are looked at: what comes later hangs on when the test ends.
    static let length = 12

    /// The transitions with all that they say, times among it, oldest first.
    let transitions: [[String: Any]]
    /// What `userctl list` printed.
    let list: String
    /// All users and facts.
    let rows: [String]

    /// Waits until as much has happened, and ends userd.
    init(of userd: ChildProcess, on machine: Machine) async throws {
        try await userd.line(containing: "index=\(Self.length) ")
        try await userd.line(containing: "Pictures fetched")
        func output(_ arguments: [String]) async throws -> String {
            let finished = try await machine.userctl(arguments)
            #expect(finished.code == 0, "\(finished.errors)")
            return finished.output
        }
        let history = try JSONSerialization.jsonObject(
            with: Data(await output(["history", "--output", "json", "--limit", "100"]).utf8))
        let states = try #require((history as? [String: Any])?["states"] as? [[String: Any]])
        transitions = states.reversed().prefix(Self.length).map(\.self)
        list = try await output(["list", "--output", "json"])
        let facts = try await output(["facts", "--output", "ndjson"]).split(separator: "\n").map { line in
            var fact = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            fact["first_seen_at"] = nil
            return try Self.text(fact)
        }
        rows =
            try await output(["list", "--output", "ndjson"]).split(separator: "\n").map(String.init)
            + facts.sorted()
        userd.send(SIGTERM)
        #expect(try await userd.ended() == .exited(0))
    }

    /// All that does not hang on the clock.
    var told: String {
        get throws {
            let transitions = try transitions.map { transition in
                let timeless = transition.filter {
                    !["since", "synced_at", "next_sync_at", "epoch"].contains($0.key)
                }
                return try Self.text(timeless)
            }
            return (transitions + rows).map { $0 + "\n" }.joined()
        }
    }

    private static func text(_ object: [String: Any]) throws -> String {
        String(
            decoding: try JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
    }
}

extension Machine {
    /// Has an upstream do wrong what it can, and records what comes of it.
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
