import Foundation
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Signing in by the browser", .timeLimit(.hang))
struct BrowserTests {
    @Test("A person signs in by a redirect to this machine, and their token is sent")
    func signsIn() async throws {
        try await withPerson { person in
            let userd = person.userd()
            #expect(!userd.account().signedIn)
            let prompts = Mutex<[SignInPrompt]>([])
            let account = try await userd.signIn(.browser) { prompt in
                prompts.withLock { $0.append(prompt) }
                let redirect = person.provider.approve(prompt.address)
                Task { try await person.visit(redirect) }
            }
            #expect(account.signedIn && account.name == "ann@example.org")
            #expect(account.provider == person.provider.issuer && account.since == person.time.now)
            #expect(userd.account() == account)
            #expect(try await userd.authorization.token(nil) == "access-canary-2")

            let prompt = try #require(prompts.withLock { $0.first })
            #expect(prompts.withLock { $0.count } == 1 && prompt.code == nil)
            let parts = try #require(URLComponents(string: prompt.address))
            #expect(parts.path == "/authorize")
            let asked = fields(parts.percentEncodedQuery ?? "")
            #expect(asked["tenant"] == "a" && asked["response_type"] == "code")
            #expect(asked["client_id"] == "userd-client" && asked["scope"] == "openid users.read")
            #expect(asked["code_challenge_method"] == "S256" && asked["code_challenge"]?.count == 43)
            #expect(asked["state"]?.count == 43 && asked["nonce"]?.count == 43)
            #expect(asked["prompt"] == nil)
            let redirect = try #require(URLComponents(string: asked["redirect_uri"] ?? ""))
            #expect(redirect.host == "127.0.0.1" && redirect.path == "/callback")
            #expect(try await !isListening(try #require(redirect.port)), "it still listens")
        }
    }

    @Test("Only a redirect with the right path and state ends the wait; others get 400")
    func forged() async throws {
        try await withPerson { person in
            let userd = person.userd()
            let statuses = Channel<[Int]>()
            _ = try await userd.signIn(.browser) { prompt in
                let redirect = person.provider.approve(prompt.address)
                let base = String(redirect.prefix { $0 != "?" })
                Task {
                    var answers: [Int] = []
                    for wrong in [
                        "\(base)?code=stolen&state=wrong", "\(base)?code=stolen",
                        "\(base)?error=access_denied&state=wrong", "\(base)x?\(query(redirect))",
                        "\(redirect)&state=wrong", "\(redirect)&iss=https://other.example", base,
                    ] {
                        answers.append(try await person.visit(wrong).status)
                    }
                    answers.append(try await person.visit(redirect).status)
                    statuses.send(answers)
                }
            }
            #expect(try await statuses.receive() == [400, 400, 400, 400, 400, 400, 400, 200])
        }
    }

    @Test("The browser shows a plain page that says what to do next, without anything of the request")
    func page() async throws {
        try await withPerson { person in
            let pages = Channel<HTTPResponse>()
            _ = try await person.userd().signIn(.browser) { prompt in
                let redirect = person.provider.approve(prompt.address)
                Task { pages.send(try await person.visit(redirect)) }
            }
            let page = try await pages.receive()
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(text.contains("the terminal says whether it succeeded. You can close this window."))
            #expect(!text.contains("canary") && !text.contains("<script"))
            #expect(page.headers["Cache-Control"] == "no-store")
            #expect(page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        }
    }

    @Test("A provider that names itself in redirects must do so in each (RFC 9207)")
    func namesIssuer() async throws {
        let provider = try OAuthServer()
        let document = """
            {"issuer": "\(provider.issuer)", "authorization_endpoint": "\(provider.issuer)/authorize",
            "token_endpoint": "\(provider.issuer)/token",
            "authorization_response_iss_parameter_supported": true}
            """
        provider.script("/.well-known/openid-configuration", .status(200, document))
        try await withPerson(provider) { person in
            let statuses = Channel<[Int]>()
            _ = try await person.userd().signIn(.browser) { prompt in
                let redirect = person.provider.approve(prompt.address)
                Task {
                    let without = try await person.visit(redirect).status
                    let with = try await person.visit("\(redirect)&iss=\(provider.issuer)").status
                    statuses.send([without, with])
                }
            }
            #expect(try await statuses.receive() == [400, 200])
            // django-oauth-toolkit leaves it out of refusals.
            let error = try await thrown {
                try await person.userd().signIn(.browser) { prompt in
                    let refused = person.provider.approve(prompt.address).replacing(
                        /code=[^&]*/, with: "error=access_denied")
                    Task { try await person.visit(refused) }
                }
            }
            #expect(error.failure.message.contains("it was denied"))
        }
    }

    @Test("A refusal that the browser brings ends the sign-in with what to do")
    func denied() async throws {
        try await withPerson { person in
            let userd = person.userd()
            let error = try await thrown {
                try await userd.signIn(.browser) { prompt in
                    let redirect = person.provider.approve(prompt.address)
                    let refused = redirect.replacing(/code=[^&]*/, with: "error=access_denied")
                    Task { try await person.visit(refused) }
                }
            }
            #expect(error.failure.kind == .credentials && !error.failure.retryable)
            #expect(error.failure.message.contains("it was denied"), "\(error.failure.message)")
            #expect(error.failure.advice?.kind == .signInAgain)
            #expect(person.saved.isEmpty && !userd.account().signedIn)
        }
    }

    @Test("A browser that is closed ends the wait after five minutes, and nothing listens")
    func closed() async throws {
        try await withPerson { person in
            let prompts = Channel<SignInPrompt>()
            let signIn = Task { try await person.userd().signIn(.browser) { prompts.send($0) } }
            let port = try port(of: try await prompts.receive())
            #expect(try await isListening(port))
            try await wait { !person.time.slept.isEmpty }
            #expect(person.time.slept == [.seconds(300)])
            person.time.advance(by: .seconds(300))
            let error = try await thrown { try await signIn.value }
            #expect(error.failure.reason == "the browser did not come back within five minutes")
            #expect(error.failure.advice?.kind == .pasteOrUseCode)
            #expect(try await !isListening(port))
        }
    }

    @Test("A sign-in that is given up listens no longer, and the next can begin")
    func cancelled() async throws {
        try await withPerson { person in
            let userd = person.userd()
            let prompts = Channel<SignInPrompt>()
            let signIn = Task { try await userd.signIn(.browser) { prompts.send($0) } }
            let port = try port(of: try await prompts.receive())
            let error = try await thrown { try await person.signIn(userd) }
            #expect(error.failure.message.contains("another sign-in is under way"))
            signIn.cancel()
            await #expect(throws: CancellationError.self) { try await signIn.value }
            #expect(try await !isListening(port))
            #expect(try await person.signIn(userd).signedIn)
        }
    }

    @Test("A port that is taken is named, and so is what to do")
    func taken() async throws {
        let other = try RawServer(answer: "")
        try await withPerson(nil, { $0.redirect = RedirectAddress("http://127.0.0.1:\(other.port)/cb")! }) {
            person in
            let error = try await thrown { try await person.signIn(person.userd()) }
            #expect(error.failure.reason == "another program listens at port \(other.port) of 127.0.0.1")
            #expect(error.failure.advice?.kind == .freePort)
        }
    }

    @Test("For localhost, both addresses listen on one port, and the path is as it is registered")
    func localhost() async throws {
        try await withPerson(nil, { $0.redirect = RedirectAddress("http://localhost")! }) { person in
            let prompts = Channel<SignInPrompt>()
            let userd = person.userd()
            let signIn = Task { try await userd.signIn(.browser) { prompts.send($0) } }
            let prompt = try await prompts.receive()
            let port = try port(of: prompt)
            #expect(redirectURI(of: prompt) == "http://localhost:\(port)")
            #expect(try await isListening(port))
            if try await hasIPv6() { #expect(try await isListening(port, at: "::1")) }
            let redirect = person.provider.approve(prompt.address)
            try await person.visit(
                redirect.replacing("http://localhost:\(port)?", with: "http://127.0.0.1:\(port)/?"))
            #expect(try await signIn.value.signedIn)
        }
    }

    @Test(
        "An ID token of another provider, program, sign-in or time is refused, and nothing is kept",
        arguments: [
            ("iss", #""https://other.example""#, "is from another provider"),
            ("aud", #"["a", "b"]"#, #"is for another program: "a", "b""#),
            ("azp", #""other""#, #"is for another program: "other""#),
            ("nonce", #""n""#, "belongs to another sign-in"), ("nonce", "null", "has no nonce"),
            ("exp", "1767000000", "has already expired"),
        ])
    func idToken(claim: String, value: String, words: String) async throws {
        let provider = try OAuthServer()
        provider.contents.withLock { $0.claims = [claim: value] }
        try await withPerson(provider) { person in
            let userd = person.userd()
            let error = try await thrown { try await person.signIn(userd) }
            #expect(error.failure.reason == "the provider's ID token \(words)")
            #expect(person.saved.isEmpty && !userd.account().signedIn)
        }
    }

    @Test("A code counts once, and the next redirect finds nothing that listens")
    func again() async throws {
        try await withPerson { person in
            let redirects = Mutex("")
            _ = try await person.userd().signIn(.browser) { prompt in
                let redirect = person.provider.approve(prompt.address)
                redirects.withLock { $0 = redirect }
                Task { try await person.visit(redirect) }
            }
            let error = try await thrown { try await person.visit(redirects.withLock { $0 }) }
            #expect(error.failure.kind == .offline)
        }
    }

    @Test("Further parameters and a secret go along, and the provider's own address stays")
    func parameters() async throws {
        try await withPerson(
            nil,
            {
                $0.parameters = [("audience", "https://api.example/ä"), ("prompt", "login")]
                $0.identity = ClientIdentity(id: "userd-client", secret: { "s3cret-canary" }, method: .post)
            }
        ) { person in
            let asked = try await person.requestOfSignIn()
            #expect(asked["audience"] == "https://api.example/ä" && asked["prompt"] == "login")
            let form = try #require(person.provider.requests("/token").first?.fields)
            #expect(form["client_secret"] == "s3cret-canary" && form["audience"] == "https://api.example/ä")
            #expect(form["code_verifier"]?.count == 43)
        }
    }
}

func query(_ address: String) -> String { String(address.drop { $0 != "?" }.dropFirst()) }

private func redirectURI(of prompt: SignInPrompt) -> String {
    fields(URLComponents(string: prompt.address)?.percentEncodedQuery ?? "")["redirect_uri"] ?? ""
}

func port(of prompt: SignInPrompt) throws -> Int {
    try #require(URLComponents(string: redirectURI(of: prompt))?.port)
}

func hasIPv6() async throws -> Bool {
    try await run("/bin/sh", ["-c", "grep -q ' lo$' /proc/net/if_inet6"], environment: [:]).code == 0
}
