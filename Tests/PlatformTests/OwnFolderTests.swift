import Foundation
import TestSupport
import Testing

@testable import Platform

@Suite struct OwnFolderTests {
    private static let base = BaseDirectories(
        variable: { _ in nil }, homeDirectory: "/home/anna", exists: { _ in false })

    private func kind(
        of name: String, isFile: Bool = true, in path: String, database: String? = nil
    ) throws -> OwnFolder.Kind {
        let all = OwnFolder.all(Self.base, database: database)
        return try #require(all.first { $0.path == path }).kind(of: name, isFile: isFile)
    }

    @Test(
        "Files that userd has written are removed by name, settings and secrets if asked, and no others",
        arguments: [
            (".cache/userd", "userd.db", .data), (".cache/userd", "userd.db-wal", .data),
            (".cache/userd", "userd.db.lock", .data), (".cache/userd", "replay.db", .data),
            (".cache/userd", "userd.db.damaged-20260131T120000Z", .data),
            (".cache/userd", "userd.db.damaged-20260131T120000Z-wal", .data),
            (".cache/userd", "userd.db.damaged-mine", .foreign), (".cache/userd", "userd.db.old", .foreign),
            (".cache/userd", "attention", .data), (".cache/userd", "attention.new", .data),
            (".cache/userd", "secrets.json", .data), (".cache/userd", "secrets.json.4711", .data),
            (".cache/userd", "secrets.json.bak", .foreign), (".cache/userd", "a.txt", .foreign),
            (".config/userd", "carddav-password", .data), (".config/userd", "config.yaml", .configuration),
            (".config/userd", "config.yaml.before-userctl", .configuration),
            (".config/userd", "users-token", .configuration),
            (".config/userd", "users-password.origin", .configuration),
            (".config/userd", ".userctl-17", .configuration),
            (".config/userd", "config.yaml.before-userctl-2", .configuration),
            (".config/userd", "users-token.before-userctl-2.origin", .configuration),
            (".config/userd", "users-token.before-userctl-me", .foreign),
            (".config/userd", "users-token.txt", .foreign),
            (".config/userd/.connect", "config-4711.yaml", .data),
            (".config/userd-tokens", "users.json", .data),
            (".local/state/userd-tokens", "users.json.lock", .data),
            (".local/state/userctl", "notified", .data), (".local/state/userctl", "other", .foreign),
            (".config/systemd/user/userd.service.d", "kerberos.conf", .configuration),
            (".config/systemd/user/userd.service.d", "users-token.conf", .configuration),
            (".config/systemd/user/userd.service.d", "users-client-secret.conf", .configuration),
            (".config/systemd/user/userd.service.d", "override.conf", .foreign),
            (".config/evolution/sources", "userd.source", .data),
            (".config/evolution/sources", "system.source", .untold),
        ] as [(String, String, OwnFolder.Kind)])
    func names(folder: String, name: String, expected: OwnFolder.Kind) throws {
        let path = "/home/anna/" + folder
        #expect(try kind(of: name, in: path) == expected)
        // A link or a folder of that name is not userd's.
        #expect(
            try kind(of: name, isFile: false, in: path)
                == (folder.hasSuffix("sources") ? .untold : .foreign))
    }

    @Test(
        "Elsewhere only a cache with its lock is removed, and other programs' files are not told of",
        arguments: [
            ("people.db", true, .data), ("people.db-wal", true, .data), ("people.db", false, .foreign),
            ("people.db-wal", false, .untold), ("secrets.json", true, .foreign), ("userd.db", true, .untold),
        ] as [(String, Bool, OwnFolder.Kind)])
    func elsewhere(name: String, isCache: Bool, expected: OwnFolder.Kind) throws {
        let data = try TemporaryDirectory()
        if isCache { try Data().write(to: URL(filePath: data.file("people.db.lock"))) }
        #expect(try kind(of: name, in: data.path, database: data.file("people.db")) == expected)
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
        func remove(_ folder: OwnFolder) -> [OwnFolder.Kind: [String]] {
            let files = OwnFolder.files(in: [folder])
            OwnFolder.remove((files[.data] ?? []) + (files[.configuration] ?? []), from: [folder])
            return files.mapValues { $0.map { $0.replacing(home.path + "/", with: "") } }
        }

        let cache = try folder(".cache/userd")
        write("outside", ".cache/userd/userd.db", ".cache/userd/userd.db.lock", ".cache/userd/userd.db-shm")
        try manager.createSymbolicLink(
            atPath: home.file(".cache/userd/userd.db-wal"), withDestinationPath: home.file("outside"))
        try manager.createDirectory(
            atPath: home.file(".cache/userd/mock.db"), withIntermediateDirectories: false)
        let found = remove(cache)
        #expect(
            found[.data] == ["userd.db", "userd.db-shm", "userd.db.lock"].map { ".cache/userd/" + $0 },
            "the lock goes last")
        #expect(found[.foreign] == [".cache/userd/mock.db", ".cache/userd/userd.db-wal"])
        #expect(
            try manager.contentsOfDirectory(atPath: cache.path).sorted() == ["mock.db", "userd.db-wal"])
        #expect(manager.fileExists(atPath: home.file("outside")))

        let tokens = try folder(".local/state/userd-tokens")
        write(".local/state/userd-tokens/users.json")
        _ = remove(tokens)
        #expect(!manager.fileExists(atPath: tokens.path))
        #expect(remove(tokens) == [:])

        // A link in the folder's place.
        write("config.yaml")
        try manager.createSymbolicLink(
            atPath: home.file(".config-userd"), withDestinationPath: home.path)
        let linked = OwnFolder(path: home.file(".config-userd"), configuration: ["config.yaml"])
        #expect(remove(linked) == [.foreign: [".config-userd"]])
        #expect(manager.fileExists(atPath: home.file("config.yaml")))
        #expect(linkTarget(of: linked.path) == home.path)

        // A folder of others stays, even if it is empty then.
        let sources = try folder(".config/evolution/sources")
        write(".config/evolution/sources/userd.source")
        _ = remove(sources)
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
