import Cache
import Model
import Testing
import UserctlKit
import UserdAPI
import Varlink

@Suite struct CommandErrorTests {
    @Test(arguments: [
        (
            VarlinkClientError.noSocket(path: "/s"), Outcome.unavailable,
            "userd is not running (no socket at /s)"
        ),
        (.refused(path: "/s"), .unavailable, "userd is not running (nobody listens at /s)"),
        (.permissionDenied(path: "/s"), .unavailable, "no permission to connect to /s"),
        (.badPath(path: ""), .usage, "a socket's path has 1 to 107 bytes, and this one has 0: "),
        (
            .system(call: "connect", errno: 24), .unavailable,
            "userd can't be reached: connect: Too many open files"
        ),
        (.timedOut, .timedOut, "userd did not answer in time"),
        (.closed, .unavailable, "userd closed the connection before it had answered"),
        (.violation("x"), .unavailable, "the answer is no Varlink: x"),
        (.interrupted, .interrupted, ""),
    ])
    func `what keeps a call from its answer has words and an exit code`(
        error: VarlinkClientError, status: Outcome, message: String
    ) throws {
        let error = try #require(CommandError(error))
        #expect(error.status == status)
        #expect(error.message == message)
    }

    @Test(arguments: [
        (
            UserdError.notFound(key: "k"), Outcome.failed,
            "no user has the id, username or email address “k”"
        ),
        (.noFacts, .failed, "no fact is cached that fits"),
        (
            .sequenceGone(epoch: "e", oldest: 3, newest: 9), .failed,
            "those transitions are no longer kept: there are 3 to 9"
        ),
        (.fellBehind(epoch: "e", index: 4), .failed, "fell behind after transition 4"),
        (.invalidCursor("c"), .failed, "the list changed too much to go on with"),
        (.upstreamFailed(offline), .failed, "upstream failed: connection refused"),
        (.cacheUnavailable(message: "disk full"), .unavailable, "the cache can't be used: disk full"),
    ])
    func `what userd refuses has words and an exit code`(
        error: UserdError, status: Outcome, message: String
    ) throws {
        for error in [error, error.wire] as [any Error] {
            let error = try #require(CommandError(error))
            #expect(error.status == status)
            #expect(error.message == message)
        }
    }

    @Test(arguments: [
        (VarlinkError.invalidParameter("limit"), Outcome.usage, "userd does not take this limit"),
        (.methodNotFound("io.userd.X"), .unavailable, "what listens there knows no io.userd.X"),
        (.interfaceNotFound("io.userd"), .unavailable, "what listens there knows no io.userd"),
        (
            .permissionDenied, .unavailable,
            "userd has as many connections as it takes: close some, or raise its setting limits.connections"
        ),
        (VarlinkError(name: "a.b.C"), .unavailable, "userd answered a.b.C"),
    ])
    func `what a service refuses has words and an exit code`(
        error: VarlinkError, status: Outcome, message: String
    ) throws {
        let error = try #require(CommandError(error))
        #expect(error.status == status)
        #expect(error.message == message)
    }

    @Test func `a key of many users lists some of their ids`() throws {
        let ids = (1...25).map(String.init)
        let error = try #require(CommandError(UserdError.ambiguous(key: "k", ids: ids).wire))
        #expect(error.status == .failed)
        #expect(error.advice.first == "  userctl show 1")
        #expect(error.advice.count == 21)
        #expect(error.advice.last == "  and 5 more")
    }

    @Test func `a cache that can't be used is told with what to do`() throws {
        let unusable = CacheError.unusable(path: "/c", reason: "is newer", advice: "update")
        #expect(try #require(CommandError(unusable)).message == "/c: is newer; update")
    }

    @Test func `an error of nobody here is left to others`() {
        #expect(CommandError(CancellationError()) == nil)
    }
}
