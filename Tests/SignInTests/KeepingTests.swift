import Foundation
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

/// A refresh token is for one use at many providers: whoever has spent it must keep the next one.
@Suite("A refresh token and its successor", .timeLimit(.hang))
struct KeepingTests {
    @Test("On a full disk nothing is asked, so a crash costs no sign-in")
    func fullDisk() async throws {
        try await withPerson { person in
            let disk = Disk()
            let userd = person.userd(disk.store(person.store))
            try await person.signIn(userd)
            disk.fill()
            for _ in 0..<2 {
                let error = try await thrown { try await userd.authorization.token("access-canary-2") }
                #expect(error.failure.kind == .storage && error.failure.retryable)
                #expect(error.failure.advice?.kind == .checkTokenFolder)
            }
            #expect(person.provider.refreshes.isEmpty)
            // Killed, and started where there is room.
            #expect(try await person.userd().authorization.token("access-canary-2") == "access-canary-3")
            #expect(person.saved.contains("refresh-canary-3"))
        }
    }

    @Test(
        "Tokens that find no room are used once they are written, also after a reload, and are not asked for twice"
    )
    func reload() async throws {
        try await withPerson { person in
            let (disk, unsaved) = (Disk(), UnsavedTokens())
            let userds = (0..<2).map { _ in person.userd(disk.store(person.store), unsaved: unsaved) }
            try await person.signIn(userds[0])
            disk.fill { String(describing: $0).contains("refresh-canary-2") }
            for userd in userds + [person.userd(disk.store(person.store), unsaved: unsaved)] {
                let error = try await thrown { try await userd.authorization.token("access-canary-2") }
                #expect(error.failure.kind == .storage)
            }
            #expect(person.saved.contains("refresh-canary-2"))
            disk.free()
            let next = person.userd(disk.store(person.store), unsaved: unsaved)
            #expect(try await next.authorization.token("access-canary-2") == "access-canary-3")
            #expect(person.provider.refreshes.count == 1 && person.saved.contains("refresh-canary-3"))
        }
    }

    @Test("An end writes what had no room before")
    func end() async throws {
        try await withPerson { person in
            let (disk, unsaved) = (Disk(), UnsavedTokens())
            let userd = person.userd(disk.store(person.store), unsaved: unsaved)
            try await person.signIn(userd)
            disk.fill { String(describing: $0).contains("refresh-canary-2") }
            _ = try await thrown { try await userd.authorization.token("access-canary-2") }
            disk.free()
            await unsaved.settle()
            #expect(person.saved.contains("refresh-canary-3"))
        }
    }

    @Test("No renewal begins at an end: its tokens could not be kept")
    func late() async throws {
        try await withPerson { person in
            let unsaved = UnsavedTokens()
            let userd = person.userd(unsaved: unsaved)
            try await person.signIn(userd)
            await unsaved.settle()
            await #expect(throws: CancellationError.self) {
                try await userd.authorization.token("access-canary-2")
            }
            #expect(person.provider.refreshes.isEmpty)
        }
    }

    @Test("An end waits for a renewal of earlier settings")
    func earlierSettings() async throws {
        try await withPerson { person in
            let (attempts, unsaved) = (Channel<Void>(), UnsavedTokens())
            let first = person.userd(person.store.telling(attempts), unsaved: unsaved)
            try await person.signIn(first)
            for _ in 0..<2 { try await attempts.receive() }
            let lock = try #require(try person.store.lock())
            let asking = Task { try await first.authorization.token("access-canary-2") }
            try await attempts.receive()
            asking.cancel()
            // A reload.
            _ = person.userd(unsaved: unsaved)
            #expect(unsaved.isRenewing)
            withExtendedLifetime(lock) {}
            _ = consume lock
            await unsaved.settle()
            #expect(!unsaved.isRenewing && person.saved.contains("refresh-canary-3"))
        }
    }

    @Test("Tokens that found no room replace no later sign-in, and come back after no sign-out")
    func outdated() async throws {
        try await withPerson { person in
            let (disk, unsaved) = (Disk(), UnsavedTokens())
            let userd = person.userd(disk.store(person.store), unsaved: unsaved)
            try await person.signIn(userd)
            disk.fill { String(describing: $0).contains("refresh-canary-2") }
            _ = try await thrown { try await userd.authorization.token("access-canary-2") }
            try await person.signIn(person.userd())
            disk.free()
            #expect(try await userd.authorization.token("access-canary-2") == "access-canary-5")

            disk.fill { String(describing: $0).contains("refresh-canary-5") }
            _ = try await thrown { try await userd.authorization.token("access-canary-5") }
            #expect(try await userd.signOut(false) == .revoked)
            let revoked = person.provider.requests("/revoke").map { $0.fields["token"] }
            #expect(revoked == ["refresh-canary-6"], "the newest one")
            disk.free()
            await unsaved.settle()
            #expect(person.saved.isEmpty)
        }
    }

    @Test("A refresh asks for the scope that was granted, and for what keeps the refresh token")
    func grantedScope() async throws {
        let rows: [(asked: String, granted: String?, refreshed: String)] = [
            ("openid a b", "openid a", "openid a"), ("openid a", nil, "openid a"),
            ("openid offline_access a", "a openid", "a openid offline_access"),
        ]
        for (asked, granted, refreshed) in rows {
            let provider = try OAuthServer()
            provider.contents.withLock { $0.scope = granted }
            try await withPerson(provider, { $0.scope = asked }) { person in
                let userd = person.userd()
                try await person.signIn(userd)
                _ = try await userd.authorization.token("access-canary-2")
                let last = provider.requests("/token").last?.fields
                #expect(last?["scope"] == refreshed && last?["grant_type"] == "refresh_token")
            }
        }
    }

    @Test("A scope that is refused is left out")
    func refusedScope() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            provider.script("/token", .status(400, #"{"error": "invalid_scope"}"#))
            #expect(try await userd.authorization.token("access-canary-2") == "access-canary-3")
            #expect(provider.requests("/token").last?.fields["scope"] == nil)
        }
    }

    @Test("If an endpoint is gone, the provider's document is read again", arguments: [404, 410])
    func moved(status: Int) async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            provider.contents.withLock { $0.document = ["token_endpoint": provider.issuer + "/moved/token"] }
            provider.script("/token", .status(status, "gone"))
            #expect(try await userd.authorization.token("access-canary-2") == "access-canary-3")
            #expect(try await userd.authorization.token("access-canary-3") == "access-canary-4")
            #expect(provider.requests("/moved/token").count == 2)
            #expect(person.userd().account().signedIn)

            provider.contents.withLock {
                $0.document["revocation_endpoint"] = provider.issuer + "/moved/revoke"
            }
            provider.script("/revoke", .status(status, ""))
            #expect(try await userd.signOut(false) == .revoked)
            #expect(provider.requests("/moved/revoke").first?.fields["token"] == "refresh-canary-4")
        }
        // What the settings name stays.
        let own = try #require(URL(string: provider.issuer + "/token"))
        try await withPerson(provider, { $0.endpoints[.token] = own }) { person in
            provider.contents.withLock { $0.document = [:] }
            let userd = person.userd()
            try await person.signIn(userd)
            provider.contents.withLock { $0.document = ["token_endpoint": provider.issuer + "/moved/token"] }
            provider.script("/token", .status(status, "gone"))
            let error = try await thrown { try await userd.authorization.token("access-canary-6") }
            #expect(error.failure.message.contains("gone"), "the answer's own words")
            #expect(userd.account().signedIn && provider.requests("/moved/token").count == 2)
        }
    }
}

@Suite("The end of a sign-in", .timeLimit(.hang))
struct SignInEndTests {
    @Test(
        "Only invalid_grant ends a sign-in, unless it is about a device or a place",
        arguments: [
            ("invalid_grant", "", true), ("invalid_grant", "AADSTS700082: it was not used", true),
            ("invalid_grant", "AADSTS53000: Device is not compliant", false),
            ("invalid_grant", "AADSTS53001: Device is not domain joined", false),
            ("invalid_grant", "AADSTS53003: blocked by Conditional Access", false),
            ("invalid_grant", "AADSTS530003: Your device is required to be managed", false),
            ("invalid_grant", "AADSTS530009: no known number", true),
            ("interaction_required", "", false), ("login_required", "", false),
            ("consent_required", "", false), ("bad_refresh_token", "", false), ("invalid_client", "", false),
            ("invalid_scope", "", false), ("access_denied", "", false),
        ])
    func codes(code: String, words: String, ends: Bool) async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            let answer = #"{"error": "\#(code)", "error_description": "\#(words)"}"#
            provider.script("/token", .status(400, answer), .status(400, answer))
            let error = try await thrown { try await userd.authorization.token("access-canary-2") }
            #expect(error.failure.message.contains(words.isEmpty ? code : "\(code): \(words)"))
            #expect(userd.account().signedIn != ends && person.userd().account().signedIn != ends)
            provider.contents.withLock { $0.scripted = [:] }
            if !ends { #expect(try await userd.authorization.token("access-canary-2") == "access-canary-3") }
        }
    }

    @Test("Refusals without a word end a sign-in at the third interval in a row", arguments: [400, 401])
    func wordless(status: Int) async throws {
        let provider = try OAuthServer()
        try await withPerson(provider, { $0.interval = .seconds(600) }) { person in
            try await person.signIn(person.userd())
            /// Asks once as a userd that has just started, and returns whether the person is signed in.
            func refused(_ token: String = "access-canary-2") async throws -> Bool {
                provider.script("/token", .status(status, " \n"))
                let userd = person.userd()
                let error = try await thrown { try await userd.authorization.token(token) }
                #expect(error.failure.reason.hasSuffix("it answered \(status)"))
                return userd.account().signedIn
            }
            // However often within one interval.
            for _ in 0..<5 { #expect(try await refused()) }
            person.time.advance(by: .seconds(600))
            #expect(try await refused())
            // A success begins anew.
            person.time.advance(by: .seconds(600))
            #expect(try await person.userd().authorization.token("access-canary-2") == "access-canary-3")
            for _ in 0..<2 {
                #expect(try await refused("access-canary-3"))
                person.time.advance(by: .seconds(600))
            }
            #expect(try await !refused("access-canary-3"))
            let asked = provider.refreshes.count
            let error = try await thrown { try await person.userd().authorization.token(nil) }
            #expect(error.failure.advice?.kind == .signIn && provider.refreshes.count == asked)
        }
    }

    @Test("Whatever the provider says is shown whole, on one line")
    func words() async throws {
        let provider = try OAuthServer()
        let words =
            "AADSTS65001: " + String(repeating: "the user has not consented, ", count: 12) + "ask them."
        provider.script(
            "/token",
            .status(400, #"{"error": "invalid_grant", "error_description": "\#(words)\r\nTimestamp: x"}"#))
        try await withPerson(provider) { person in
            let error = try await thrown { try await person.signIn(person.userd()) }
            #expect(error.failure.message.contains("\(words) Timestamp: x"), "\(error.failure.message)")
            #expect(error.failure.advice?.kind == .askForConsent)
        }
    }
}
