import Foundation
import TestSupport
import Testing

@testable import Platform

@Suite struct OwnFolderTests {
    private static let base = BaseDirectories(
        variable: { _ in nil }, homeDirectory: "/home/anna", exists: { _ in false })

    enum Fate { case removed, kept, foreign, untold }

    private func fate(
        of entry: OwnFolder.Entry, in path: String, database: String? = nil, withConfiguration: Bool = false
    ) throws -> Fate {
        let all = OwnFolder.all(Self.base, database: database)
        let plan = try #require(all.first { $0.path == path }).plan(
            [entry], withConfiguration: withConfiguration)
        switch (plan.removed.count, plan.kept.count, plan.foreign.count) {
        case (1, 0, 0): return .removed
        case (0, 1, 0): return .kept
        case (0, 0, 1): return .foreign
        default: return .untold
        }
    }

    @Test(
        "Files that userd has written are removed by name, settings and secrets if asked, and no others",
        arguments: [
            (".cache/userd", "userd.db", .removed), (".cache/userd", "userd.db-wal", .removed),
            (".cache/userd", "userd.db.lock", .removed), (".cache/userd", "replay.db", .removed),
            (".cache/userd", "userd.db.damaged-20260131T120000Z", .removed),
            (".cache/userd", "userd.db.damaged-20260131T120000Z-wal", .removed),
            (".cache/userd", "userd.db.damaged-mine", .foreign), (".cache/userd", "userd.db.old", .foreign),
            (".cache/userd", "secrets.json", .removed), (".cache/userd", "secrets.json.4711", .removed),
            (".cache/userd", "secrets.json.bak", .foreign), (".cache/userd", "a.txt", .foreign),
            (".config/userd", "carddav-password", .removed), (".config/userd", "config.yaml", .kept),
            (".config/userd", "config.yaml.before-userctl", .kept), (".config/userd", "users-token", .kept),
            (".config/userd", "config.yaml.before-userctl-2", .kept),
            (".config/userd", "users-token.before-userctl-2.origin", .kept),
            (".config/userd", "users-token.before-userctl-me", .foreign),
            (".config/userd", "users-password.origin", .kept), (".config/userd", ".userctl-17", .kept),
            (".config/userd", "users-token.txt", .foreign),
            (".config/userd/.connect", "config-4711.yaml", .removed),
            (".config/userd-tokens", "users.json", .removed),
            (".local/state/userd-tokens", "users.json.lock", .removed),
            (".config/systemd/user/userd.service.d", "kerberos.conf", .kept),
            (".config/systemd/user/userd.service.d", "users-token.conf", .kept),
            (".config/systemd/user/userd.service.d", "users-client-secret.conf", .kept),
            (".config/systemd/user/userd.service.d", "override.conf", .foreign),
            (".config/evolution/sources", "userd.source", .removed),
            (".config/evolution/sources", "system.source", .untold),
        ] as [(String, String, Fate)])
    func names(folder: String, name: String, expected: Fate) throws {
        let path = "/home/anna/" + folder
        #expect(try fate(of: (name, true), in: path) == expected)
        #expect(
            try fate(of: (name, true), in: path, withConfiguration: true)
                == (expected == .kept ? .removed : expected))
        // A link or a folder of that name is not userd's.
        #expect(
            try fate(of: (name, false), in: path, withConfiguration: true)
                == (expected == .untold || folder.hasSuffix("sources") ? .untold : .foreign))
    }

    @Test(
        "Elsewhere only a cache with its lock is removed, and other programs' files are not told of",
        arguments: [
            ("people.db", true, .removed), ("people.db-wal", true, .removed), ("people.db", false, .foreign),
            ("people.db-wal", false, .untold), ("secrets.json", true, .foreign), ("userd.db", true, .untold),
        ] as [(String, Bool, Fate)])
    func elsewhere(name: String, isCache: Bool, expected: Fate) throws {
        let data = try TemporaryDirectory()
        if isCache { try Data().write(to: URL(filePath: data.file("people.db.lock"))) }
        #expect(try fate(of: (name, true), in: data.path, database: data.file("people.db")) == expected)
    }

    @Test("Removal follows no link, leaves what is not userd's, and takes a folder that is empty then")
    func disk() throws {
        let home = try TemporaryDirectory()
        let manager = FileManager.default
        let base = BaseDirectories(variable: { _ in nil }, homeDirectory: home.path)
        func folder(_ name: String) throws -> OwnFolder {
            try manager.createDirectory(atPath: home.file(name), withIntermediateDirectories: true)
            return try #require(OwnFolder.all(base, database: nil).first { $0.path == home.file(name) })
        }
        func write(_ names: String...) {
            for name in names { try? Data().write(to: URL(filePath: home.file(name))) }
        }
        func remove(_ folder: OwnFolder) throws -> OwnFolder.Plan {
            let plan = folder.plan(try folder.entries() ?? [], withConfiguration: true)
            #expect(try folder.remove(plan.removed) == [])
            return plan
        }

        let cache = try folder(".cache/userd")
        write("outside", ".cache/userd/userd.db", ".cache/userd/userd.db.lock", ".cache/userd/userd.db-shm")
        try manager.createSymbolicLink(
            atPath: home.file(".cache/userd/userd.db-wal"), withDestinationPath: home.file("outside"))
        try manager.createDirectory(
            atPath: home.file(".cache/userd/mock.db"), withIntermediateDirectories: false)
        let plan = try remove(cache)
        #expect(plan.removed == ["userd.db", "userd.db-shm", "userd.db.lock"], "the lock goes last")
        #expect(plan.foreign == ["mock.db", "userd.db-wal"])
        #expect(
            try manager.contentsOfDirectory(atPath: cache.path).sorted() == ["mock.db", "userd.db-wal"])
        #expect(manager.fileExists(atPath: home.file("outside")))

        let tokens = try folder(".local/state/userd-tokens")
        write(".local/state/userd-tokens/users.json")
        _ = try remove(tokens)
        #expect(!manager.fileExists(atPath: tokens.path))
        #expect(try tokens.entries() == nil && tokens.remove(["users.json"]) == [])

        // A link in the folder's place.
        write("config.yaml")
        try manager.createSymbolicLink(
            atPath: home.file(".config-userd"), withDestinationPath: home.path)
        let linked = OwnFolder(path: home.file(".config-userd"), configuration: ["config.yaml"])
        #expect(throws: FileWriteError.self) { try linked.entries() }
        #expect(throws: FileWriteError.self) { try linked.remove(["config.yaml"]) }
        #expect(manager.fileExists(atPath: home.file("config.yaml")))
        #expect(linkTarget(of: linked.path) == home.path)

        // A folder of others stays, even if it is empty then.
        let sources = try folder(".config/evolution/sources")
        write(".config/evolution/sources/userd.source")
        _ = try remove(sources)
        #expect(try manager.contentsOfDirectory(atPath: sources.path) == [])
    }

    @Test("Privacy.md names each file that is removed, and no other")
    func article() async throws {
        let path = URL(filePath: #filePath).appending(
            path: "../../../Sources/Daemon/userd/userd.docc/Privacy.md"
        ).standardized.path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let rows = text.split(separator: "\n").drop { !$0.hasPrefix("## Clean a machine") }
            .filter { $0.hasPrefix("| `~/") }
        var named: [String: Set<String>] = [:]
        for row in rows {
            let code = row.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            let folder = try #require(code.first).replacing("~", with: "/home/anna")
            // Braces are the shell's.
            let expanded = try await run(
                "/bin/bash", ["-fc", "printf '%s\\n' \(code.dropFirst().joined(separator: " "))"],
                environment: [:])
            named[folder, default: []].formUnion(expanded.outputLines)
        }
        let own = Dictionary(
            uniqueKeysWithValues: OwnFolder.all(Self.base, database: nil).map {
                ($0.path, Set($0.data + $0.configuration))
            })
        #expect(named == own)
    }
}
