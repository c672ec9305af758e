import Foundation
import HTTP
import HTTPClient
import Model
import TestSupport
import Testing

private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]"

@Suite("TLS", .timeLimit(.hang))
struct TLSTests {
    private func fails(
        _ identity: CertificateAuthority.Identity, trusting roots: [String]
    ) async throws -> String {
        try await withTLSServer(identity, answer: answer) { server in
            let failure = try await withHTTP(trusting: roots) { http in
                try await thrown { try await http.send(HTTPRequest(url: server.url())) }.failure
            }
            #expect(failure.kind == .tls)
            #expect(failure.retryable)
            #expect(server.received == 0)
            let beginning = "no trusted connection to \(server.url().absoluteString): "
            #expect(failure.message.hasPrefix(beginning))
            return String(failure.message.dropFirst(beginning.count))
        }
    }

    /// Today, as in messages.
    private func today() -> Substring { Timestamp(Date()).description.prefix(10) }

    @Test("TLS works with an authority that the settings trust")
    func trusted() async throws {
        let authority = try await CertificateAuthority()
        try await withTLSServer(authority.identity(), answer: answer) { server in
            let response = try await withHTTP(trusting: [authority.certificate]) {
                try await $0.send(HTTPRequest(url: server.url()))
            }
            #expect(response.status == 200 && server.received > 0)
        }
    }

    @Test("A self-signed certificate is refused")
    func selfSigned() async throws {
        let authority = try await CertificateAuthority()
        let reason = try await fails(
            authority.identity(selfSigned: true), trusting: [authority.certificate])
        #expect(reason == "its certificate is self-signed, and not trusted on this machine")
    }

    @Test("A certificate from an unknown authority is refused, and the message names the authority")
    func unknownAuthority() async throws {
        let authority = try await CertificateAuthority(name: "Proxy \u{1B}[1m Corp")
        let reason = try await fails(authority.identity(), trusting: [])
        #expect(
            reason == "its certificate is from an authority that this machine does not trust: "
                + #"'Proxy \u{1b}[1m Corp'"#)
    }

    @Test("An expired certificate is refused, and the message has its last day and today's date")
    func expired() async throws {
        let authority = try await CertificateAuthority()
        let reason = try await fails(authority.identity(.expired), trusting: [authority.certificate])
        let day = (Timestamp(Date()) + .seconds(-10 * 86_400)).description.prefix(10)
        #expect(
            reason == "its certificate expired on \(day); this machine's clock says that it is \(today())")
    }

    @Test(
        "A certificate that is not valid yet is refused, and the message has its first day and today's date")
    func notYetValid() async throws {
        let authority = try await CertificateAuthority()
        let reason = try await fails(authority.identity(.notYet), trusting: [authority.certificate])
        let day = (Timestamp(Date()) + .seconds(10 * 86_400)).description.prefix(10)
        #expect(
            reason == "its certificate is not valid before \(day); "
                + "this machine's clock says that it is \(today())")
    }

    @Test("A chain of authorities is followed, and the message names the one that has expired")
    func chain() async throws {
        let root = try await CertificateAuthority()
        let good = try await root.intermediate(name: "Branch").identity()
        try await withTLSServer(good, answer: answer) { server in
            let response = try await withHTTP(trusting: [root.certificate]) {
                try await $0.send(HTTPRequest(url: server.url()))
            }
            #expect(response.status == 200)
        }
        let reason = try await fails(
            root.intermediate(name: "Branch", .expired).identity(), trusting: [root.certificate])
        let day = (Timestamp(Date()) + .seconds(-10 * 86_400)).description.prefix(10)
        #expect(
            reason == "the certificate of its authority 'Branch' expired on \(day); "
                + "this machine's clock says that it is \(today())")
    }

    @Test(
        "The file of authorities may begin with a byte order mark, and keep an expired root beside its renewal"
    )
    func files() async throws {
        let root = try await CertificateAuthority(name: "Root")
        let expired = try await root.certificate(of: "Root", .expired)
        let other = try await CertificateAuthority(name: "Other")
        let directory = try TemporaryDirectory()
        let mark = "\u{FEFF}"
        for (number, parts) in [
            [mark, root.certificate], [expired, root.certificate], [root.certificate, expired],
            [mark, other.certificate, mark, root.certificate, mark, expired],
        ].enumerated() {
            let file = directory.file("\(number).pem")
            let texts = try parts.map { $0 == mark ? mark : try String(contentsOfFile: $0, encoding: .utf8) }
            try texts.joined().write(toFile: file, atomically: true, encoding: .utf8)
            try await withTLSServer(root.identity(), answer: answer) { server in
                let response = try await withHTTP(trusting: [file]) {
                    try await $0.send(HTTPRequest(url: server.url()))
                }
                #expect(response.status == 200, "\(parts)")
            }
        }
        // Only expired ones are a file of authorities, too.
        #expect(TrustRoots(files: [expired]) != nil)
    }

    @Test("The message names the authority that is missing above the trusted one")
    func missing() async throws {
        let root = try await CertificateAuthority(name: "Root")
        let branch = try await root.intermediate(name: "Branch")
        let known = "its certificate is from an authority that this machine does not trust: 'Root'"
        #expect(
            try await fails(branch.identity(), trusting: [branch.certificate])
                == known + ", whose certificate must be in the file beside that of 'Branch'")
        #expect(try await fails(branch.identity(), trusting: []) == known)
    }

    @Test("An expired second certificate of an unknown root is not the fault")
    func crossSigned() async throws {
        let (root, old) = (
            try await CertificateAuthority(name: "Root"), try await CertificateAuthority(name: "Old")
        )
        let cross = try await root.certificate(of: "Root", .expired, by: old)
        let identity = try await root.identity()
        let chain = try [identity.certificate, cross, root.certificate].map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
        try chain.joined().write(toFile: identity.certificate, atomically: true, encoding: .utf8)
        #expect(
            try await fails(identity, trusting: [])
                == "its certificate is from an authority that this machine does not trust: 'Root'")
    }

    @Test("A server that speaks only TLS 1.1 is refused before it gets anything")
    func oldVersion() async throws {
        let authority = try await CertificateAuthority()
        try await withTLSServer(authority.identity(), answer: answer, isOld: true) { server in
            let failure = try await withHTTP(trusting: [authority.certificate]) { http in
                try await thrown { try await http.send(HTTPRequest(url: server.url())) }.failure
            }
            #expect(failure.kind == .tls && server.received == 0, "\(failure.message)")
        }
    }

    @Test("A final dot of a host is not part of the name in its certificate")
    func finalDot() async throws {
        let authority = try await CertificateAuthority()
        try await withTLSServer(authority.identity(names: "DNS:localhost"), answer: answer) { server in
            let url = try #require(URL(string: "https://localhost.:\(server.url().port ?? 0)/"))
            let response = try await withHTTP(trusting: [authority.certificate]) {
                try await $0.send(HTTPRequest(url: url))
            }
            #expect(response.status == 200)
        }
    }

    @Test("A certificate for another name is refused")
    func wrongName() async throws {
        let authority = try await CertificateAuthority()
        let reason = try await fails(
            authority.identity(names: "DNS:other.example"), trusting: [authority.certificate])
        #expect(reason == "its certificate is for another name")
    }

    @Test("The message says less if the server does not show its certificate a second time")
    func shownOnce() async throws {
        let authority = try await CertificateAuthority()
        try await withTLSServer(authority.identity(), answer: answer, times: 1) { server in
            let failure = try await withHTTP { http in
                try await thrown { try await http.send(HTTPRequest(url: server.url())) }.failure
            }
            #expect(failure.kind == .tls)
            #expect(
                failure.message.hasSuffix(
                    ": its certificate is expired, self-signed or from an unknown authority"))
        }
    }

    @Test(
        "TLS fails if the server does not speak it, refuses the handshake, or closes the connection",
        arguments: [
            (
                "HTTP/1.1 400 Bad Request\r\n\r\n",
                "it does not speak TLS; does its address begin with http://?"
            ),
            // A fatal alert: handshake_failure.
            ("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}", "the handshake failed: sslv3 alert handshake failure"),
            ("", "it closed the connection during the handshake"),
        ])
    func noHandshake(answer: String, reason: String) async throws {
        let server = try RawServer { connection in
            connection.readSome()
            connection.send(answer)
        }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let error = try await withHTTP { http in
            try await thrown { try await http.send(HTTPRequest(url: url)) }
        }
        #expect(error.failure.kind == .tls)
        #expect(error.failure.message == "no trusted connection to \(url.absoluteString): \(reason)")
    }

    @Test("A silent server makes the TLS handshake time out")
    func silent() async throws {
        let server = try RawServer { $0.waitForEnd() }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let error = try await withHTTP(connectTimeout: .milliseconds(150)) { http in
            try await thrown { try await http.send(HTTPRequest(url: url)) }
        }
        #expect(error.failure.kind == .timeout)
        #expect(error.failure.message == "could not connect to \(url.absoluteString) in time")
    }
}
