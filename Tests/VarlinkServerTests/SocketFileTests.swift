import Foundation
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing
import Varlink
import VarlinkServer

@Suite(.timeLimit(.hang)) struct SocketFileTests {
    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    private func isServed(_ path: String) async -> Bool {
        (try? await onThread { try VarlinkClient(path: path).call("org.example.Echo", timeout: .seconds(10)) })
            != nil
    }

    @Test("Only the owner can use the new directory and socket, and the socket is removed at the shutdown")
    func modes() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("new/s")
        try await running(try makeServer(Backstage()), at: path) { _ in
            #expect(mode(directory.file("new")) == S_IFDIR | 0o700)
            #expect(mode(path) == S_IFSOCK | 0o600)
        }
        #expect(mode(path) == nil)
    }

    @Test("A second server reports that another one is serving and leaves that alone")
    func secondServer() async throws {
        try await withServer { path, _ in
            await #expect(throws: ListenError.alreadyServed(path: path)) {
                try await running(try makeServer(Backstage()), at: path) { _ in }
            }
            #expect(await isServed(path))
        }
    }

    @Test("A socket without a listener is replaced")
    func deadSocketFile() async throws {
        let directory = try TemporaryDirectory()
        try deadSocket(at: directory.file("s"))
        try await running(try makeServer(Backstage()), at: directory.file("s")) { _ in
            #expect(await isServed(directory.file("s")))
        }
    }

    @Test("A file that is not a socket is left as it is")
    func foreignFile() async throws {
        let directory = try TemporaryDirectory()
        try Data("precious".utf8).write(to: URL(filePath: directory.file("s")))
        await #expect(throws: ListenError.notASocket(path: directory.file("s"))) {
            try await running(try makeServer(Backstage()), at: directory.file("s")) { _ in }
        }
        #expect(try String(contentsOfFile: directory.file("s"), encoding: .utf8) == "precious")
    }

    @Test("A link is not followed, whatever it points to")
    func link() async throws {
        let directory = try TemporaryDirectory()
        symlink(directory.file("elsewhere"), directory.file("s"))
        await #expect(throws: ListenError.notASocket(path: directory.file("s"))) {
            try await running(try makeServer(Backstage()), at: directory.file("s")) { _ in }
        }
    }

    @Test("A socket that has replaced the server's is not removed at the end")
    func replaced() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        var other: Listener?
        try await running(try makeServer(Backstage()), at: path) { _ in
            unlink(path)
            other = try Listener(path, backlog: 1)
        }
        #expect(mode(path) != nil)
        #expect(other != nil)
    }

    enum Loss: CaseIterable { case file, folder, otherFile, otherSocket }

    @Test(
        "A socket that is removed while it is served is bound again; connections stay, and another's file is left alone",
        arguments: Loss.allCases)
    func boundAgain(_ loss: Loss) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("d/s")
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let (bounds, bound) = AsyncStream.makeStream(of: Void.self)
        let log = Mutex<[String]>([])
        let logger = Logger(label: "test") { _ in
            TestLogHandler { event in log.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
            }
        }
        let server = try makeServer(Backstage(), logger: logger)
        let run = { @Sendable (onListening: @Sendable () -> Void) in
            try await server.run(
                at: path, looks: looks, onListening: onListening, onBoundAgain: { bound.yield() })
        }
        try await whileRunning(run) { _ in
            // Some still wait to be accepted when the socket is bound again.
            let early = try (0..<100).map { _ in try VarlinkClient(path: path) }
            unlink(path)
            var other: Listener?
            switch loss {
            case .file: break
            case .folder: rmdir(directory.file("d"))
            case .otherFile: try Data("precious".utf8).write(to: URL(filePath: path))
            case .otherSocket: other = try Listener(path, backlog: 1)
            }
            if [.otherFile, .otherSocket].contains(loss) {
                for _ in 0..<3 { look.yield() }
                try await wait { log.withLock { $0.contains { $0.contains("can't be bound again") } } }
                #expect(access(path, F_OK) == 0)
                withExtendedLifetime(other) {}
                other = nil
                unlink(path)
            }
            look.yield()
            var iterator = bounds.makeAsyncIterator()
            await iterator.next()
            #expect(await isServed(path))
            #expect(mode(path) == S_IFSOCK | 0o600)
            for client in early { _ = try client.call("org.example.Echo", timeout: .seconds(10)) }
        }
        #expect(mode(path) == nil)
        let told = log.withLock { $0.filter { $0.contains("can't be bound again") } }
        #expect(told.count <= 1, "\(told)")
    }

    @Test(
        "A path that is invalid for a socket is refused",
        arguments: ["", String(repeating: "x", count: 108), "a\0b"])
    func badPath(path: String) async throws {
        await #expect(throws: ListenError.badPath(path: path)) {
            try await running(try makeServer(Backstage()), at: path) { _ in }
        }
    }

    @Test("If the directory can't be created, the error names it with the reason")
    func noDirectory() async throws {
        let directory = try TemporaryDirectory()
        await #expect(
            throws: ListenError.system(call: "mkdir", path: directory.file("a/b"), errno: ENOENT)
        ) {
            try await running(try makeServer(Backstage()), at: directory.file("a/b/s")) { _ in }
        }
    }

    @Test("If the socket can't be created, the error names the path and the failed call")
    func noSocket() async throws {
        let path = "/proc/\(getpid())/s"
        let error = await #expect(throws: ListenError.self) {
            try await running(try makeServer(Backstage()), at: path) { _ in }
        }
        #expect(error?.description.hasPrefix("\(path): bind: ") == true)
    }

    @Test(
        "A directory that others may write to, or that is a link, is refused with advice",
        arguments: [
            (0o777, false, "chmod go-w"), (0o770, false, "chmod go-w"),
            (0o700, true, "name the directory itself"),
        ])
    func unsafeDirectory(mode: mode_t, isLink: Bool, advice: String) async throws {
        let directory = try TemporaryDirectory()
        mkdir(directory.file("d"), 0o700)
        chmod(directory.file("d"), mode)
        if isLink { symlink(directory.file("d"), directory.file("link")) }
        let path = directory.file(isLink ? "link/s" : "d/s")
        let error = await #expect(throws: ListenError.self) {
            try await running(try makeServer(Backstage()), at: path) { _ in }
        }
        #expect(error?.description.contains(advice) == true)
        #expect(self.mode(path) == nil)
    }

    @Test(
        "A directory that others may read, and a shared sticky directory, are accepted"
    )
    func safeDirectories() async throws {
        let directory = try TemporaryDirectory()
        mkdir(directory.file("d"), 0o755)
        chmod(directory.file("d"), 0o755)
        for path in [directory.file("d/s"), "/tmp/userd-test-\(getpid()).sock"] {
            try await running(try makeServer(Backstage()), at: path) { _ in #expect(await isServed(path)) }
        }
    }

    @Test("One of several servers that start together serves, and the others report why they do not")
    func race() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        try deadSocket(at: path)
        let backstages = (0..<8).map { _ in Backstage() }
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let tasks = try backstages.map { backstage in
            let server = try makeServer(backstage)
            return Task {
                do {
                    try await server.run(at: path) { end.yield(true) }
                } catch let error as ListenError {
                    #expect(error == .alreadyServed(path: path) || error == .busy(path: path))
                    end.yield(false)
                }
            }
        }
        var outcomes: [Bool] = []
        for await outcome in ends {
            outcomes.append(outcome)
            if outcomes.count == tasks.count { break }
        }
        #expect(outcomes.count { $0 } == 1)
        #expect(await isServed(path))
        for task in tasks { task.cancel() }
        for task in tasks { try await task.value }
    }

    @Test("Each listen error says what to do")
    func descriptions() {
        #expect(
            ListenError.alreadyServed(path: "/p").description
                == "another process already serves /p; stop it, or choose another path")
        #expect(ListenError.busy(path: "/p").description.contains("about to serve /p"))
        #expect(ListenError.notASocket(path: "/p").description.contains("left alone"))
        #expect(ListenError.badPath(path: "/p").description.contains("1 to 107 bytes"))
        #expect(
            ListenError.system(call: "bind", path: "/p", errno: EACCES).description
                == "/p: bind: Permission denied")
    }
}
