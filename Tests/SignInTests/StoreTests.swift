import Foundation
import Glibc
import HTTP
import Model
import Platform
import TestSupport
import Testing
import Upstream

@Suite("The file of tokens", .timeLimit(.hang))
struct StoreTests {
    @Test("Only this user can read it, also if its mode was another, and nothing else stays beside it")
    func modes() async throws {
        try await withPerson { person in
            let userd = person.userd()
            try await person.signIn(userd)
            #expect(try mode(person.tokens) == 0o700 && mode(person.file) == 0o600)
            chmod(person.file, 0o644)
            _ = try await userd.authorization.token("access-canary-2")
            #expect(try mode(person.file) == 0o600)
            let files = try FileManager.default.contentsOfDirectory(atPath: person.tokens)
            #expect(Set(files) == ["users.json", "users.json.lock"])
        }
    }

    @Test("The next start has the sign-in, and sends nothing for it")
    func restart() async throws {
        try await withPerson { person in
            let account = try await person.signIn(person.userd())
            let before = person.provider.requests.count
            let next = person.userd()
            #expect(next.account() == account)
            #expect(try await next.authorization.token(nil) == "access-canary-2")
            #expect(person.provider.requests.count == before)
        }
    }

    @Test(
        "If provider, client, scope, endpoint or users' origin differ, nothing of the file is sent"
    )
    func binding() async throws {
        let folder = try TemporaryDirectory()
        let provider = try OAuthServer()
        try await withPerson(provider, folder: folder) { _ = try await $0.signIn($0.userd()) }
        let others: [(inout OAuthClient) -> Void] = [
            { $0.issuer = "http://127.0.0.1:9" }, { $0.identity = ClientIdentity(id: "other") },
            { $0.scope = "openid" }, { $0.endpoints[.token] = URL(string: provider.issuer + "/other")! },
            { $0.resource = URL(string: "https://users.example:8443/scim")! },
        ]
        let before = provider.requests.count
        for change in others {
            try await withPerson(provider, folder: folder, change) { person in
                let userd = person.userd()
                #expect(!userd.account().signedIn)
                #expect(await userd.isSignedOut())
                let error = try await thrown { try await userd.authorization.token(nil) }
                #expect(error.failure.message.hasPrefix("nobody is signed in at"))
                for keeping in [true, false] {
                    #expect(
                        try await userd.signOut(keeping)
                            == .notRevoked(
                                "the settings have changed since the sign-in at \(provider.issuer)"))
                    #expect(person.saved.isEmpty != keeping)
                }
            }
            // Put back what signing out has removed.
            try await withPerson(provider, folder: folder) { person in
                if person.saved.isEmpty { try await person.signIn(person.userd()) }
            }
        }
        #expect(provider.requests("/revoke").isEmpty && provider.refreshes.isEmpty && before > 0)
        // Another path of the same origin is the same directory.
        try await withPerson(
            provider, folder: folder, { $0.resource = URL(string: "https://USERS.example:443/other")! }
        ) { #expect($0.userd().account().signedIn) }
    }

    @Test(
        "A file that can't be read, or of another version, is nobody's sign-in",
        arguments: ["{", #"{"version": 2}"#, ""])
    func unreadable(text: String) async throws {
        try await withPerson { person in
            try makePrivateFolder(person.tokens)
            try replaceDurably(person.file, with: [Array(text.utf8)])
            let userd = person.userd()
            #expect(!userd.account().signedIn)
            let error = try await thrown { try await userd.authorization.token(nil) }
            #expect(error.failure.advice?.kind == .signIn)
            #expect(try await person.signIn(userd).signedIn)
        }
    }

    @Test("While another process holds the lock, nothing is refreshed; when it ends, however, it goes on")
    func lock() async throws {
        try await withPerson { person in
            try await person.signIn(person.userd())
            let attempts = Channel<Void>()
            let userd = person.userd(person.store.telling(attempts))
            let holder = try ChildProcess(
                "/usr/bin/flock",
                ["--no-fork", person.file + ".lock", "/bin/sh", "-c", "echo held; exec sleep 600"],
                environment: [:])
            try await holder.line(containing: "held", in: .output)
            let asking = Task { try await userd.authorization.token("access-canary-2") }
            for _ in 0..<3 { try await attempts.receive() }
            #expect(person.provider.refreshes.isEmpty)
            holder.send(SIGKILL)
            #expect(try await asking.value == "access-canary-3")
        }
    }

    @Test("A lock that is never let go ends the wait with its name")
    func stuck() async throws {
        try await withPerson { person in
            try await person.signIn(person.userd())
            let attempts = Channel<Void>()
            var store = person.store
            store.lock = {
                attempts.send(())
                return nil
            }
            let userd = person.userd(store)
            let asking = Task { try await thrown { try await userd.authorization.token("access-canary-2") } }
            try await attempts.receive()
            person.time.advance(by: .seconds(200))
            let error = try await asking.value
            #expect(error.failure.reason == "another program does not let go of \(person.file).lock")
            #expect(error.failure.retryable)
        }
    }

    @Test("A folder that can't be made is named before the person goes to the provider")
    func noFolder() async throws {
        try await withPerson { person in
            try Data().write(to: URL(filePath: person.tokens))
            let error = try await thrown {
                try await person.userd().signIn(.browser) { _ in Issue.record("it is shown") }
            }
            #expect(error.failure.message.contains("the tokens can't be kept: \(person.tokens)"))
            #expect(error.failure.advice?.kind == .checkTokenFolder && person.provider.requests.isEmpty)
        }
    }
}

private func mode(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o7777
}
