import ArgumentParser
import Cache
import Foundation
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
        (.violation("x"), .unavailable, "the reply is not valid Varlink: x"),
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
        (.ending, .unavailable, "userd was stopped before it had answered"),
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
        (
            .invalidParameter("search"), .usage, "what to search for is too long: it may have 1,000 bytes"
        ),
        (.methodNotFound("io.userd.X"), .unavailable, "what listens there knows no io.userd.X"),
        (.interfaceNotFound("io.userd"), .unavailable, "what listens there knows no io.userd"),
        (
            .permissionDenied, .unavailable, "userd has as many connections as it takes"
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
        #expect(error.advice.first == "  1")
        #expect(error.advice.count == 21)
        #expect(error.advice.last == "  and 5 more")
    }

    @Test func `a cache that can't be used is told with what to do`() throws {
        let unusable = CacheError.unusable(path: "/c", reason: "is newer", advice: "update")
        let error = try #require(CommandError(unusable))
        #expect(error.message == "/c: is newer")
        #expect(error.advice == ["update"])
        // Whether userd runs is not for the file to say.
        #expect(CommandError(CacheError.absent(path: "/c"))?.message == "there is no cache at /c")
    }

    @Test func `a key that a shell would obey is quoted in what there is to copy`() throws {
        for (key, quoted) in [
            ("anna@example.com", "anna@example.com"), ("Zoë", "'Zoë'"), ("two words", "'two words'"),
            ("two\u{A0}words", "'two\u{A0}words'"), ("=ls", "'=ls'"),
            ("$(reboot)", "'$(reboot)'"), ("o'neill", #"'o'\''neill'"#), ("a;b", "'a;b'"), ("-x", "-- -x"),
        ] {
            let error = try #require(CommandError(UserdError.notFound(key: key)))
            #expect(error.advice == ["look for one with `userctl search \(quoted)`"])
            if key == "-x" { continue }
            let ambiguous = try #require(CommandError(UserdError.ambiguous(key: "k", ids: [key, "2"])))
            #expect(ambiguous.advice.first == "  \(quoted)")
        }
    }

    @Test(arguments: ["", "!!!"]) func `what nobody can search for is not advised`(key: String) throws {
        let error = try #require(CommandError(UserdError.notFound(key: key)))
        #expect(error.advice == ["`userctl list` tells who there is"])
    }

    @Test func `each error says in one line what happened, and in the next what to do`() throws {
        let errors: [any Error] = [
            VarlinkClientError.noSocket(path: "/s"), VarlinkClientError.refused(path: "/s"),
            VarlinkClientError.permissionDenied(path: "/s"), VarlinkClientError.badPath(path: ""),
            VarlinkClientError.system(call: "connect", errno: 24), VarlinkClientError.timedOut,
            VarlinkClientError.closed, VarlinkClientError.violation("x"), UserdError.notFound(key: "k"),
            UserdError.noFacts, UserdError.sequenceGone(epoch: "e", oldest: 3, newest: 9),
            UserdError.fellBehind(epoch: "e", index: 4), UserdError.invalidCursor("c"),
            UserdError.upstreamFailed(offline), UserdError.cacheUnavailable(message: "disk full"),
            VarlinkError.invalidParameter("limit"), VarlinkError.methodNotFound("io.userd.X"),
            VarlinkError.permissionDenied, VarlinkError(name: "a.b.C"), CacheError.absent(path: "/c"),
            CacheError.unusable(path: "/c", reason: "is newer", advice: "update"), CacheError.storage("full"),
        ]
        for error in errors {
            let error = try #require(CommandError(error))
            #expect(!error.message.isEmpty)
            #expect(error.advice.count == 1, "\(error)")
            for line in [error.message] + error.advice { #expect(!line.contains("\n")) }
        }
    }

    /// In the sources, in backticks or on a line of its own: `userctl …`, with what is filled in taken for a word.
    @Test func `what userctl tells people to run are commands that it has`() throws {
        let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter {
            $0.hasPrefix("UserctlKit/") && $0.hasSuffix(".swift")
        }
        var advised: Set<String> = []
        for file in files {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            let inBackticks = text.matches(of: /`userctl ([^`\n]*)`/).map(\.1)
            let examples = text.matches(of: /(?m)^ +userctl ([^\n#>|]*)/).flatMap {
                $0.1.split(separator: "&& userctl ")
            }
            for words in inBackticks + examples.map({ $0.prefix { $0 != "&" } }) {
                let command = String(words).replacing("\"", with: "").replacing(
                    /\\\(([^()]|\([^()]*\))*\)/, with: "users")
                advised.insert(command.replacing("--since users", with: "--since 1"))
            }
        }
        #expect(advised.count > 40)
        for command in advised {
            do {
                _ = try Userctl.parseAsRoot(command.split(separator: " ").map(String.init))
            } catch {
                #expect(Userctl.exitCode(for: error).isSuccess, "userctl \(command)")
            }
        }
    }

    @Test func `an error of nobody here is left to others`() {
        #expect(CommandError(CancellationError()) == nil)
    }
}
