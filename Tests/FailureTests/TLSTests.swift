import Foundation
import Model
import TestSupport
import Testing

@Suite("Untrusted TLS", .timeLimit(.hang))
struct TLSTests {
    private static func row(
        _ name: String, _ reason: String,
        _ identity: @escaping @Sendable (CertificateAuthority) async throws -> CertificateAuthority.Identity
    ) -> Row {
        Row(
            name: name, kind: .tls, message: "no trusted connection to URL: " + reason,
            trouble: { try await .tls(identity) })
    }

    static let rows = [
        row("expired", "its certificate expired on *; this machine's clock says that it is *") {
            try await $0.identity(.expired)
        },
        row(
            "not valid yet",
            "its certificate is not valid before *; this machine's clock says that it is *"
        ) { try await $0.identity(.notYet) },
        row("for another name", "its certificate is for another name") {
            try await $0.identity(names: "DNS:other.example")
        },
        row(
            "self-signed", "its certificate is self-signed, and not trusted on this machine"
        ) { try await $0.identity(selfSigned: true) },
        row(
            "from an unknown authority",
            "its certificate is from an authority that this machine does not trust: 'Nobody we know'"
        ) { _ in try await CertificateAuthority(name: "Nobody we know").identity() },
        Row(
            name: "plain HTTP", kind: .tls,
            message:
                "no trusted connection to URL: it does not speak TLS; does its address begin with http://?",
            trouble: {
                try .detour("https") {
                    $0.readSome()
                    $0.send(answer("400 Bad Request", ""))
                }
            }),
        Row(
            name: "silence in the handshake", kind: .timeout, message: "could not connect to URL in time",
            limits: .shortOfBreath, trouble: { try .detour("https") { $0.waitForEnd() } }),
        Row(
            name: "a redirect to plain HTTP", kind: .redirect,
            message: "URL redirects to http://127.0.0.1/api/, which changes the scheme; TLS would be lost",
            isRetryable: false,
            trouble: {
                try await .tls(
                    { try await $0.identity() },
                    answer: answer("302 Found", "", "Location: http://127.0.0.1/api/"))
            }),
    ]

    @Test("Each TLS failure has its kind and wait, and a later sync recovers", arguments: rows)
    func failure(_ row: Row) async throws { try await row.check() }
}
