import Foundation
import HTTP
import Model
import Platform
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Keeping a sign-in", .timeLimit(.hang))
struct RenewalTests {
    @Test("A token is renewed a minute before its end, and a quarter of its life before that if it is short")
    func early() async throws {
        for (life, until) in [(3600.0, 3539), (40, 29)] {
            let provider = try OAuthServer()
            provider.contents.withLock { $0.life = life }
            try await withPerson(provider) { person in
                let userd = person.userd()
                try await person.signIn(userd)
                let first = try await userd.authorization.token(nil)
                person.time.advance(by: .seconds(until))
                #expect(try await userd.authorization.token(nil) == first)
                person.time.advance(by: .seconds(2))
                #expect(try await userd.authorization.token(nil) != first)
                #expect(provider.refreshes == ["refresh-canary-2"])
            }
        }
    }

    @Test("Fifty who ask at once share one refresh")
    func singleFlight() async throws {
        try await withPerson { person in
            let userd = person.userd()
            try await person.signIn(userd)
            let first = try await userd.authorization.token(nil)
            let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<50 { group.addTask { try await userd.authorization.token(first) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(tokens == ["access-canary-3"])
            #expect(person.provider.refreshes.count == 1)
        }
    }

    @Test("Two userd on one file of tokens refresh in turn, and nobody is signed out")
    func twoUserd() async throws {
        let folder = try TemporaryDirectory()
        let provider = try OAuthServer()
        provider.contents.withLock { $0.life = 1 }
        try await withPerson(provider, folder: folder) { one in
            try await withPerson(provider, folder: folder) { other in
                let userds = [one.userd(), other.userd(), one.userd()]
                try await one.signIn(userds[0])
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for userd in userds {
                        group.addTask {
                            var token: String?
                            for _ in 0..<10 { token = try await userd.authorization.token(token) }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(Set(provider.refreshes).count == provider.refreshes.count, "none twice")
                #expect(userds.allSatisfy { $0.account().signedIn })
            }
        }
    }

    @Test("A refresh whose answer is lost is repeated at once with the same token")
    func lost() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            // A grace period: the provider does nothing with the first.
            provider.contents.withLock { $0.rotates = false }
            provider.script("/token", .lost)
            #expect(try await userd.authorization.token("access-canary-2") == "access-canary-4")
            #expect(provider.refreshes == ["refresh-canary-2", "refresh-canary-2"])
        }
    }

    @Test(
        "After a token is withdrawn, the provider is asked no more until the person signs in again"
    )
    func withdrawn() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            provider.script("/token", .lost)
            for _ in 0..<3 {
                let error = try await thrown { try await userd.authorization.token("access-canary-2") }
                #expect(error.failure.kind == .credentials && !error.failure.retryable)
                #expect(error.failure.advice?.kind == .signIn)
                #expect(error.failure.message.contains("the sign-in has ended"), "\(error.failure.message)")
            }
            #expect(provider.refreshes.count == 2)
            #expect(!userd.account().signedIn && userd.account().name == "ann@example.org")
            // Neither after a restart.
            let next = person.userd()
            #expect(!next.account().signedIn)
            #expect(await next.isSignedOut())
            _ = try await thrown { try await next.authorization.token(nil) }
            #expect(provider.refreshes.count == 2)
            try await person.signIn(next)
            #expect(try await next.authorization.token(nil) != nil)
            // The first notices it by itself.
            #expect(try await userd.authorization.token("access-canary-2") != nil)
        }
    }

    @Test(
        "Whatever else goes wrong, the tokens stay and the next attempt has them",
        arguments: [
            (OAuthServer.Answer.status(500, ""), Failure.Kind.http, true),
            (.status(503, "busy"), .http, true),
            (.status(429, "{}"), .rateLimited, true), (.status(200, "<html>"), .decode, true),
            (.status(400, #"{"error": "invalid_client"}"#), .credentials, false),
            (.status(400, #"{"error": "invalid_request"}"#), .credentials, false),
            (.status(404, "nothing"), .credentials, false),
        ])
    func kept(answer: OAuthServer.Answer, kind: Failure.Kind, isRetryable: Bool) async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            let saved = person.saved
            provider.script("/token", answer)
            let error = try await thrown { try await userd.authorization.token("access-canary-2") }
            #expect(error.failure.kind == kind && error.failure.retryable == isRetryable)
            // A refusal names the provider and has its own advice.
            let setting = kind == .credentials ? nil : "users.oauth.issuer"
            #expect(error.setting == setting)
            #expect(error.failure.reason.hasSuffix(" (see users.oauth.issuer)") == (setting != nil))
            #expect(person.saved == saved && userd.account().signedIn)
            #expect(try await userd.authorization.token("access-canary-2") == "access-canary-3")
        }
    }

    @Test("A provider that is away costs nothing but time")
    func away() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            let saved = person.saved
            provider.stop()
            let error = try await thrown { try await userd.authorization.token("access-canary-2") }
            #expect(error.failure.kind == .offline && error.failure.retryable)
            #expect(person.saved == saved && userd.account().signedIn)
        }
    }

    @Test("After invalid_grant the file is read once more: another process may have been first")
    func readAgain() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let reads = Mutex(0)
            var store = person.store
            let newer = Mutex<SavedTokens?>(nil)
            store.read = { [store] in
                let count = reads.withLock { reads in
                    reads += 1
                    return reads
                }
                return count < 3 ? try store.read() : try newer.withLock { $0 } ?? store.read()
            }
            try await person.signIn(person.userd())
            let userd = person.userd(store)
            // What a process without the lock would have written after the first read.
            let copy = try TemporaryDirectory()
            try FileManager.default.copyItem(atPath: person.tokens, toPath: copy.file("userd-tokens"))
            let faster = person.userd(.file(in: copy.file("userd-tokens")))
            _ = try await faster.authorization.token("access-canary-2")
            let tokens = try TokenStore.file(in: copy.file("userd-tokens")).read()
            newer.withLock { $0 = tokens }
            provider.script("/token", .status(400, #"{"error": "invalid_grant"}"#))
            #expect(try await userd.authorization.token("access-canary-2") == "access-canary-3")
            #expect(provider.refreshes == ["refresh-canary-2", "refresh-canary-2"])
        }
    }

    @Test("Without a refresh token, the sign-in lasts as long as its access token")
    func noRefreshToken() async throws {
        let provider = try OAuthServer()
        provider.contents.withLock { $0.givesRefreshTokens = false }
        try await withPerson(provider) { person in
            let userd = person.userd()
            let account = try await person.signIn(userd)
            #expect(account.until == person.time.now + .seconds(3600))
            person.time.advance(by: .seconds(3600))
            let error = try await thrown { try await userd.authorization.token(nil) }
            #expect(error.failure.advice?.kind == .askForOfflineAccess)
        }
    }

    @Test("A provider whose tokens have no end told is asked for another when one is refused")
    func endless() async throws {
        let provider = try OAuthServer()
        provider.contents.withLock { $0.life = nil }
        try await withPerson(provider) { person in
            let userd = person.userd()
            let account = try await person.signIn(userd)
            #expect(account.until == nil)
            person.time.advance(by: .seconds(1_000_000))
            #expect(try await userd.authorization.token(nil) == "access-canary-2")
            #expect(try await userd.authorization.token("access-canary-2") == "access-canary-3")
        }
    }

    @Test("A caller that gives up leaves the refresh running, and its tokens are kept")
    func cancelled() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            try await person.signIn(person.userd())
            let attempts = Channel<Void>()
            let unsaved = UnsavedTokens()
            let userd = person.userd(person.store.telling(attempts), unsaved: unsaved)
            let lock = try #require(try person.store.lock())
            let asking = Task { try await userd.authorization.token("access-canary-2") }
            try await attempts.receive()
            asking.cancel()
            await #expect(throws: CancellationError.self) { try await asking.value }
            withExtendedLifetime(lock) {}
            _ = consume lock
            await unsaved.settle()
            #expect(person.saved.contains("refresh-canary-3"))
        }
    }
}
