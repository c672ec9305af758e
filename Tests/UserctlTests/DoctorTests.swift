import Cache
import Model
import TestSupport
import Testing
import UserctlKit
import UserdAPI
import Varlink

private let mine: UInt32 = 1000
private let folder = FileFact.found(.folder, owner: mine, mode: 0o700)
private let socket = FileFact.found(.socket, owner: mine, mode: 0o600)
private let file = FileFact.found(.file, owner: mine, mode: 0o600)

private func daemon(
    _ states: [State] = [], paused: Bool = false, version: String = Model.version
) -> DaemonState {
    DaemonState(states: states, paused: paused, version: version, startedAt: noon)
}

/// A check's status and words; the last line of its advice after a `>`.
private func summary(_ checks: [Check], _ name: String) -> String {
    guard let check = checks.first(where: { $0.name == name }) else { return "no such check" }
    return "\(check.status): \(check.found)" + (check.advice.last.map { " > \($0)" } ?? "")
}

@Suite struct DoctorTests {
    @Test(arguments: [
        (FileFact.absent, "skipped: /r/userd is not there yet: userd makes it"),
        (
            .unknown("Permission denied"),
            "failed: /r/userd can't be looked at: Permission denied > look at the folders above it"
        ),
        (
            .found(.link, owner: mine, mode: 0o777),
            "failed: /r/userd is a symbolic link > name another with --socket, or move this one away"
        ),
        (file, "failed: /r/userd is not a folder > name another with --socket, or move this one away"),
        (
            .found(.folder, owner: 0, mode: 0o755),
            "failed: /r/userd belongs to user 0 > name another with --socket, or move this one away"
        ),
        (
            .found(.folder, owner: 0, mode: 0o1777),
            "ok: /r/userd is shared, and keeps everybody's files apart"
        ),
        (
            .found(.folder, owner: mine, mode: 0o500),
            "failed: you may not write to /r/userd, and neither may userd > `chmod u+rwx /r/userd`"
        ),
        (
            .found(.folder, owner: mine, mode: 0o1770),
            "failed: others may write to /r/userd > `chmod 700 /r/userd`"
        ),
        (
            .found(.folder, owner: mine, mode: 0o750),
            "warning: others may look into /r/userd > `chmod 700 /r/userd`"
        ),
        (folder, "ok: /r/userd is yours alone"),
    ])
    func `a folder has to be its owner's alone`(fact: FileFact, expected: String) {
        let checks = socketChecks(SocketFacts(path: "/r/userd/s", directory: fact, user: mine))
        #expect(summary(checks, "socket.directory") == expected)
    }

    @Test func `nobody is told to close a folder that is not userd's alone`() {
        let open = FileFact.found(.folder, owner: mine, mode: 0o755)
        let checks = socketChecks(SocketFacts(path: "/home/me/s", directory: open, user: mine))
        #expect(
            summary(checks, "socket.directory")
                == "warning: others may look into /home/me > name one in a folder of its own with --socket")
    }

    @Test(arguments: [
        (file, "failed: /r/s is not a socket > name another with --socket, or move this one away"),
        (.found(.socket, owner: mine, mode: 0o660), "failed: others may write to /r/s > `chmod 600 /r/s`"),
        (socket, "ok: /r/s is yours alone"),
    ])
    func `a socket has to be one, and its owner's alone`(fact: FileFact, expected: String) {
        let checks = socketChecks(SocketFacts(path: "/r/s", directory: folder, file: fact, user: mine))
        #expect(summary(checks, "socket.file") == expected)
    }

    /// Who answers is told in three steps.
    @Test(
        arguments: [
            (
                VarlinkClientError.noSocket(path: "/r/s"),
                "failed: userd is not running (no socket at /r/s) > "
                    + "start it with `userctl service enable`, or run `userd`", nil
            ),
            (
                VarlinkClientError.refused(path: "/r/s"),
                "failed: nobody listens at /r/s: a userd that was killed has left it behind > start it with "
                    + "`userctl service enable`, or run `userd`; it takes the stale socket's place", nil
            ),
            (
                VarlinkClientError.permissionDenied(path: "/r/s"),
                "failed: no permission to connect to /r/s > each user has a userd of their own: name yours with --socket",
                nil
            ),
            (
                VarlinkClientError.system(call: "connect", errno: 24),
                "failed: userd can't be reached: connect: Too many open files > `journalctl --user -u userd` may say why",
                nil
            ),
            (
                VarlinkClientError.timedOut, nil,
                "failed: userd has taken the connection, and does not answer > `journalctl --user -u userd` may say why"
            ),
            (
                VarlinkClientError.closed, nil,
                "failed: userd closed the connection before it had answered > `journalctl --user -u userd` may say why"
            ),
            (
                VarlinkClientError.violation("x"), nil,
                "failed: the reply is not valid Varlink: x > is it userd that listens there? --socket names another"
            ),
            (
                VarlinkError.permissionDenied, nil,
                "failed: userd has as many connections as it takes > close some, or raise its setting limits.connections"
            ),
        ] as [(any Error & Sendable, String?, String?)])
    func `no answer is either no connection or silence`(
        error: any Error & Sendable, connection: String?, answer: String?
    ) {
        let checks = socketChecks(
            SocketFacts(path: "/r/s", directory: folder, file: socket, answer: .failure(error), user: mine))
        #expect(summary(checks, "socket.connection") == connection ?? "ok: somebody listens at /r/s")
        #expect(summary(checks, "daemon.answer") == answer ?? "skipped: userd does not answer")
        #expect(summary(checks, "daemon.version") == "skipped: userd does not answer")
    }

    @Test func `an answer tells the version`() {
        func checks(_ version: String) -> [Check] {
            socketChecks(
                SocketFacts(
                    path: "/r/s", directory: folder, file: socket,
                    answer: .success(daemon(version: version)), user: mine))
        }
        #expect(checks(Model.version).allSatisfy { $0.status == .ok })
        #expect(
            summary(checks("0.0.1"), "daemon.version")
                == "warning: userd is 0.0.1, and userctl \(Model.version) > "
                + "`systemctl --user restart userd` starts the one that is installed")
    }

    @Test func `a socket or a cache that has no path is that and no more`() {
        let checks = socketChecks(SocketFacts(path: nil, user: mine))
        #expect(summary(checks, "socket.path").hasPrefix("failed: it is not known: XDG_RUNTIME_DIR"))
        #expect(checks.count { $0.status == .failed } == 1)
        #expect(
            cacheChecks(CacheFacts(path: nil, user: mine)).map(\.found)
                == ["it is not known: HOME is not set"])
    }

    @Test(
        arguments: [
            (
                state(.users, .loaded, count: 5, syncedAt: time("04T11:57:00")),
                "ok: 5 users, synced 3 min ago"
            ),
            (
                state(.users, .initial, stale: true),
                "warning: 0 users, never synced > `userctl sync users --wait` fetches them"
            ),
            (state(.users, .syncing, cause: .requested, stale: true), "ok: requested, never synced"),
            (
                failedUsers,
                "failed: the last sync failed: connection refused (offline, 3 attempts); the next attempt is due in 42 s"
                    + " > `userctl retry users` tries again at once"
            ),
            (
                state(
                    .users, .error,
                    failure: Failure(kind: .removalGuard, message: "too few", retryable: false)),
                "failed: the last sync failed: too few (removal guard) > `userctl sync users --accept-removals` accepts that"
            ),
        ] as [(State, String)])
    func `userd's own view of a resource`(state: State, expected: String) {
        #expect(summary(syncChecks(daemon([state]), clock), "sync.users") == expected)
    }

    @Test func `a pause is worth a warning, and without userd nothing is known`() {
        let paused = syncChecks(daemon(paused: true), clock)
        #expect(
            summary(paused, "sync.paused")
                == "warning: paused: nothing syncs by itself > `userctl resume` lets it")
        #expect(syncChecks(daemon(), clock).map(\.status) == [.ok])
        #expect(
            syncChecks(nil, clock).map { "\($0.name) \($0.status)" }
                == ["sync.users skipped", "sync.facts skipped", "sync.paused skipped"])
    }

    @Test(
        arguments: [
            (nil, "skipped: there is none to look into"),
            (.sound(schema: 5), "ok: no damage, schema 5"),
            (.unfinished(schema: 5), "ok: schema 5, and no damage as far as there was time to look"),
            (.corrupt("malformed"), "failed: it is damaged: malformed >   systemctl --user start userd"),
            (.noDatabase, "failed: it is no database >   systemctl --user start userd"),
            (
                .newer(schema: 9, known: 5),
                "failed: it has schema 9, and this version knows up to 5 >   systemctl --user start userd"
            ),
            (
                .foreign,
                "failed: the file belongs to another program > give userd a file of its own with --database"
            ),
            (.unreadable("locked"), "failed: it can't be read: locked > `ls -ld /c` may say why"),
        ] as [(CacheExamination?, String)])
    func `a cache's content`(examination: CacheExamination?, expected: String) {
        let facts = CacheFacts(
            path: "/c/u.db", directory: folder, file: file, examination: examination, user: mine)
        #expect(summary(cacheChecks(facts), "cache.content") == expected)
    }

    @Test(
        arguments: [
            (0, "failed: you may not read /c/u.db, and neither may userd", "skipped: you may not read it"),
            (
                0o200, "failed: you may not read /c/u.db, and neither may userd",
                "skipped: you may not read it"
            ),
            (0o400, "failed: you may not write to /c/u.db, and neither may userd", "ok: no damage, schema 3"),
        ] as [(UInt32, String, String)])
    func `a file that its owner may not use is told with what mends that`(
        mode: UInt32, words: String, content: String
    ) {
        let examination = mode & 0o400 == 0 ? CacheExamination.unreadable("no") : .sound(schema: 3)
        let facts = CacheFacts(
            path: "/c/u.db", directory: folder, file: .found(.file, owner: mine, mode: mode),
            examination: examination, user: mine)
        #expect(summary(cacheChecks(facts), "cache.file") == words + " > `chmod u+rw /c/u.db`")
        #expect(summary(cacheChecks(facts), "cache.content") == content)
    }

    @Test(arguments: [CacheExamination.foreign, .noDatabase])
    func `nobody is told to change a file that may be another program's`(examination: CacheExamination) {
        let facts = CacheFacts(
            path: "/etc/passwd", directory: folder, file: .found(.file, owner: mine, mode: 0o644),
            examination: examination, user: mine)
        #expect(summary(cacheChecks(facts), "cache.file") == "skipped: it may not be userd's")
        let advice = cacheChecks(facts).first { $0.name == "cache.content" }?.advice.first
        #expect(advice?.hasPrefix("give userd a file of its own with --database") == true)
    }

    @Test func `root may all`() {
        let facts = CacheFacts(
            path: "/c/u.db", directory: .found(.folder, owner: 0, mode: 0o500),
            file: .found(.file, owner: 0, mode: 0), examination: .sound(schema: 3), user: 0)
        #expect(cacheChecks(facts).allSatisfy { $0.status != .failed && $0.status != .warning })
    }

    @Test func `a file system that is mounted read-only takes no cache`() {
        let facts = CacheFacts(path: "/c/u.db", freeBytes: 1 << 40, isReadOnly: true, user: mine)
        #expect(
            summary(cacheChecks(facts), "cache.space").hasPrefix(
                "failed: the file system that the cache is on"))
    }

    @Test func `a damaged cache's advice are commands for a shell`() throws {
        let facts = CacheFacts(
            path: "/c d/it's.db", directory: folder, file: file, examination: .corrupt("x"), user: mine)
        let check = try #require(cacheChecks(facts).first { $0.status == .failed })
        #expect(
            check.advice == [
                "set it aside; userd then fetches users and facts anew:",
                "  systemctl --user stop userd.socket userd.service",
                #"  mv '/c d/it'\''s.db' '/c d/it'\''s.db'.broken"#,
                #"  rm -f '/c d/it'\''s.db'-wal '/c d/it'\''s.db'-shm"#, "  systemctl --user start userd",
            ])
    }

    @Test(
        arguments: [
            (nil, Check.Status.skipped), (1 << 20, .failed), (100 << 20, .warning), (1 << 40, .ok),
        ] as [(Int?, Check.Status)])
    func `a disk that fills up`(free: Int?, status: Check.Status) {
        let checks = cacheChecks(CacheFacts(path: "/c/u.db", freeBytes: free, user: mine))
        #expect(checks.first { $0.name == "cache.space" }?.status == status)
    }
}
