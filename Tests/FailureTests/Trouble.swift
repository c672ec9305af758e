import DemoUpstream
import Foundation
import Synchronization
import TestSupport
import Testing

/// An upstream of users that works except during trouble.
struct Trouble: Sendable {
    var url: URL
    /// The address that requests go to during trouble.
    var detour: URL?
    /// Trusted certificates.
    var roots: [String] = []
    var begin: @Sendable () async throws -> Void = {}
    var lift: @Sendable () async throws -> Void = {}
    var stop: @Sendable () async -> Void = {}
}

/// A flag that a test sets and its servers' threads read.
final class Switch: Sendable {
    private let value = Atomic(false)

    var isOn: Bool { value.load(ordering: .sequentiallyConsistent) }
    func set(_ isOn: Bool) { value.store(isOn, ordering: .sequentiallyConsistent) }
}

/// Thirty users in the format of randomuser.me, on one page.
let goodAnswer: String = {
    let users = (0..<30).map { #"{"login":{"uuid":"u\#($0)"},"name":{"first":"Ada","last":"Lovelace"}}"# }
    let body = #"{"results":[\#(users.joined(separator: ","))]}"#
    return answer("200 OK", body)
}()

func answer(_ status: String, _ body: String, _ headers: String...) -> String {
    let fields = headers + ["Content-Length: \(body.utf8.count)", "Connection: close"]
    return "HTTP/1.1 \(status)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n" + body
}

func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

extension Trouble {
    /// The demo upstream with this fault.
    static func demo(_ fault: Fault.Kind) async throws -> Trouble {
        var configuration = DemoUpstream.Configuration()
        configuration.users = 30
        let upstream = try await DemoUpstream(configuration)
        return Trouble(
            url: try FailureTests.url(upstream.url("/api/")),
            begin: { try await upstream.setFaults([Fault(fault)]) },
            lift: { try await upstream.setFaults([]) }, stop: { await upstream.stop() })
    }

    /// A socket that treats each connection like this during trouble.
    static func raw(_ serve: @escaping @Sendable (RawConnection) -> Void) throws -> Trouble {
        let trouble = Switch()
        let server = try RawServer { connection in
            guard !trouble.isOn else { return serve(connection) }
            connection.readHead()
            connection.send(goodAnswer)
        }
        return Trouble(
            url: server.url(), begin: { trouble.set(true) }, lift: { trouble.set(false) },
            stop: { server.stop() })
    }

    /// Requests go to another address during trouble.
    static func detour(_ address: String, stop: @escaping @Sendable () -> Void = {}) throws -> Trouble {
        var trouble = try raw { _ in }
        trouble.detour = try FailureTests.url(address)
        let stopServer = trouble.stop
        trouble.stop = {
            await stopServer()
            stop()
        }
        return trouble
    }

    /// Requests go to another socket during trouble.
    static func detour(
        _ scheme: String, _ serve: @escaping @Sendable (RawConnection) -> Void
    ) throws -> Trouble {
        let server = try RawServer(serve)
        return try detour("\(scheme)://127.0.0.1:\(server.port)/api/", stop: { server.stop() })
    }

    /// HTTPS with a certificate of a trusted authority, but with this identity during trouble.
    /// - Parameter answer: sent during trouble.
    static func tls(
        _ identity: @Sendable (CertificateAuthority) async throws -> CertificateAuthority.Identity,
        answer: String = goodAnswer
    ) async throws -> Trouble {
        let authority = try await CertificateAuthority()
        let (good, bad) = (try await authority.identity(), try await identity(authority))
        let server = try await TLSServer(good, answer: goodAnswer)
        return Trouble(
            url: server.url("/api/"), roots: [authority.certificate],
            begin: { try server.show(bad, answer: answer) },
            lift: { try server.show(good, answer: goodAnswer) }, stop: { await server.stop() })
    }
}
