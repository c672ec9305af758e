import Foundation
import Model
import TestSupport

@testable import Cache

/// A cache file as a daemon leaves it, or with its writer still open.
final class CacheOnDisk: Sendable {
    let directory: TemporaryDirectory
    let cache: Cache
    var folder: String { directory.file("cache") }
    var path: String { folder + "/userd.db" }

    init() async throws {
        directory = try TemporaryDirectory()
        cache = try await Cache.live(
            path: directory.file("cache/userd.db"), newEpoch: "e", now: { today },
            random: { $0.lowerBound }
        ) {
            $0.readers = 1
        }
        _ = try await cache.writer.restore([.users: .seconds(900), .facts: .seconds(900)], today)
    }

    /// - Parameter number: the sync's number, different each time.
    func sync(_ users: [User], number: Int = 1) async throws {
        try await cache.writer.beginStaging(.users, number)
        for start in stride(from: 0, to: users.count, by: 10_000) {
            _ = try await cache.writer.stageUsers(
                Page(records: Array(users[start...].prefix(10_000))), 1, number)
        }
        _ = try await cache.writer.commit(.users, number, .atOnce) { rows in
            let state = State(
                epoch: "", index: 0, resource: .users, phase: .loaded, since: today, cause: .committed(),
                count: rows.after, syncedAt: today, stale: false)
            return Change(transition: state, resource: SavedResource(state: state, interval: .seconds(900)))
        }
    }

    /// Runs userctl without userd.
    /// - Parameter prefix: a program that runs the rest of its command line, and its arguments.
    func userctl(
        _ arguments: [String], of database: String? = nil, prefix: [String] = [],
        program: String = Program.userctl.path
    ) async throws -> Finished {
        let command =
            prefix + [program] + arguments + ["--socket", "/nonexistent/s", "--database", database ?? path]
        return try await run(command[0], Array(command.dropFirst()), environment: ["LANG": "C.UTF-8"])
    }
}

let today = Timestamp(milliseconds: 1_780_000_000_000)
