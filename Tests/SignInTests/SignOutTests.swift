import Foundation
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Signing out", .timeLimit(.hang))
struct SignOutTests {
    @Test("The refresh token is revoked, and the file is gone")
    func revoked() async throws {
        try await withPerson { person in
            let userd = person.userd()
            try await person.signIn(userd)
            #expect(try await userd.signOut(false) == .revoked)
            let asked = try #require(person.provider.requests("/revoke").first?.fields)
            #expect(asked["token"] == "refresh-canary-2" && asked["token_type_hint"] == "refresh_token")
            #expect(asked["client_id"] == "userd-client")
            #expect(person.saved.isEmpty && !userd.account().signedIn)
            _ = try await thrown { try await userd.authorization.token(nil) }
            #expect(try await userd.signOut(false) == .nobodyWasSignedIn)
        }
    }

    @Test(
        "The tokens are also forgotten if the provider does not revoke them, and the person is told"
    )
    func notRevoked() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            provider.script("/revoke", .status(401, #"{"error": "invalid_client"}"#))
            #expect(try await userd.signOut(false) == .notRevoked("invalid_client"))
            #expect(person.saved.isEmpty)
            try await person.signIn(userd)
            provider.stop()
            guard case .notRevoked(let reason) = try await userd.signOut(false) else {
                Issue.record("revoked")
                return
            }
            #expect(reason.contains("127.0.0.1") && person.saved.isEmpty)
        }
    }

    @Test("If asked, tokens that could not be revoked stay, and are revoked by another try")
    func keeping() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            let saved = person.saved
            provider.script("/revoke", .status(503, "{}"))
            guard case .notRevoked = try await userd.signOut(true) else {
                Issue.record("revoked")
                return
            }
            #expect(person.saved == saved && !saved.isEmpty && userd.account().signedIn)
            #expect(try await userd.signOut(true) == .revoked)
            #expect(person.saved.isEmpty)
        }
    }

    @Test("If asked, tokens stay on the disk until the provider has answered")
    func silence() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            let saved = person.saved
            let seen = Mutex("")
            provider.script("/revoke", .after { seen.withLock { $0 = person.saved } })
            #expect(try await userd.signOut(true) == .revoked)
            #expect(seen.withLock { $0 } == saved && person.saved.isEmpty)
        }
    }

    @Test("A provider without revocation is asked for nothing")
    func noRevocation() async throws {
        let provider = try OAuthServer()
        provider.contents.withLock { $0.document = ["revocation_endpoint": ""] }
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            #expect(
                try await userd.signOut(false)
                    == .notRevoked("\(provider.issuer) offers no way to revoke tokens"))
        }
    }
}

@Suite("Secrets of signing in", .timeLimit(.hang))
struct SignInSecretsTests {
    @Test("No message has a token, a code or a verifier, also if the provider echoes what it was sent")
    func echoes() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider) { person in
            let userd = person.userd()
            try await person.signIn(userd)
            let secrets = [person.saved.firstMatch(of: /refresh-canary-\d+/).map { String($0.output) }]
            for secret in secrets.compactMap(\.self) + ["code-canary-1", "access-canary-2"] {
                provider.script(
                    "/token", .status(400, #"{"error": "x\#(secret)", "error_description": "y \#(secret)"}"#))
                let error = try await thrown { try await userd.authorization.token("access-canary-2") }
                #expect(error.failure.message.contains("REDACTED"), "\(error.failure.message)")
                #expect(!error.failure.message.contains("canary"), "\(error.failure.message)")
                #expect(person.redactor.removed(from: "a\(secret)b") == "aREDACTEDb")
            }
        }
    }

    @Test("A start learns the tokens of the file, so that they are in no message from the beginning")
    func learnt() async throws {
        let folder = try TemporaryDirectory()
        let provider = try OAuthServer()
        try await withPerson(provider, folder: folder) { _ = try await $0.signIn($0.userd()) }
        try await withPerson(provider, folder: folder) { person in
            _ = person.userd()
            #expect(person.redactor.removed(from: "access-canary-2 refresh-canary-2") == "REDACTED REDACTED")
        }
    }
}

@Suite("Errors of providers", .timeLimit(.hang))
struct RefusalTests {
    @Test(
        "The providers' words lead to what a person can do",
        arguments: [
            (
                "invalid_grant", "AADSTS65001: The user or administrator has not consented",
                Advice.Kind.askForConsent
            ),
            ("access_denied", "AADSTS90094: An administrator must consent", .askForConsent),
            ("unauthorized_client", "AADSTS700016: Application not found in the directory", .checkClient),
            (
                "invalid_client", "AADSTS7000218: The request body must contain client_secret",
                .allowPublicClient
            ),
            ("invalid_grant", "AADSTS50105: Your administrator has configured", .askForAssignment),
            ("invalid_grant", "AADSTS53003: Access has been blocked by Conditional Access", .askAboutPolicy),
            ("invalid_grant", "AADSTS530003: Your device is required to be managed", .askAboutPolicy),
            // A number counts as a whole.
            ("invalid_request", "AADSTS500113: No reply address is registered", .registerRedirect),
            ("invalid_scope", "AADSTS650019: no known number", .checkScope),
            ("invalid_client", "AADSTS650010, AADSTS65001: two of them", .askForConsent),
            ("invalid_request", "client_secret is missing.", .nameSecret),
            ("org_internal", "", .useOtherAccount), ("redirect_uri_mismatch", "", .registerRedirect),
            ("access_denied", "User is not assigned to the client application.", .askForAssignment),
            ("access_denied", "", .signInAgain), ("invalid_scope", "", .checkScope),
            ("unauthorized_client", "", .registerAsNative), ("unsupported_grant_type", "", .useBrowser),
        ])
    func advice(code: String, words: String, advice: Advice.Kind) async throws {
        let provider = try OAuthServer()
        provider.script("/token", .status(400, #"{"error": "\#(code)", "error_description": "\#(words)"}"#))
        try await withPerson(provider) { person in
            let error = try await thrown { try await person.signIn(person.userd()) }
            #expect(error.failure.advice?.kind == advice, "\(error.failure.message)")
            #expect(error.failure.message.hasPrefix("the sign-in failed at 127.0.0.1: "))
            #expect(error.failure.reason.hasSuffix(words.isEmpty ? "(\(code))" : "(\(code): \(words))"))
        }
    }
}
