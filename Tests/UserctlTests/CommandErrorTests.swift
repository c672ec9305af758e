import ArgumentParser
import Cache
import Foundation
import Model
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

@Suite struct CommandErrorTests {
    @Test(arguments: [
        (
            VarlinkClientError.noSocket(path: "/s"), Outcome.unavailable,
            "userd is not running (no socket at /s)"
        ),
        (.refused(path: "/s"), .unavailable, "userd is not running (nothing listens at /s)"),
        (.permissionDenied(path: "/s"), .unavailable, "no permission to connect to /s"),
        (
            .otherUser(path: "/s", user: 7), .unavailable,
            "not your userd, but a process of user 7 listens at /s"
        ),
        (.badPath(path: ""), .usage, "a socket's path has 1 to 107 bytes, and this one has 0: "),
        (
            .system(call: "connect", errno: 24), .unavailable,
            "can't connect to userd: connect: Too many open files"
        ),
        (.timedOut, .timedOut, "userd did not answer in time"),
        (.closed, .unavailable, "userd closed the connection before it answered"),
        (.violation("x"), .unavailable, "the reply is not valid Varlink: x"),
        (.interrupted, .interrupted, ""),
    ])
    func `a failed call has a message and an exit code`(
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
        (.noFacts, .failed, "no cached fact is short enough"),
        (
            .sequenceGone(epoch: "e", oldest: 3, newest: 9), .failed,
            "these transitions are no longer kept; available are 3 to 9"
        ),
        (.fellBehind(epoch: "e", index: 4), .failed, "fell behind after transition 4"),
        (.invalidCursor(cursor: "c"), .failed, "the list changed too much while it was read"),
        (.upstreamFailed(failure: offline), .failed, "upstream failed: connection refused"),
        (.cacheUnavailable(message: "disk full"), .unavailable, "the cache can't be used: disk full"),
        (.ending, .unavailable, "userd stopped before it answered"),
    ])
    func `userd's error has a message and an exit code`(
        error: UserdError, status: Outcome, message: String
    ) throws {
        for error in [error, error.wire] as [any Error] {
            let error = try #require(CommandError(error))
            #expect(error.status == status)
            #expect(error.message == message)
        }
    }

    @Test(arguments: [
        (VarlinkError.invalidParameter("limit"), Outcome.usage, "userd rejected the parameter limit"),
        (
            .invalidParameter("search"), .usage,
            "the search is too long: the limit is 16 words and 1,000 bytes"
        ),
        (.methodNotFound("io.userd.X"), .unavailable, "userd does not know io.userd.X"),
        (.interfaceNotFound("io.userd"), .unavailable, "userd does not know io.userd"),
        (
            .permissionDenied, .unavailable, "userd has reached its limit of connections"
        ),
        (VarlinkError(name: "a.b.C"), .unavailable, "userd answered with the error a.b.C"),
    ])
    func `a Varlink error has a message and an exit code`(
        error: VarlinkError, status: Outcome, message: String
    ) throws {
        let error = try #require(CommandError(error))
        #expect(error.status == status)
        #expect(error.message == message)
    }

    @Test func `an ambiguous key lists some ids`() throws {
        let ids = (1...25).map(String.init)
        let error = try #require(CommandError(UserdError.ambiguous(key: "k", ids: ids).wire))
        #expect(error.status == .failed)
        #expect(error.advice.first == "  1")
        #expect(error.advice.count == 11)
        #expect(error.advice.last == "  and 15 more")
    }

    @Test func `an unusable cache is reported with advice`() throws {
        let unusable = CacheError.unusable(path: "/c", reason: "is newer", advice: "update")
        let error = try #require(CommandError(unusable))
        #expect(error.message == "/c: is newer")
        #expect(error.advice == ["update"])
        // An error about the cache file must not say that userd is not running.
        #expect(CommandError(CacheError.absent(path: "/c"))?.message == "there is no cache at /c")
    }

    @Test func `a key is quoted for a shell in commands to copy`() throws {
        for (key, quoted) in [
            ("anna@example.com", "anna@example.com"), ("Zoë", "'Zoë'"), ("two words", "'two words'"),
            ("two\u{A0}words", "'two\u{A0}words'"), ("=ls", "'=ls'"),
            ("$(reboot)", "'$(reboot)'"), ("o'neill", #"'o'\''neill'"#), ("a;b", "'a;b'"), ("-x", "-- -x"),
        ] {
            let error = try #require(CommandError(UserdError.notFound(key: key)))
            #expect(error.advice == ["search with `userctl search \(quoted)`"])
            if key == "-x" { continue }
            let ambiguous = try #require(CommandError(UserdError.ambiguous(key: "k", ids: [key, "2"])))
            #expect(ambiguous.advice.first == "  \(quoted)")
        }
    }

    @Test(arguments: ["", "!!!"]) func `a key without letters or digits gets no advice to search`(key: String)
        throws
    {
        let error = try #require(CommandError(UserdError.notFound(key: key)))
        #expect(error.advice == ["`userctl list` lists all users"])
    }

    @Test func `each error says what happened, and what to do`() throws {
        let errors: [any Error] = [
            VarlinkClientError.noSocket(path: "/s"), VarlinkClientError.refused(path: "/s"),
            VarlinkClientError.permissionDenied(path: "/s"),
            VarlinkClientError.otherUser(path: "/s", user: 7), VarlinkClientError.badPath(path: ""),
            VarlinkClientError.system(call: "connect", errno: 24), VarlinkClientError.timedOut,
            VarlinkClientError.closed, VarlinkClientError.violation("x"), UserdError.notFound(key: "k"),
            UserdError.noFacts, UserdError.sequenceGone(epoch: "e", oldest: 3, newest: 9),
            UserdError.fellBehind(epoch: "e", index: 4), UserdError.invalidCursor(cursor: "c"),
            UserdError.upstreamFailed(failure: offline), UserdError.cacheUnavailable(message: "disk full"),
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

    /// `userctl …` in the sources, in backticks or as a line; each interpolation counts as a word.
    @Test func `the advice names existing commands`() throws {
        let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter {
            $0.hasPrefix("Client/") && $0.hasSuffix(".swift")
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

    @Test func `other errors are not converted`() {
        #expect(CommandError(CancellationError()) == nil)
    }
}
