import DirectoryFormats
import HTTP
import Model
import Services
import Synchronization
import TestSupport
import Testing

@testable import LDAP

@Suite("Servers that DNS names", .serialized, .timeLimit(.hang))
struct ServerTests {
    private let servers = [
        LDAPServer(host: "c.example.org", port: 1, priority: 2),
        LDAPServer(host: "a.example.org", port: 1, priority: 1, weight: 10),
        LDAPServer(host: "b.example.org", port: 1, priority: 1, weight: 30),
        LDAPServer(host: "evil.example.com", port: 1, priority: 0),
        LDAPServer(host: "example.org.evil.test", port: 1, priority: 0),
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
                        LDAPServer(host: "dead.example.org", port: closed, priority: 0),
                        LDAPServer(host: "live.example.org", port: slapd.port, priority: 1),
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
                            LDAPServer(host: "a.example.org", port: first.port, priority: 0),
                            LDAPServer(host: "b.example.org", port: second.port, priority: 1),
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
            try await Asked(settings.with { $0.servers = { _ in [LDAPServer(host: "a.test", port: 1)] } })
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
