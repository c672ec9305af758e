import Foundation
import Model
import Services
import TestSupport
import Testing

/// An HTTPS server of the `openssl` command, with a certificate of its own making.
private final class TLSServer {
    let url: URL
    let certificate: String
    private let directory: TemporaryDirectory
    private let server: ChildProcess

    init(names: String, isExpired: Bool = false) async throws {
        let directory = try TemporaryDirectory()
        let (key, fresh, expired) = (
            directory.file("key"), directory.file("fresh"), directory.file("expired")
        )
        let made = try await run(
            openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout",
                key, "-out", fresh, "-days", "1", "-subj", "/CN=userd test", "-addext",
                "subjectAltName=\(names)",
            ], environment: [:])
        try #require(made.code == 0, "\(made.errors)")
        if isExpired {
            let aged = try await run(
                openssl, ["x509", "-in", fresh, "-signkey", key, "-days", "-1", "-out", expired],
                environment: [:])
            try #require(aged.code == 0, "\(aged.errors)")
        }
        certificate = isExpired ? expired : fresh
        self.directory = directory
        server = try ChildProcess(
            openssl, ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"],
            environment: [:])
        let line = try await server.line(containing: "ACCEPT", in: .output)
        let port = try #require(line.split(separator: ":").last)
        url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
    }

    deinit { server.send(SIGKILL) }
}

private let openssl = "/usr/bin/openssl"

@Suite("TLS")
struct TLSTests {
    private func fails(_ server: TLSServer, trusting roots: [String]) async throws -> Failure {
        try await withHTTP(trusting: roots) { http in
            try await thrown { try await http.send(HTTPRequest(url: server.url)) }.failure
        }
    }

    @Test("is used with an authority that the settings trust")
    func trusted() async throws {
        let server = try await TLSServer(names: "IP:127.0.0.1")
        let response = try await withHTTP(trusting: [server.certificate]) {
            try await $0.send(HTTPRequest(url: server.url))
        }
        #expect(response.status == 200)
    }

    @Test("fails for a certificate that nobody vouches for")
    func selfSigned() async throws {
        let server = try await TLSServer(names: "IP:127.0.0.1")
        let failure = try await fails(server, trusting: [])
        #expect(failure.kind == .tls)
        #expect(
            failure.message == "no trusted connection to \(server.url.absoluteString): "
                + "its certificate is expired, self-signed or of an unknown authority")
        #expect(failure.retryable)
    }

    @Test("fails for an expired certificate")
    func expired() async throws {
        let server = try await TLSServer(names: "IP:127.0.0.1", isExpired: true)
        let failure = try await fails(server, trusting: [server.certificate])
        #expect(failure.kind == .tls)
        #expect(failure.message.contains("expired"))
    }

    @Test("fails for a certificate of another name")
    func wrongName() async throws {
        let server = try await TLSServer(names: "DNS:other.example")
        let failure = try await fails(server, trusting: [server.certificate])
        #expect(failure.kind == .tls)
        #expect(failure.message.contains("another"))
    }

    @Test("fails where the other side does not speak it")
    func notTLS() async throws {
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.waitForEnd()
        }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let error = try await withHTTP { http in
            try await thrown { try await http.send(HTTPRequest(url: url)) }
        }
        #expect(error.failure.kind == .tls)
        #expect(
            error.failure.message == "no trusted connection to \(url.absoluteString): the handshake failed")
    }

    @Test("says where a file of authorities cannot be read")
    func noRoots() async throws {
        let server = try await TLSServer(names: "IP:127.0.0.1")
        let failure = try await fails(server, trusting: ["/nowhere.pem"])
        #expect(failure.kind == .tls)
        #expect(failure.message.contains("the additional trust roots cannot be read"))
    }

    @Test("takes too long with a server that says nothing", .timeLimit(.minutes(1)))
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
