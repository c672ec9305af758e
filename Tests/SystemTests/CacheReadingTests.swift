import Cache
import Foundation
import Glibc
import Migrations
import Model
import Synchronization
import TestSupport
import Testing

/// Some tests need root, to run userctl as another user.
@Suite("userctl and the cache file", .timeLimit(.hang))
struct CacheReadingTests {
    /// A user who owns no files.
    private static let nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    private final class Writing: Sendable {
        let rounds = Atomic(0)
        let isDone = Atomic(false)
    }

    private let list = ["list", "--all", "--output", "csv", "--columns", "id"]

    /// Lets everyone read the program and the cache's files, and only root write them.
    private func publish(_ cached: CacheOnDisk) throws -> String {
        try #require(geteuid() == 0, "this test has to run as root")
        for name in try FileManager.default.contentsOfDirectory(atPath: cached.folder) {
            chmod(cached.folder + "/" + name, 0o444)
        }
        chmod(cached.folder, 0o555)
        chmod(cached.directory.path, 0o755)
        // Other users can't reach the build folder.
        let program = cached.directory.file("userctl")
        try FileManager.default.copyItem(atPath: Program.userctl.path, toPath: program)
        return program
    }

    private func user(_ id: String, city: String = "x") -> User {
        User(id: id, name: .init(first: "A", last: id)) {
            $0.address.city = city
        }
    }

    @Test(
        "Users who can't write to the cache's folder can read it, while userd runs and after it has ended"
    )
    func readOnlyFolder() async throws {
        let cached = try await CacheOnDisk()
        try await cached.sync([user("1")])
        let program = try publish(cached)
        let running = try await cached.userctl(list, prefix: Self.nobody, program: program)
        #expect(running.output == "id\r\n1\r\n", "\(running.errors)")
        await cached.cache.close()
        #expect(!FileManager.default.fileExists(atPath: cached.path + "-wal"))
        let before = try Data(contentsOf: URL(filePath: cached.path))
        let ended = try await cached.userctl(list, prefix: Self.nobody, program: program)
        #expect(ended.output == "id\r\n1\r\n", "\(ended.errors)")
        #expect(ended.code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: cached.folder) == ["userd.db"])
        #expect(try Data(contentsOf: URL(filePath: cached.path)) == before)
        let doctor = try await cached.userctl(
            ["doctor", "--offline", "--output", "json"], prefix: Self.nobody, program: program)
        #expect(doctor.output.contains(#""name":"cache.content","status":"ok""#), "\(doctor.output)")
        let completed = try await run(
            Self.nobody[0],
            Self.nobody.dropFirst() + [
                program, "---completion", "show", "--", "positional@0", "2", "0", "userctl", "show", "",
            ], environment: ["USERD_DATABASE": cached.path])
        #expect(completed.output == "1\n", "\(completed.errors)")
        // A path with characters that have a meaning in SQLite's URIs.
        let odd = cached.directory.file("a b?c=%41#ü")
        try FileManager.default.moveItem(atPath: cached.folder, toPath: odd)
        let moved = try await cached.userctl(
            list, of: odd + "/userd.db", prefix: Self.nobody, program: program)
        #expect(moved.output == "id\r\n1\r\n", "\(moved.errors)")
    }

    @Test("root can read the cache on a read-only file system")
    func readOnlyMount() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        let cached = try await CacheOnDisk()
        try await cached.sync([user("1")])
        await cached.cache.close()
        let script = #"mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@""#
        let prefix = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, cached.folder]
        let result = try await cached.userctl(list, prefix: prefix)
        #expect(result.output == "id\r\n1\r\n", "\(result.errors)")
        #expect(result.code == 0)
        let doctor = try await cached.userctl(["doctor", "--offline"], prefix: prefix)
        #expect(doctor.output.contains("is mounted read-only: userd can't write there"), "\(doctor.output)")
        let writable = try await cached.userctl(["doctor", "--offline"])
        #expect(!writable.output.contains("read-only"), "\(writable.output)")
    }

    @Test("userctl reads the cache's log even if nobody can create its index there")
    func logWithoutIndex() async throws {
        let cached = try await CacheOnDisk()
        try await cached.sync([user("1")])
        // A sync would leave an empty log.
        _ = try await cached.cache.writer.addFact(Fact(id: "1", text: "t", length: 1, firstSeenAt: today))
        // A copy in a read-only folder may have the log without its index.
        let copy = try await CacheOnDisk()
        await copy.cache.close()
        for suffix in ["", "-wal"] {
            try? FileManager.default.removeItem(atPath: copy.path + suffix)
            try FileManager.default.copyItem(atPath: cached.path + suffix, toPath: copy.path + suffix)
        }
        await cached.cache.close()
        let program = try publish(copy)
        let result = try await copy.userctl(["facts"], prefix: Self.nobody, program: program)
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output.contains("t"))
        #expect(!FileManager.default.fileExists(atPath: copy.path + "-shm"))
    }

    @Test("userctl reports missing permission for another user's cache, and what its owner can do")
    func permission() async throws {
        let cached = try await CacheOnDisk()
        await cached.cache.close()
        let program = try publish(cached)
        for (path, mode) in [(cached.path, 0o600), (cached.folder, 0o700)] as [(String, mode_t)] {
            chmod(path, mode)
            let result = try await cached.userctl(list, prefix: Self.nobody, program: program)
            #expect(result.code == 69)
            #expect(
                result.errors == """
                    userctl: userd is not running, and the cache at \(cached.path) can't be used: no permission to read it
                    userctl: name your own cache with --database

                    """)
            chmod(path, 0o555)
        }
        chown(cached.path, 65_534, 65_534)
        chmod(cached.path, 0)
        let own = try await cached.userctl(list, prefix: Self.nobody, program: program)
        #expect(own.code == 69)
        #expect(own.errorLines.last == "userctl: you own it: run chmod u+rw on it")
        let doctor = try await cached.userctl(
            ["doctor", "--offline"], prefix: Self.nobody, program: program)
        #expect(doctor.output.contains("neither you nor userd has permission"))
        #expect(doctor.output.contains("`chmod u+rw \(cached.path)`"), "\(doctor.output)")
        chown(cached.folder, 65_534, 65_534)
        chmod(cached.folder, 0)
        let folder = try await cached.userctl(list, prefix: Self.nobody, program: program)
        #expect(folder.errorLines.last == "userctl: you own its directory: run chmod u+rwx on that")
    }

    @Test("While another process commits without a pause, each list contains each user once")
    func underWrites() async throws {
        let cached = try await CacheOnDisk()
        let ids = (0..<3000).map { String($0) }
        @Sendable func users(_ round: Int) -> [User] { ids.map { user($0, city: "City \(round)") } }
        try await cached.sync(users(0))
        let writing = Writing()
        try await withThrowingTaskGroup { group in
            group.addTask {
                while !writing.isDone.load(ordering: .relaxed) {
                    let round = writing.rounds.load(ordering: .relaxed) + 1
                    try await cached.sync(users(round), number: round + 1)
                    writing.rounds.store(round, ordering: .relaxed)
                }
            }
            for _ in 0..<5 {
                let before = writing.rounds.load(ordering: .relaxed)
                let result = try await cached.userctl(list)
                #expect(result.code == 0, "\(result.errors)")
                #expect(
                    result.output.split(separator: "\r\n").dropFirst().sorted()
                        == ids.map { $0[...] }.sorted())
                // At least one more commit for each list.
                try await wait { writing.rounds.load(ordering: .relaxed) > before }
            }
            writing.isDone.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        await cached.cache.close()
    }

    @Test(
        "userctl never passes on a record that is invalid JSON",
        arguments: ["", "{\"id\":\"a\"},{\"x\":}", "{\"id\":\"a\u{1B}[31m\"}", "{"])
    func records(record: String) async throws {
        let cached = try await CacheOnDisk()
        try await cached.sync([user("1"), user("2")])
        await cached.cache.close()
        let script =
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
            + "c.execute('UPDATE user_records SET record = ? WHERE number = 1', [sys.argv[2]]); c.commit()"
        let changed = try await run(
            "/usr/bin/python3", ["-c", script, cached.path, record], environment: [:])
        try #require(changed.code == 0, "\(changed.errors)")
        for arguments in [
            ["list"], ["list", "--output", "json"], ["list", "--output", "ndjson"], ["show", "1"],
        ] {
            let result = try await cached.userctl(arguments)
            #expect(result.code == 69)
            #expect(result.output == "")
            #expect(result.errors.contains("can't be read: a record is not valid JSON"), "\(result.errors)")
        }
    }

    @Test("A damaged, foreign, newer or missing cache file ends userctl with 69 and advice")
    func unusable() async throws {
        let cached = try await CacheOnDisk()
        try await cached.sync((0..<3000).map { user(String($0)) })
        await cached.cache.close()
        let sound = try Data(contentsOf: URL(filePath: cached.path))
        func errors(_ content: Data) async throws -> [String] {
            try content.write(to: URL(filePath: cached.path))
            let result = try await cached.userctl(list)
            #expect(result.code == 69)
            return result.errorLines
        }

        var damaged = sound
        for page in stride(from: sound.count / 8192 * 4096, to: sound.count, by: 4096)
        // The schema decides whether the file is a cache.
        where sound[page..<page + 4096].range(of: Data("CREATE ".utf8)) == nil {
            damaged.replaceSubrange(page..<page + 2048, with: Data(repeating: 0x41, count: 2048))
        }
        let lines = try await errors(damaged)
        #expect(
            lines.first
                == "userctl: the cache at \(cached.path) can't be read: it is damaged (database disk image is malformed); userd sets it aside and fetches everything again"
        )
        #expect(
            lines.last
                == "userctl: try again; if that does not help, `userctl doctor` examines the cache"
        )
        #expect(lines.count == 2)

        let text = try await errors(
            Data("This is not a database, but it is long enough to be looked at as one.".utf8))
        #expect(
            text == [
                "userctl: userd is not running, and the cache at \(cached.path) is damaged: file is not a database",
                "userctl: start userd, which sets the file aside and fetches everything again; if the file belongs to another program, name userd's with --database",
            ])

        var newer = sound
        // PRAGMA user_version: https://www.sqlite.org/fileformat2.html#user_version_number
        newer.replaceSubrange(60..<64, with: [0, 0, 3, 231])
        let future = try await errors(newer)
        #expect(
            future.first?.hasSuffix(
                "this cache has schema 999 and this userd knows up to \(migrations.count)") == true)
        #expect(future.last == "userctl: install the newer userd, or remove the file to sync again")

        let folder = try await cached.userctl(list, of: cached.folder)
        #expect(folder.code == 69)
        #expect(folder.errorLines.first?.hasSuffix("it is not a file") == true)
        #expect(folder.errorLines.last == "userctl: name another file with --database")
    }
}
