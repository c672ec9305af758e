import Foundation
import Glibc
import HTTP
import LDAP
import Model
import TestSupport
import Testing
import Upstream

@Suite("Failures of lists over LDAP", .serialized, .timeLimit(.hang))
struct FailureTests {
    private func expect(
        _ error: UpstreamError?, _ kind: Failure.Kind, retryable: Bool, _ words: String...,
        advice: Advice.Kind? = nil, at location: SourceLocation = #_sourceLocation
    ) {
        let failure = error?.failure
        #expect(
            failure?.kind == kind && failure?.retryable == retryable, "\(failure as Any)",
            sourceLocation: location)
        if let advice { #expect(failure?.advice?.kind == advice, sourceLocation: location) }
        for words in words {
            #expect(
                failure?.message.contains(words) == true, "\(failure?.message ?? "")",
                sourceLocation: location)
        }
    }

    @Test(
        "A failure by a size limit has the number of entries and advice; with rights, all entries come"
    )
    func sizeLimit() async throws {
        let slapd = try await Slapd(
            DirectoryPeople.ldif(700),
            settings: "sizelimit 500\nlimits dn.exact=\"\(Slapd.admin)\" size.soft=500 size.prtotal=unlimited"
        )
        try await withSlapd(slapd) { slapd in
            let settings = try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)").with {
                $0.pageSize = 200
            }
            expect(
                try await Asked(settings).error(), .ldap, retryable: false,
                "\(slapd.plain): sizeLimitExceeded (4) after 500 entries, so the list is not complete",
                advice: .raiseServerSizeLimit)
            #expect(try await Asked(settings.bound()).all().count == 700)
        }
    }

    @Test(
        "Mistakes in the settings fail with the name of the server's result, and are not retried soon"
    )
    func settings() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(3))
        try await withSlapd(slapd) { slapd in
            let base = "\(slapd.plain)/\(DirectoryPeople.base)"
            expect(
                try await Asked(try LDAPSettings(base).bound(as: Slapd.admin, "wrong-canary")).error(),
                .ldap,
                retryable: false, "\(slapd.plain): invalidCredentials (49)", advice: .checkPassword)
            expect(
                try await Asked(try LDAPSettings("\(slapd.plain)/ou=nobody,dc=example,dc=org")).error(),
                .ldap,
                retryable: false, "noSuchObject (32)", advice: .checkBase)
            expect(
                try await Asked(try LDAPSettings("\(base)??sub?(objectClass)")).error(), .ldap,
                retryable: false, "(objectClass) is not an LDAP filter (RFC 4515); see users.url")
            expect(
                try await Asked(try LDAPSettings(base).bound(as: "no name")).error(), .ldap,
                retryable: false,
                "invalidDNSyntax (34)")
            expect(
                try await Asked(
                    try LDAPSettings(base).with {
                        $0.credentials = .init(dn: "cn=a") { throw UpstreamError(.offline, "no file x") }
                    }
                ).error(), .credentials, retryable: false, "there is no password for users.bind_dn")
            expect(
                try await Asked(try LDAPSettings(base, fields: "id: employeeType")).error(), .decode,
                retryable: true,
                "uid=user0,ou=people,dc=example,dc=org: no employeeType; userd may lack access to it; see users.fields.id"
            )
        }
        let gone = Asked(try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)"))
        expect(
            try await gone.error(), .offline, retryable: true,
            "could not connect to \(slapd.plain): connection refused")
        expect(
            try await Asked(try LDAPSettings("ldap://no-such-host.invalid/dc=org")).error(), .offline,
            retryable: true, "could not connect to ldap://no-such-host.invalid: ")
        expect(
            try await Asked(try LDAPSettings("ldapi://%2Fno%2Fsocket/dc=org")).error(), .offline,
            retryable: true,
            "no such file or directory")
    }

    @Test("Without encryption userd does not even connect to another machine to send a password")
    func password() async throws {
        let settings = try LDAPSettings("ldap://192.0.2.1/dc=org").bound().with {
            $0.connectTimeout = .seconds(1000)
        }
        expect(
            try await Asked(settings).error(), .credentials, retryable: false,
            "the password of users.bind_dn is not sent to ldap://192.0.2.1, because the connection is not encrypted",
            "users.starttls")
    }

    @Test(
        "If the server is restarted in the middle of the list, the list begins again")
    func killed() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(300))
        try await withSlapd(slapd) { slapd in
            let asked = Asked(
                try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)").with { $0.pageSize = 100 })
            let failure = try await asked.error { page in if page == 1 { try await slapd.stop() } }
            expect(
                failure, .offline, retryable: true, "\(slapd.plain) closed the connection after 100 entries")
            #expect(!asked.users.canRetryPages)
            expect(try await asked.error(), .offline, retryable: true, "connection refused")
            try await slapd.start()
            #expect(try await asked.all().count == 300)
            // The server restarts between two pages: the cookie belongs to the earlier process.
            let restarted = try await asked.error { page in
                if page == 2 {
                    try await slapd.stop()
                    try await slapd.start()
                }
            }
            expect(restarted, .offline, retryable: true, "closed the connection after 200 entries")
        }
    }

    @Test("A server that hangs fails at the deadline, and a cancelled sync ends at once")
    func hung() async throws {
        let authority = try await CertificateAuthority()
        let slapd = try await Slapd(DirectoryPeople.ldif(300), identity: try await authority.identity())
        try await withSlapd(slapd) { slapd in
            let settings = try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)").with {
                $0.pageSize = 100
            }
            let late = Asked(settings.with { $0.deadline = .milliseconds(500) })
            let failure = try await late.error { page in if page == 1 { slapd.send(SIGSTOP) } }
            // The request for the next page may have been sent already.
            expect(
                failure, .timeout, retryable: true,
                "\(slapd.plain) has not answered in full after 0.5 seconds: ")
            // The kernel accepts connections for the stopped server.
            expect(
                try await late.error(), .timeout, retryable: true,
                "has not answered in full after 0.5 seconds")
            let secure = try LDAPSettings("\(slapd.encrypted)/\(DirectoryPeople.base)").with {
                $0.authorities = authority.certificate
                $0.deadline = .milliseconds(500)
            }
            expect(try await Asked(secure).error(), .timeout, retryable: true, "has not answered in full")

            let connecting = Channel<Void>()
            let asked = Asked(
                settings.with {
                    $0.deadline = .seconds(1000)
                    $0.hosts = { host in
                        connecting.send(())
                        return [host]
                    }
                })
            let sync = Task { try await asked.all() }
            try await connecting.receive()
            sync.cancel()
            await #expect(throws: CancellationError.self) { try await sync.value }
            // Its thread is free for the next sync, which works once the server does.
            slapd.send(SIGCONT)
            #expect(try await asked.all().count == 300)
        }
    }

    @Test(
        "The fault of an untrusted certificate is reported, and a refused StartTLS means no connection"
    )
    func certificates() async throws {
        let authority = try await CertificateAuthority()
        for (identity, words) in [
            (
                try await authority.identity(names: "DNS:ldap.example.org"),
                "its certificate is for another name"
            ),
            (try await authority.identity(.expired), "its certificate has expired"),
            (
                try await CertificateAuthority(name: "another").identity(),
                "its certificate is from an authority that this machine does not trust"
            ),
        ] {
            let slapd = try await Slapd(DirectoryPeople.ldif(1), identity: identity)
            try await withSlapd(slapd) { slapd in
                for settings in [
                    try LDAPSettings("\(slapd.encrypted)/\(DirectoryPeople.base)"),
                    try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)").with { $0.startsTLS = true },
                ] {
                    let asked = Asked(settings.bound().with { $0.authorities = authority.certificate })
                    expect(
                        try await asked.error(), .tls, retryable: true,
                        "no trusted connection to \(settings.address.server): \(words)")
                }
                #expect(!slapd.log.contains(" BIND "), "a password was sent")
            }
        }
        let slapd = try await Slapd(DirectoryPeople.ldif(1))
        try await withSlapd(slapd) { slapd in
            let asked = Asked(
                try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)").bound().with {
                    $0.startsTLS = true
                })
            expect(try await asked.error(), .tls, retryable: true, "\(slapd.plain) refuses StartTLS: ")
            #expect(!slapd.log.contains(" BIND "))
        }
        let encrypted = try await Slapd(DirectoryPeople.ldif(1), identity: try await authority.identity())
        try await withSlapd(encrypted) { slapd in
            for (address, startsTLS, advice) in [
                ("ldap://127.0.0.1:\(slapd.tlsPort)", true, Advice.Kind.tryLDAPS),
                ("ldaps://127.0.0.1:\(slapd.port)", false, .tryStartTLS),
            ] {
                let asked = Asked(
                    try LDAPSettings("\(address)/\(DirectoryPeople.base)").bound().with {
                        $0.startsTLS = startsTLS
                    })
                expect(
                    try await asked.error(), .tls, retryable: true, "the TLS handshake on port",
                    advice: advice)
            }
        }
    }

    @Test(
        "A server without TLS 1.2 gets no login (RFC 9325); one with it does",
        arguments: [true, false])
    func versions(isOld: Bool) async throws {
        let authority = try await CertificateAuthority()
        try await withTLSServer(try await authority.identity(), answer: "", isOld: isOld) { server in
            let port = try #require(server.url().port)
            let asked = Asked(
                try LDAPSettings("ldaps://127.0.0.1:\(port)/\(DirectoryPeople.base)").bound().with {
                    $0.authorities = authority.certificate
                    $0.connectTimeout = .seconds(1)
                })
            let failure = try await asked.failure()
            #expect(failure?.kind == (isOld ? .tls : .timeout), "\(failure as Any)")
            #expect((server.received == 0) == isOld)
        }
    }

    @Test("Entries and pages that are too large, and answers that are not LDAP, are reported as such")
    func strange() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(200))
        try await withSlapd(slapd) { slapd in
            let settings = try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)")
            expect(
                try await Asked(settings.with { $0.maximumBytes = 50_000 }).error(), .tooLarge,
                retryable: false,
                "is larger than 50000 bytes")
            let asked = Asked(
                try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)", fields: "job_title: jpegPhoto")
                    .with { $0.maximumBytes = 8192 })
            expect(try await asked.error(), .tooLarge, retryable: false, "is larger than 8192 bytes")
        }
        let web = try RawServer { connection in
            connection.readSome()
            connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        let answered = try await Asked(try LDAPSettings("ldap://127.0.0.1:\(web.port)/dc=org")).failure()
        #expect(
            answered?.retryable == true && [.offline, .decode].contains(answered?.kind), "\(answered as Any)")
    }

    @Test("Without libldap, a failure names the package to install")
    func library() throws {
        let error = #expect(throws: UpstreamError.self) { try Library(["libldap-of-nobody.so"]) }
        expect(
            error, .ldap, retryable: false,
            "install the package libldap2, on Debian 12 libldap-2.5-0: libldap-of-nobody.so: cannot open")
        #expect(throws: Never.self) { try Library() }
    }

    @Test("No connection leaves a descriptor open, whatever happens to it")
    func descriptors() async throws {
        func sockets() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
                    .hasPrefix("socket") == true
            }
        }
        let authority = try await CertificateAuthority()
        let slapd = try await Slapd(DirectoryPeople.ldif(20), identity: try await authority.identity())
        try await withSlapd(slapd) { slapd in
            let before = try sockets()
            let plain = try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)")
            let secure = try LDAPSettings("\(slapd.encrypted)/\(DirectoryPeople.base)")
            for settings in [
                plain, plain.bound(as: Slapd.admin, "wrong"), secure, plain.with { $0.startsTLS = true },
            ] {
                _ = try await Asked(settings).error()
            }
            #expect(try await Asked(plain).all().count == 20)
            #expect(try sockets() == before)
        }
    }
}
