import Foundation
import Glibc
import HTTP
import LDAP
import Model
import TestSupport
import Testing
import Upstream

@Suite("Directories with several addresses", .serialized, .timeLimit(.hang))
struct AddressTests {
    @Test(
        "A silent address uses only its share of the time; the next one is tried, and later comes first"
    )
    func mute() async throws {
        let authority = try await CertificateAuthority()
        let slapd = try await Slapd(DirectoryPeople.ldif(30), identity: try await authority.identity())
        try await withSlapd(slapd) { slapd in
            async let login: Void = mute(slapd, at: slapd.plain, slapd.port, authority)
            async let handshake: Void = mute(slapd, at: slapd.encrypted, slapd.tlsPort, authority)
            _ = try await (login, handshake)
        }
    }

    private func mute(
        _ slapd: Slapd, at server: String, _ port: Int, _ authority: CertificateAuthority
    ) async throws {
        let silent = try FakeDirectory(host: "127.0.0.2", port: port) { _ in [] }
        let settings = try LDAPSettings("\(server)/\(DirectoryPeople.base)").bound().with {
            $0.authorities = authority.certificate
        }
        // A password that was never accepted would not be sent to another address.
        let logins = Logins(now: { today })
        _ = try await Asked(settings, logins: logins).all()
        let asked = Asked(settings.with { $0.hosts = { _ in ["127.0.0.2", "127.0.0.1"] } }, logins: logins)
        #expect(try await asked.all().count == 30)
        #expect(silent.connections == 1)
        let users = try await asked.all()
        let photo = try #require(users.first { $0.username == "user10" }?.picture?.thumbnail)
        _ = try await asked.pictures.fetch(photo, nil)
        #expect(silent.connections == 1)
    }

    @Test(
        "A dead address uses only its share of the time; if none answers, the last failure is reported"
    )
    func dead() async throws {
        let directory = try FakeDirectory { request in
            request.base.isEmpty ? [request.result()] : [request.person(1), request.result()]
        }
        // The backlog is full: the kernel drops further connection requests.
        let (listener, _) = try listen(on: "127.0.0.2", directory.port, backlog: 0)
        let waiting = (0..<3).map { _ in
            let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
            var address = place("127.0.0.2", directory.port)
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            return client
        }
        defer { for descriptor in waiting + [listener] { close(descriptor) } }
        let settings = try LDAPSettings(directory.url).with { $0.connectTimeout = .seconds(2) }
        let some = Asked(settings.with { $0.hosts = { _ in ["127.0.0.2", "127.0.0.3", "127.0.0.1"] } })
        #expect(try await some.all().count == 1)
        let none = Asked(settings.with { $0.hosts = { _ in ["127.0.0.2"] } })
        let failure = try await none.failure()
        #expect(failure?.kind == .timeout && failure?.retryable == true, "\(failure as Any)")
        #expect(
            failure?.message == "no connection to ldap://127.0.0.1:\(directory.port) in 2.0 seconds",
            "\(failure as Any)")
    }
}
