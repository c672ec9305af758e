import Foundation
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("The provider's document", .timeLimit(.hang))
struct DiscoveryTests {
    @Test("An issuer with a path has its document below it, or else where RFC 8414 puts it")
    func path() async throws {
        let provider = try OAuthServer(path: "/realms/a")
        try await withPerson(provider) { person in
            let account = try await person.signIn(person.userd())
            #expect(account.signedIn)
            #expect(provider.requests.first?.path == "/realms/a/.well-known/openid-configuration")
        }
        let other = try OAuthServer(path: "/realms/b")
        let base = other.issuer.replacing("/realms/b", with: "")
        other.script("/realms/b/.well-known/openid-configuration", .status(404, ""))
        other.script(
            "/.well-known/oauth-authorization-server/realms/b",
            .status(
                200,
                """
                {"issuer": "\(other.issuer)", "authorization_endpoint": "\(base)/authorize",
                "token_endpoint": "\(base)/token"}
                """))
        try await withPerson(other) { person in
            let account = try await person.signIn(person.userd())
            #expect(account.signedIn)
        }
    }

    @Test(
        "A document of another issuer is refused, and its endpoints are not asked",
        arguments: [
            ("https://other.example", Advice(.setIssuer, about: "https://other.example")),
            ("https://login.example/{tenantid}/v2.0", Advice(.checkIssuer)), ("", Advice(.checkIssuer)),
        ])
    func otherIssuer(issuer: String, advice: Advice) async throws {
        let provider = try OAuthServer()
        provider.contents.withLock { $0.document = ["issuer": issuer] }
        try await withPerson(provider) { person in
            let error = try await thrown { try await person.signIn(person.userd()) }
            #expect(error.failure.message.contains("not of \(provider.issuer)"), "\(error.failure.message)")
            #expect(error.failure.advice == advice)
            #expect(provider.requests.count == 1)
        }
    }

    @Test("The issuer counts letter by letter: a slash at its end is another issuer")
    func slash() async throws {
        let provider = try OAuthServer()
        try await withPerson(provider, { $0.issuer = provider.issuer + "/" }) { person in
            let error = try await thrown { try await person.signIn(person.userd()) }
            #expect(error.failure.advice == Advice(.setIssuer, about: provider.issuer))
        }
    }

    @Test("Without a document, endpoints of the settings are enough; without them, the message says so")
    func noDocument() async throws {
        let provider = try OAuthServer()
        let base = provider.issuer
        for _ in 0..<2 { provider.script("/.well-known/openid-configuration", .status(404, "")) }
        try await withPerson(provider) { person in
            let error = try await thrown { try await person.signIn(person.userd()) }
            #expect(error.failure.message.contains("has no document of a provider (it answered 404)"))
            #expect(error.failure.advice?.kind == .checkIssuer)
        }
        try await withPerson(
            provider,
            {
                $0.endpoints = [
                    .authorization: URL(string: base + "/authorize")!, .token: URL(string: base + "/token")!,
                ]
            }
        ) { person in
            let account = try await person.signIn(person.userd())
            #expect(account.signedIn)
        }
        try await withPerson(
            provider,
            {
                $0.issuer = nil
                $0.endpoints = [
                    .authorization: URL(string: base + "/authorize")!, .token: URL(string: base + "/token")!,
                ]
            }
        ) { person in
            let before = provider.requests.count
            let account = try await person.signIn(person.userd())
            #expect(account.signedIn)
            #expect(provider.requests.count == before + 1, "the token alone")
        }
    }

    @Test("A provider that is broken or away is asked again later")
    func broken() async throws {
        let provider = try OAuthServer()
        provider.script("/.well-known/openid-configuration", .status(503, ""))
        try await withPerson(provider) { person in
            let busy = try await thrown { try await person.signIn(person.userd()) }
            #expect(busy.failure.kind == .http && busy.failure.retryable)
            provider.stop()
            let away = try await thrown { try await person.signIn(person.userd()) }
            #expect(away.failure.kind == .offline && away.failure.retryable)
            #expect([busy, away].allSatisfy { $0.setting == "users.oauth.issuer" })
        }
    }

    @Test("An issuer without encryption is asked nothing")
    func plain() async throws {
        try await withPerson(nil, { $0.issuer = "http://idp.example" }) { person in
            let error = try await thrown { try await person.signIn(person.userd()) }
            #expect(error.failure.reason == "http://idp.example is not an https:// address")
        }
    }

    @Test(
        "A redirect address is an http address of this machine",
        arguments: [
            ("http://127.0.0.1/callback", true), ("http://localhost:8400", true), ("http://[::1]:1/x", true),
            ("https://127.0.0.1/callback", false), ("http://192.0.2.1/", false),
            ("http://127.0.0.1/?a", false),
            ("http://a@127.0.0.1/", false), ("callback", false), ("http://127.0.0.1:70000/", false),
            ("http://127.0.0.2/", false), ("http://loc%61lhost/", false),
        ])
    func redirect(text: String, isOne: Bool) {
        #expect((RedirectAddress(text) != nil) == isOne)
    }
}
