import Foundation
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Signing in by a code", .timeLimit(.hang))
struct DeviceTests {
    private static let pending = OAuthServer.Answer.status(400, #"{"error": "authorization_pending"}"#)

    @Test("userd asks in the provider's interval, and five seconds less often when told to slow down")
    func slowDown() async throws {
        let provider = try OAuthServer()
        provider.script(
            "/token", Self.pending, .status(400, #"{"error": "slow_down"}"#), Self.pending, .asUsual)
        try await withPerson(provider) { person in
            person.time.skip()
            let prompts = Mutex<[SignInPrompt]>([])
            let account = try await person.userd().signIn(.device) { prompt in
                prompts.withLock { $0.append(prompt) }
            }
            #expect(account.signedIn)
            #expect(person.time.slept == [5, 5, 10, 10].map(Duration.seconds))
            let prompt = try #require(prompts.withLock { $0.first })
            #expect(prompt.code == "WDJB-MJHT" && prompt.life == .seconds(60))
            #expect(prompt.address == provider.issuer + "/enter")
            #expect(provider.requests("/device").first?.fields["scope"] == "openid users.read")
        }
    }

    @Test(
        "An interval below a second is none, so userd asks every five seconds", arguments: ["0", "-1", "0.1"])
    func noInterval(interval: String) async throws {
        let provider = try OAuthServer()
        let body = #"""
            {"device_code": "device-canary", "user_code": "A", "verification_uri": "https://g.example/d",
            "interval": \#(interval)}
            """#
        provider.script("/device", .status(200, body))
        provider.script("/token", Self.pending, .asUsual)
        try await withPerson(provider) { person in
            person.time.skip()
            let account = try await person.userd().signIn(.device) { _ in }
            #expect(account.signedIn)
            #expect(person.time.slept == [5, 5].map(Duration.seconds))
        }
    }

    @Test("Google's names of the members, its 428 and an answer of 200 with an error are understood")
    func otherDialects() async throws {
        let provider = try OAuthServer()
        provider.script(
            "/device",
            .status(
                200,
                """
                {"device_code": "device-canary", "user_code": "A", "verification_url": "https://g.example/d",
                "verification_uri_complete": "https://g.example/d?user_code=A", "expires_in": "60"}
                """))
        provider.script(
            "/token", .status(428, #"{"error": "authorization_pending"}"#),
            .status(200, #"{"error": "authorization_pending"}"#), .asUsual)
        try await withPerson(provider) { person in
            person.time.skip()
            let addresses = Mutex<[String]>([])
            _ = try await person.userd().signIn(.device) { prompt in
                addresses.withLock { $0.append(prompt.address) }
            }
            #expect(addresses.withLock { $0 } == ["https://g.example/d?user_code=A"])
        }
    }

    @Test("Without an answer, userd asks less often and goes on")
    func unreachable() async throws {
        let provider = try OAuthServer()
        provider.script("/token", .lost, .status(503, ""), .asUsual)
        // A lost answer uses up nothing here.
        try await withPerson(provider) { person in
            person.time.skip()
            let account = try await person.userd().signIn(.device) { _ in }
            #expect(account.signedIn)
            #expect(person.time.slept == [5, 10, 20].map(Duration.seconds))
        }
    }

    @Test(
        "A code that is refused or has expired ends the sign-in with what to do",
        arguments: [
            (#"{"error": "access_denied"}"#, "it was denied", Advice.Kind.signInAgain),
            (#"{"error": "expired_token"}"#, "nobody entered the code in time", .signInAgain),
            (
                #"{"error": "invalid_request", "error_description": "AADSTS530036: No. Trace ID: 7-8"}"#,
                "the tenant does not allow device codes (invalid_request: AADSTS530036: No.)",
                .useBrowser
            ),
        ])
    func refused(body: String, words: String, advice: Advice.Kind) async throws {
        let provider = try OAuthServer()
        provider.script("/token", .status(400, body))
        try await withPerson(provider) { person in
            person.time.skip()
            let error = try await thrown { try await person.userd().signIn(.device) { _ in } }
            #expect(error.failure.message.contains(words), "\(error.failure.message)")
            #expect(!error.failure.message.contains("Trace"))
            #expect(error.failure.advice?.kind == advice)
        }
    }

    @Test("userd gives up when the code has expired, also if the provider does not say so")
    func expired() async throws {
        let provider = try OAuthServer()
        for _ in 0..<20 { provider.script("/token", Self.pending) }
        try await withPerson(provider) { person in
            person.time.skip()
            let error = try await thrown { try await person.userd().signIn(.device) { _ in } }
            #expect(error.failure.advice?.kind == .signInAgain)
            #expect(person.time.monotonic < .seconds(60))
        }
    }

    @Test("The client id that comes with userd uses no device codes, and nobody is asked for one")
    func builtInClient() async throws {
        let provider = try OAuthServer()
        let identity = ClientIdentity(id: "userd-client", isBuiltIn: true)
        try await withPerson(provider, { $0.identity = identity }) { person in
            let error = try await thrown { try await person.userd().signIn(.device) { _ in } }
            #expect(error.failure.advice?.kind == .useBrowser, "\(error.failure.message)")
            #expect(provider.requests("/device").isEmpty)
            #expect(try await person.signIn(person.userd()).signedIn)
        }
    }

    @Test("A provider without device codes says so before anything is asked")
    func missing() async throws {
        let provider = try OAuthServer()
        provider.contents.withLock { $0.document = ["device_authorization_endpoint": ""] }
        try await withPerson(provider) { person in
            let error = try await thrown { try await person.userd().signIn(.device) { _ in } }
            #expect(error.failure.advice?.kind == .nameDeviceEndpoint)
        }
        let own = try #require(URL(string: provider.issuer + "/device"))
        try await withPerson(provider, { $0.endpoints[.device] = own }) { person in
            person.time.skip()
            let account = try await person.userd().signIn(.device) { _ in }
            #expect(account.signedIn)
        }
    }

    @Test("An address that is not https is not shown to the person")
    func plain() async throws {
        let provider = try OAuthServer()
        let body = #"{"device_code": "d", "user_code": "A", "verification_uri": "http://g.example/d"}"#
        provider.script("/device", .status(200, body))
        try await withPerson(provider) { person in
            let error = try await thrown {
                try await person.userd().signIn(.device) { _ in Issue.record("it is shown") }
            }
            #expect(error.failure.kind == .decode)
        }
    }
}

@Suite("Signing in with a pasted address", .timeLimit(.hang))
struct PasteTests {
    @Test("The address at which a browser elsewhere ended signs the person in; others do not")
    func pastes() async throws {
        try await withPerson { person in
            let userd = person.userd()
            let early = try await thrown { try await userd.paste("http://127.0.0.1/callback?code=1&state=2") }
            #expect(early.failure.reason == "no sign-in waits for an address")
            let prompts = Channel<SignInPrompt>()
            let signIn = Task { try await userd.signIn(.paste) { prompts.send($0) } }
            let redirect = person.provider.approve(try await prompts.receive().address)
            #expect(redirect.hasPrefix("http://127.0.0.1:"))
            for wrong in ["", "hello", redirect.replacing("state=", with: "state=x"), "\(redirect)&code=2"] {
                let error = try await thrown { try await userd.paste(wrong) }
                #expect(error.failure.advice?.kind == .pasteWholeAddress, "\(wrong)")
            }
            try await userd.paste("  \(redirect)\n")
            #expect(try await signIn.value.name == "ann@example.org")
        }
    }
}
