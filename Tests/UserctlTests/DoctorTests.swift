import Cache
import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

private let mine: UInt32 = 1000
private let folder = FileFact.found(.folder, owner: mine, mode: 0o700)
private let socket = FileFact.found(.socket, owner: mine, mode: 0o600)
private let file = FileFact.found(.file, owner: mine, mode: 0o600)

private func daemon(
    _ states: [State] = [], paused: Bool = false, version: String = Model.version
) -> DaemonState {
    DaemonState(states: states, paused: paused, version: version, startedAt: noon)
}

/// A check's status and words, and after a `>` the last line of its advice.
private func summary(_ checks: [Check], _ name: String) -> String {
    guard let check = checks.first(where: { $0.name == name }) else { return "no such check" }
    return "\(check.status): \(check.found)" + (check.advice.last.map { " > \($0)" } ?? "")
}

@Suite struct DoctorTests {
    @Test(arguments: [
        (FileFact.absent, "skipped: /r/userd does not exist yet: userd creates it"),
        (
            .unknown("Permission denied"),
            "failed: can't look at /r/userd: Permission denied > check the folders above it"
        ),
        (
            .found(.link, owner: mine, mode: 0o777),
            "failed: /r/userd is a symbolic link > name another one with --socket, or move this one away"
        ),
        (file, "failed: /r/userd is not a folder > name another one with --socket, or move this one away"),
        (
            .found(.folder, owner: 0, mode: 0o755),
            "failed: /r/userd belongs to user 0 > name another one with --socket, or move this one away"
        ),
        (
            .found(.folder, owner: 0, mode: 0o1777),
            "ok: /r/userd is shared, but protects each user's files"
        ),
        (
            .found(.folder, owner: mine, mode: 0o500),
            "failed: neither you nor userd has permission to write to /r/userd > `chmod u+rwx /r/userd`"
        ),
        (
            .found(.folder, owner: mine, mode: 0o1770),
            "failed: others can write to /r/userd > `chmod 700 /r/userd`"
        ),
        (
            .found(.folder, owner: mine, mode: 0o750),
            "warning: others can look into /r/userd > `chmod 700 /r/userd`"
        ),
        (folder, "ok: /r/userd is private to you"),
    ])
    func `a folder must be private to its owner`(fact: FileFact, expected: String) {
        let checks = socketChecks(SocketFacts(path: "/r/userd/s", directory: fact, user: mine))
        #expect(summary(checks, "socket.directory") == expected)
    }

    @Test func `doctor gives no chmod for a folder that other programs share`() {
        let open = FileFact.found(.folder, owner: mine, mode: 0o755)
        let checks = socketChecks(SocketFacts(path: "/home/me/s", directory: open, user: mine))
        #expect(
            summary(checks, "socket.directory")
                == "warning: others can look into /home/me > name a path in a separate folder with --socket")
    }

    @Test(arguments: [
        (file, "failed: /r/s is not a socket > name another one with --socket, or move this one away"),
        (.found(.socket, owner: mine, mode: 0o660), "failed: others can write to /r/s > `chmod 600 /r/s`"),
        (socket, "ok: /r/s is private to you"),
    ])
    func `a socket must be a socket, and private to its owner`(fact: FileFact, expected: String) {
        let checks = socketChecks(SocketFacts(path: "/r/s", directory: folder, file: fact, user: mine))
        #expect(summary(checks, "socket.file") == expected)
    }

    /// Connection, answer and version are separate checks.
    @Test(
        arguments: [
            (
                VarlinkClientError.noSocket(path: "/r/s"),
                "failed: userd is not running (no socket at /r/s) > "
                    + "start it with `userctl service enable`, or run `userd`", nil
            ),
            (
                VarlinkClientError.refused(path: "/r/s"),
                "failed: nothing listens at /r/s: a killed userd left the socket behind > start it with "
                    + "`userctl service enable`, or run `userd`; it replaces the stale socket", nil
            ),
            (
                VarlinkClientError.permissionDenied(path: "/r/s"),
                "failed: no permission to connect to /r/s > userd answers only its own user: name your socket with --socket",
                nil
            ),
            (
                VarlinkClientError.system(call: "connect", errno: 24),
                "failed: can't connect to userd: connect: Too many open files > `journalctl --user -u userd` may say why",
                nil
            ),
            (
                VarlinkClientError.timedOut, nil,
                "failed: userd accepted the connection but does not answer > `journalctl --user -u userd` may say why"
            ),
            (
                VarlinkClientError.closed, nil,
                "failed: userd closed the connection before it answered > `journalctl --user -u userd` may say why"
            ),
            (
                VarlinkClientError.violation("x"), nil,
                "failed: the reply is not valid Varlink: x > another program may listen there: name userd's socket with --socket"
            ),
            (
                VarlinkError.permissionDenied, nil,
                "failed: userd has reached its limit of connections > close some, or raise the setting limits.connections"
            ),
        ] as [(any Error & Sendable, String?, String?)])
    func `no answer is either no connection or silence`(
        error: any Error & Sendable, connection: String?, answer: String?
    ) {
        let checks = socketChecks(
            SocketFacts(path: "/r/s", directory: folder, file: socket, answer: .failure(error), user: mine))
        #expect(summary(checks, "socket.connection") == connection ?? "ok: a program listens at /r/s")
        #expect(summary(checks, "daemon.answer") == answer ?? "skipped: userd does not answer")
        #expect(summary(checks, "daemon.version") == "skipped: userd does not answer")
    }

    @Test func `the version is compared with userd's`() {
        func checks(_ version: String) -> [Check] {
            socketChecks(
                SocketFacts(
                    path: "/r/s", directory: folder, file: socket,
                    answer: .success(daemon(version: version)), user: mine))
        }
        #expect(checks(Model.version).allSatisfy { $0.status == .ok })
        #expect(
            summary(checks("0.0.1"), "daemon.version")
                == "warning: userd is 0.0.1, userctl is \(Model.version) > "
                + "`systemctl --user restart userd` starts the installed version")
    }

    @Test func `an unknown path fails, and nothing else is checked`() async {
        let checks = socketChecks(SocketFacts(path: nil, user: mine))
        #expect(summary(checks, "socket.path").hasPrefix("failed: unknown: XDG_RUNTIME_DIR"))
        #expect(checks.count { $0.status == .failed } == 1)
        let ofCache = await cacheChecks(CacheFacts(path: nil, user: mine))
        #expect(ofCache.map(\.found) == ["unknown: HOME is not set"])
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
                    + " > `userctl retry users` tries again now"
            ),
            (
                state(
                    .users, .error,
                    failure: Failure(kind: .removalGuard, message: "too few", retryable: false)),
                "failed: the last sync failed: too few (removal guard) > `userctl sync users --accept-removals` removes them; users.removal_guard is the limit"
            ),
        ] as [(State, String)])
    func `userd's own view of a resource`(state: State, expected: String) {
        #expect(summary(syncChecks(daemon([state]), clock), "sync.users") == expected)
    }

    @Test func `a pause is a warning; without userd it is skipped`() {
        let paused = syncChecks(daemon(paused: true), clock)
        #expect(
            summary(paused, "sync.paused")
                == "warning: automatic syncs are paused > `userctl resume` resumes them")
        #expect(syncChecks(daemon(), clock).map(\.status) == [.ok])
        var waiting = daemon(paused: true)
        waiting.pauseCause = DaemonState.noDirectory
        #expect(
            summary(syncChecks(waiting, clock), "sync.paused").hasPrefix(
                "warning: not connected > `userctl connect example.org`"))
        #expect(
            syncChecks(nil, clock).map { "\($0.name) \($0.status)" }
                == ["sync.users skipped", "sync.facts skipped", "sync.paused skipped"])
    }

    @Test(
        arguments: [
            (nil, "skipped: there is no cache yet"),
            (.sound(schema: 5), "ok: no damage, schema 5"),
            (.unfinished(schema: 5), "ok: schema 5, no damage in the part that was checked in time"),
            (.corrupt("malformed"), "failed: it is damaged: malformed >   systemctl --user start userd"),
            (.noDatabase, "failed: it is not a database >   systemctl --user start userd"),
            (
                .newer(schema: 9, known: 5),
                "failed: it has schema 9, which is newer than this version's 5 >   systemctl --user start userd"
            ),
            (
                .foreign,
                "failed: the file belongs to another program > give userd another file with --database"
            ),
            (.unreadable("locked"), "failed: it can't be read: locked > `ls -ld /c` may say why"),
        ] as [(CacheExamination?, String)])
    func `a cache's content`(examination: CacheExamination?, expected: String) async {
        let facts = CacheFacts(
            path: "/c/u.db", directory: folder, file: file, examination: examination, user: mine)
        #expect(summary(await cacheChecks(facts), "cache.content") == expected)
    }

    @Test(
        arguments: [
            (
                0, "failed: neither you nor userd has permission to read /c/u.db",
                "skipped: you have no permission to read it"
            ),
            (
                0o200, "failed: neither you nor userd has permission to read /c/u.db",
                "skipped: you have no permission to read it"
            ),
            (
                0o400, "failed: neither you nor userd has permission to write to /c/u.db",
                "ok: no damage, schema 3"
            ),
        ] as [(UInt32, String, String)])
    func `a file that its owner may not use is told with what mends that`(
        mode: UInt32, words: String, content: String
    ) async {
        let examination = mode & 0o400 == 0 ? CacheExamination.unreadable("no") : .sound(schema: 3)
        let facts = CacheFacts(
            path: "/c/u.db", directory: folder, file: .found(.file, owner: mine, mode: mode),
            examination: examination, user: mine)
        #expect(summary(await cacheChecks(facts), "cache.file") == words + " > `chmod u+rw /c/u.db`")
        #expect(summary(await cacheChecks(facts), "cache.content") == content)
    }

    @Test(arguments: [CacheExamination.foreign, .noDatabase])
    func `doctor gives no advice to change another program's file`(examination: CacheExamination) async {
        let facts = CacheFacts(
            path: "/etc/passwd", directory: folder, file: .found(.file, owner: mine, mode: 0o644),
            examination: examination, user: mine)
        #expect(summary(await cacheChecks(facts), "cache.file") == "skipped: it may not be userd's")
        let advice = await cacheChecks(facts).first { $0.name == "cache.content" }?.advice.first
        #expect(advice?.hasPrefix("give userd another file with --database") == true)
    }

    @Test func `a damaged cache that userd has set aside is named, and may be removed`() async {
        let facts = CacheFacts(
            path: "/c/u.db", directory: folder, file: file, examination: .sound(schema: 3),
            setAside: [SetAside(path: "/c/u.db.damaged-20260131T120000Z", time: "2026-01-31T12:00:00Z")],
            user: mine)
        #expect(
            summary(await cacheChecks(facts), "cache.set_aside").hasPrefix(
                "warning: userd found damage at 2026-01-31T12:00:00Z, and set the cache aside as"
                    + " /c/u.db.damaged-20260131T120000Z > it may be removed: `rm -f /c/u.db.damaged-20260131T120000Z*`"
            ))
    }

    @Test func `root needs no permissions`() async {
        let facts = CacheFacts(
            path: "/c/u.db", directory: .found(.folder, owner: 0, mode: 0o500),
            file: .found(.file, owner: 0, mode: 0), examination: .sound(schema: 3), user: 0)
        #expect(await cacheChecks(facts).allSatisfy { $0.status != .failed && $0.status != .warning })
    }

    @Test func `a read-only file system fails`() async {
        let facts = CacheFacts(path: "/c/u.db", freeBytes: 1 << 40, isReadOnly: true, user: mine)
        #expect(
            summary(await cacheChecks(facts), "cache.space").hasPrefix(
                "failed: the cache's file system"))
    }

    @Test func `the advice for a damaged cache is shell commands`() async throws {
        let facts = CacheFacts(
            path: "/c d/it's.db", directory: folder, file: file, examination: .corrupt("x"), user: mine)
        let checks = await cacheChecks(facts)
        let check = try #require(checks.first { $0.status == .failed })
        #expect(
            check.advice == [
                "move it away; userd then fetches everything again:",
                "  systemctl --user stop userd.socket userd.service",
                #"  mv '/c d/it'\''s.db' '/c d/it'\''s.db'.broken"#,
                #"  rm -f '/c d/it'\''s.db'-wal '/c d/it'\''s.db'-shm"#, "  systemctl --user start userd",
            ])
    }

    @Test(
        arguments: [
            (nil, Check.Status.skipped), (1 << 20, .failed), (100 << 20, .warning), (1 << 40, .ok),
        ] as [(Int?, Check.Status)])
    func `a disk that fills up`(free: Int?, status: Check.Status) async {
        let checks = await cacheChecks(CacheFacts(path: "/c/u.db", freeBytes: free, user: mine))
        #expect(checks.first { $0.name == "cache.space" }?.status == status)
    }
}
