import Glibc
import TestSupport
import Testing

@testable import Daemon

@Suite("Notifications to a service manager", .timeLimit(.hang))
struct ServiceManagerTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "Each notification is one datagram, in order, to a path or an abstract name",
        arguments: [false, true])
    func order(isAbstract: Bool) async throws {
        let path = directory.file("notify")
        let socket = try NotifySocket(isAbstract ? "@" + path.dropFirst() : path)
        let manager = try ServiceManager(socket.name)
        manager.notify(.status("first"))
        manager.notify(.ready(status: "second"))
        manager.notify(.stopping(status: "third"))
        #expect(try await socket.next() == ["STATUS=first"])
        #expect(try await socket.next() == ["READY=1", "STATUS=second"])
        #expect(try await socket.next() == ["STOPPING=1", "STATUS=third"])
    }

    @Test("A status is one line of limited length, with control characters escaped")
    func status() {
        #expect(Notification.status("a\nWATCHDOG=trigger").text == "STATUS=a\\u{A}WATCHDOG=trigger")
        #expect(Notification.status("\u{1B}[31m").text == "STATUS=\\u{1B}[31m")
        for text in ["\u{1}", "👩‍👩‍👧", "e\u{301}\u{301}"] {
            let long = Notification.status(String(repeating: text, count: 10_000)).text
            #expect((900..<1100).contains(long.utf8.count))
            #expect(long.hasSuffix("…"))
        }
    }

    @Test(
        "An invalid name of a notification socket is refused",
        arguments: ["", "/", "@", "relative", "vsock:2:1234", "/" + String(repeating: "a", count: 107)])
    func names(name: String) {
        #expect(throws: ServiceManagerError.unusableSocket(name: name)) { try ServiceManager(name) }
    }

    @Test("A missing service manager is ignored")
    func gone() async throws {
        let manager = try ServiceManager(directory.file("nobody"))
        manager.notify(.ready(status: ""))
        await manager.flush()
        let socket = try NotifySocket(directory.file("nobody"))
        manager.notify(.status("again"))
        #expect(try await socket.next() == ["STATUS=again"])
    }

    @Test("READY is sent again until the service manager has room for it")
    func full() async throws {
        let socket = try NotifySocket(directory.file("notify"), isRead: false)
        while try socket.send("FULL=1") {}
        let manager = try ServiceManager(socket.name)
        manager.notify(.ready(status: "on"))
        // Other notifications give up after one attempt.
        let other = try ServiceManager(socket.name)
        for _ in 1...2 {
            other.notify(.status("lost"))
            await other.flush()
        }
        socket.read()
        #expect(try await socket.next(with: "READY=1") == ["READY=1", "STATUS=on"])
    }

    @Test("NOTIFY_SOCKET is removed from the environment; without it there is no service manager")
    func taken() async throws {
        #expect(try ServiceManager.taken(from: [:]) == nil)
        let socket = try NotifySocket(directory.file("notify"))
        setenv("NOTIFY_SOCKET", socket.name, 1)
        let manager = try #require(try ServiceManager.taken(from: ["NOTIFY_SOCKET": socket.name]))
        #expect(getenv("NOTIFY_SOCKET") == nil)
        manager.notify(.status("it"))
        #expect(try await socket.next() == ["STATUS=it"])
    }
}
