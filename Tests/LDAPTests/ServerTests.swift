import Glibc
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import LDAP

@Suite("Servers that DNS names", .serialized, .timeLimit(.hang))
struct ServerTests {
    private let servers = [
        DNSService(host: "c.example.org", port: 1, priority: 2),
        DNSService(host: "a.example.org", port: 1, priority: 1, weight: 10),
        DNSService(host: "b.example.org", port: 1, priority: 1, weight: 30),
        DNSService(host: "evil.example.com", port: 1, priority: 0),
        DNSService(host: "badexample.org", port: 1, priority: 0),
        DNSService(host: "example.org.evil.test", port: 1, priority: 0),
    ]

    /// The hosts' first letters.
    private func order(first: String? = nil, _ draw: @escaping (ClosedRange<Int>) -> Int) -> String {
        servers.ordered(below: "example.org", first: first, random: draw).map { $0.host.prefix(1) }.joined()
    }

    @Test func `priorities first, then by weight; others than the domain's never`() {
        #expect(order { $0.lowerBound } == "abc")
        #expect(order { $0.upperBound } == "bac")
        #expect(order(first: "c.example.org") { $0.lowerBound } == "cab")
        #expect(order(first: "evil.example.com") { $0.lowerBound } == "abc")
        var draws = (0...40).map { draw in order { range in min(draw, range.upperBound) } }
        draws.removeAll { $0 == "bac" }
        #expect(draws.count == 11)
    }

    @Test func `a domain's own name may be its server's`() {
        let own = [DNSService(host: "Example.org", port: 1)]
        #expect(own.ordered(below: "example.org", first: nil) { $0.lowerBound } == own)
    }

    @Test("Another server is asked unless the fault is the person's, the password's or Kerberos's as a whole")
    func elsewhere() throws {
        func isTried(_ error: any Error, byTicket: Bool) throws -> Bool {
            let settings = try LDAPSettings("ldap:///dc=example,dc=org").with { $0.usesTicket = byTicket }
            return LDAPConnection.isOfServer(error, nil, settings)
        }
        func ofTicket(_ said: String) throws -> any Error {
            let settings = try LDAPSettings("ldap://dc1.example.org/dc=example,dc=org")
            return try #require(Ticket.failure(-2, said, settings))
        }
        for said in [
            "Server ldap/dc1.example.org@EXAMPLE.ORG not found in Kerberos database", "Clock skew too great",
            "KDC has no support for encryption type",
        ] {
            #expect(try isTried(ofTicket(said), byTicket: true), "\(said)")
        }
        for said in ["Ticket expired", "No Kerberos credentials available", "Cannot contact any KDC"] {
            #expect(try !isTried(ofTicket(said), byTicket: true), "\(said)")
        }
        let refused = ResultError(code: ResultCode(value: 49), said: "")
        #expect(try isTried(refused, byTicket: true) && !isTried(refused, byTicket: false))
        let offline = UpstreamError(.offline, "")
        #expect(try isTried(offline, byTicket: true) && isTried(offline, byTicket: false))
    }

    @Test("A list that another person's ticket has read is read again")
    func holder() throws {
        let directory = Asked(try LDAPSettings("ldap:///dc=example,dc=org")).directory
        #expect(Set([nil, "ada@EXAMPLE.ORG", "bob@EXAMPLE.ORG"].map(directory.key(of:))).count == 3)
        #expect(directory.key(of: "ada@EXAMPLE.ORG") == directory.key(of: "ada@EXAMPLE.ORG"))
    }

    @Test("Waiting for a silent handshake takes no processor time", arguments: ["ldap", "ldaps"])
    func handshake(scheme: String) async throws {
        let silent = try FakeDirectory { _ in [] }
        let times = Mutex<[Int]>([])
        let settings = try LDAPSettings("\(scheme):///dc=example,dc=org").with {
            $0.startsTLS = scheme == "ldap"
            $0.connectTimeout = .seconds(2)
            $0.servers = { _ in
                (1...2).map { DNSService(host: "\($0).example.org", port: silent.port, priority: $0) }
            }
            // Called by the thread that connects, before it does.
            $0.hosts = { _ in
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                times.withLock { $0.append(time.tv_sec * 1000 + time.tv_nsec / 1_000_000) }
                return ["127.0.0.1"]
            }
        }
        let failure = try #require(try await Asked(settings).failure())
        #expect(failure.kind == .timeout, "\(failure)")
        #expect(
            failure.message.hasSuffix("did not complete the TLS handshake and the login in 2.0 seconds"),
            "\(failure.message)")
        let (first, second) = (try #require(times.withLock { $0.first }), times.withLock { $0 }.last ?? 0)
        #expect(times.withLock { $0.count } == 2 && second - first < 1000, "\(second - first) ms")
    }

    @Test("A final dot of a host is for DNS alone")
    func finalDot() async throws {
        let authority = try await CertificateAuthority()
        let slapd = try await Slapd(
            DirectoryPeople.ldif(3), identity: try await authority.identity(names: "DNS:ldap.example.org"))
        try await withSlapd(slapd) { slapd in
            let url = "ldaps://ldap.example.org.:\(slapd.tlsPort)/\(DirectoryPeople.base)"
            let asked = Asked(
                try LDAPSettings(url).with {
                    $0.authorities = authority.certificate
                    $0.hosts = { $0 == "ldap.example.org." ? ["127.0.0.1"] : [] }
                })
            #expect(try await asked.all().count == 3)
            // Rows that are cached stay those of the same directory.
            #expect(
                asked.users.source
                    == "ldap ldaps://ldap.example.org.:\(slapd.tlsPort)/\(DirectoryPeople.base)")
        }
    }

    @Test("A dead server costs a try, and the one that answered is asked first from then on")
    func dead() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(5))
        try await withSlapd(slapd) { slapd in
            let asked = Mutex<[String]>([])
            let closed = try freePort()
            let settings = try LDAPSettings("ldap:///\(DirectoryPeople.base)").with {
                $0.servers = { domain in
                    #expect(domain == "example.org")
                    return [
                        DNSService(host: "dead.example.org", port: closed, priority: 0),
                        DNSService(host: "live.example.org", port: slapd.port, priority: 1),
                    ]
                }
                $0.hosts = { host in
                    asked.withLock { $0.append(host) }
                    return ["127.0.0.1"]
                }
            }
            let directory = Asked(settings)
            #expect(try await directory.all().count == 5)
            #expect(try await directory.all().count == 5)
            #expect(asked.withLock { $0 } == ["dead.example.org", "live.example.org", "live.example.org"])
        }
    }

    @Test("A server that dies during the list ends that sync, and the next begins anew at another server")
    func dies() async throws {
        let (first, second) = (
            try await Slapd(DirectoryPeople.ldif(30)), try await Slapd(DirectoryPeople.ldif(40))
        )
        try await withSlapd(first) { first in
            try await withSlapd(second) { second in
                let settings = try LDAPSettings("ldap:///\(DirectoryPeople.base)").with {
                    $0.pageSize = 10
                    $0.servers = { _ in
                        [
                            DNSService(host: "a.example.org", port: first.port, priority: 0),
                            DNSService(host: "b.example.org", port: second.port, priority: 1),
                        ]
                    }
                    $0.hosts = { _ in ["127.0.0.1"] }
                }
                let directory = Asked(settings)
                let failure = try await directory.failure { page in
                    if page == 1 { try await first.stop() }
                }
                #expect(failure?.kind == .offline && failure?.retryable == true, "\(failure as Any)")
                #expect(try await directory.all().count == 40)
            }
        }
    }

    @Test("Without a server below the domain, and without DNS, the failure says so")
    func none() async throws {
        let settings = try LDAPSettings("ldap:///ou=people,dc=example,dc=org")
        #expect(
            try await Asked(settings.with { $0.servers = { _ in [DNSService(host: "a.test", port: 1)] } })
                .failure()?
                .message
                == "DNS names no LDAP server of example.org below that domain (_ldap._tcp.example.org)")
        let silent = settings.with {
            $0.servers = { _ in throw UpstreamError(.offline, "no name server answered") }
        }
        #expect(try await Asked(silent).failure()?.kind == .offline)
    }

    @Test(
        "The domain is that of the base's end",
        arguments: [
            ("dc=example,dc=org", "example.org"), ("ou=a,DC=Corp, DC=Example", "corp.example"),
            ("dc=a,ou=b,dc=c", "c"), ("ou=a", nil), ("", nil),
        ])
    func domain(base: String, expected: String?) throws {
        var address = try LDAPAddress("ldap://a/")
        address.base = base
        #expect(address.domain == expected)
    }
}
