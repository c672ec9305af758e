import Foundation
import HTTP
import HTTPClient
import Model
import NIOCore
import TestSupport
import Testing

@Suite("Step-by-step checks of an upstream", .timeLimit(.hang))
struct UpstreamProbeTests {
    private func probe(
        _ url: String, timeout: Duration = .seconds(20), trusting roots: [String] = []
    ) throws -> UpstreamProbe {
        UpstreamProbe(
            url: try #require(URL(httpAddress: url)), timeout: timeout,
            additionalTrustRoots: try #require(TrustRoots(files: roots)))
    }

    @Test("The check finds the addresses of a name, with the port of the address or of its scheme")
    func names() async throws {
        let named = try await probe("https://localhost/").lookUp()
        #expect(named.found.hasPrefix("localhost has the address "))
        #expect(named.found.contains("127.0.0.1"))
        #expect(named.addresses.contains(try SocketAddress(ipAddress: "127.0.0.1", port: 443)))
        let literal = try await probe("http://[::1]:81/").lookUp()
        #expect(literal.found == "::1 is already an address")
        #expect(literal.addresses == [try SocketAddress(ipAddress: "::1", port: 81)])
    }

    @Test("The check fails for an unknown name")
    func unknown() async throws {
        let failure = try await thrown { try await probe("http://userd.invalid/").lookUp() }.failure
        #expect(failure.kind == .offline)
        #expect(failure.message.hasPrefix("could not find userd.invalid: "))
    }

    @Test("One address that accepts a connection is enough, and the result lists each")
    func connecting() async throws {
        let (open, closed) = (try RawServer(answer: ""), try RawServer(answer: ""))
        closed.stop()
        let way = try probe("http://localhost/")
        let addresses = try [closed, open].map { try SocketAddress(ipAddress: "127.0.0.1", port: $0.port) }
        let found = try await way.connect(to: addresses)
        let beginning =
            "127.0.0.1:\(closed.port): connection refused; 127.0.0.1:\(open.port) accepted the connection in "
        #expect(found.hasPrefix(beginning))

        let failure = try await thrown { try await way.connect(to: [addresses[0]]) }.failure
        #expect(failure.kind == .offline)
        #expect(failure.message == "127.0.0.1:\(closed.port): connection refused")
        let nowhere = try await thrown { try await way.connect(to: []) }.failure
        #expect(nowhere.message == "there is no address to connect to")
    }

    @Test("The check gives up an address that does not answer")
    func silentAddress() async throws {
        let full = try FullListener()
        defer { full.stop() }
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: full.port)
        let way = try probe("http://localhost/", timeout: .milliseconds(150))
        let failure = try await thrown { try await way.connect(to: [address]) }.failure
        #expect(failure.kind == .timeout)
        #expect(failure.message == "127.0.0.1:\(full.port): no answer in 0.15 seconds")
    }

    @Test("The TLS check succeeds with a trusted certificate, and sends nothing")
    func trusted() async throws {
        let authority = try await CertificateAuthority()
        try await withTLSServer(authority.identity(), answer: "") { server in
            let address = server.url().absoluteString
            let way = try probe(address, trusting: [authority.certificate])
            #expect(try await way.certificate().hasPrefix("certificate: "))
            let failure = try await thrown { try await probe(address).certificate() }.failure
            #expect(failure.kind == .tls)
            #expect(
                failure.message
                    == "no trusted connection to \(address): its certificate is from an authority that "
                    + "this machine does not trust: 'userd test authority'")
            #expect(server.received == 0)
        }
    }

    @Test(
        "A certificate tells its common name, or else its first DNS name, in one short line, and its authority",
        arguments: [
            ("userd test", "userd test"), (nil, "idp.example.org"),
            ("a\u{1b}[1mb\u{202E}", "a\\u{1b}[1mb\\u{202e}"),
            (
                String(repeating: "\u{202E}", count: 30),
                String(repeating: "\\u{202e}", count: 13).prefix(100) + ""
            ),
        ] as [(String?, String)])
    func names(name: String?, shown: String) async throws {
        let authority = try await CertificateAuthority(name: "Test\tauthority")
        let names = "IP:127.0.0.1,DNS:idp.example.org,DNS:b.example.org"
        try await withTLSServer(authority.identity(names: names, name: name), answer: "") { server in
            let way = try probe(server.url().absoluteString, trusting: [authority.certificate])
            let found = try await way.certificate()
            #expect(found == "certificate: \(shown), by Test\\u{9}authority")
            #expect(server.received == 0)
        }
    }

    @Test("The TLS check fails if the server is silent or closes the connection")
    func noHandshake() async throws {
        let silent = try RawServer { $0.waitForEnd() }
        let slow = try await thrown {
            try await probe("https://127.0.0.1:\(silent.port)/", timeout: .milliseconds(150)).certificate()
        }
        #expect(slow.failure.kind == .timeout)
        #expect(slow.failure.message.hasSuffix("/ did not complete the TLS handshake in 0.15 seconds"))
        let going = try RawServer { $0.readSome() }
        let gone = try await thrown {
            try await probe("https://127.0.0.1:\(going.port)/").certificate()
        }
        #expect(gone.failure.kind == .tls)
        #expect(gone.failure.message.hasSuffix("it closed the connection during the handshake"))
    }
}
