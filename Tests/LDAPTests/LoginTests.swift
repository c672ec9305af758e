import Foundation
import Glibc
import HTTP
import LDAP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Passwords that a directory has not accepted", .serialized, .timeLimit(.hang))
struct LoginTests {
    private final class Clock: Sendable {
        private let time = Mutex(today)
        @Sendable func now() -> Timestamp { time.withLock { $0 } }
        func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
    }

    /// A store that outlives `Logins`, as the file beside the cache does.
    private final class Stored: Sendable {
        let records = Mutex<[String: LoginRecord]>([:])

        func logins(_ now: @escaping @Sendable () -> Timestamp = { today }) -> Logins {
            Logins(
                stored: { self.records.withLock { $0 } },
                store: { account, record in self.records.withLock { $0[account] = record } }, now: now)
        }
    }

    /// How a server treats a login that it does not accept.
    enum Treatment: String, CaseIterable {
        case refuses, isSilent = "is silent", isBusy = "is busy"

        var answer: @Sendable (FakeDirectory.Request) -> [[UInt8]] {
            { [self] request in
                switch self {
                case .refuses: [request.result(request.isBind ? 49 : 0)]
                case .isSilent: []
                case .isBusy: [request.result(request.isBind ? 51 : 0)]
                }
            }
        }
    }

    /// Two servers on one port of two addresses.
    private func twoServers(
        _ answer: @escaping @Sendable (FakeDirectory.Request) -> [[UInt8]]
    ) throws -> (FakeDirectory, FakeDirectory) {
        let first = try FakeDirectory(answer: answer)
        return (first, try FakeDirectory(host: "127.0.0.2", port: first.port, answer: answer))
    }

    private func photo(_ settings: LDAPSettings) -> String {
        "\(settings.address.server)/uid=a,\(FakeDirectory.base)?jpegPhoto?base"
    }

    @Test(
        "It is sent once, whatever the server does: not to another address, not for photos, and not soon again",
        arguments: Treatment.allCases)
    func once(treatment: Treatment) async throws {
        let (a, b) = try twoServers(treatment.answer)
        let clock = Clock()
        let settings = try LDAPSettings(a.url).bound().with {
            $0.connectTimeout = .milliseconds(200)
            $0.hosts = { _ in ["127.0.0.1", "127.0.0.2"] }
        }
        let asked = Asked(settings, now: clock.now)
        _ = try await asked.failure()
        for _ in 0..<3 {
            let failure = try await asked.failure()
            #expect(failure?.kind == .credentials && failure?.retryable == false, "\(failure as Any)")
            await #expect(throws: UpstreamError.self) { try await asked.pictures.fetch(photo(settings), nil) }
        }
        #expect(a.binds + b.binds == 1, "\(treatment)")

        clock.pass(settings.interval)
        _ = try await asked.failure()
        _ = try await asked.failure()
        // A regular sync sends it once more, after silence to the other server. A refused one rests longer.
        #expect(a.binds + b.binds == (treatment == .refuses ? 1 : 2), "\(treatment)")
        if treatment == .isSilent { #expect(a.binds == 1 && b.binds == 1) }
    }

    @Test("TLS that fails at one of two addresses does not hide the refusal at the other")
    func certificate() async throws {
        let authority = try await CertificateAuthority()
        let slapd = try await Slapd(DirectoryPeople.ldif(3), identity: try await authority.identity())
        try await withSlapd(slapd) { slapd in
            let (listener, _) = try listen(on: "127.0.0.2", slapd.tlsPort, backlog: 8)
            Thread.detachNewThread {
                while case let descriptor = accept(listener, nil, nil), descriptor >= 0 { close(descriptor) }
                close(listener)
            }
            defer { shutdown(listener, CInt(SHUT_RDWR)) }
            let settings = try LDAPSettings("\(slapd.encrypted)/\(DirectoryPeople.base)")
                .bound(as: Slapd.admin, "wrong").with {
                    $0.authorities = authority.certificate
                    $0.hosts = { _ in ["127.0.0.2", "127.0.0.1"] }
                }
            let asked = Asked(settings)
            let refused = try await asked.failure()
            #expect(refused?.message.contains("invalidCredentials (49)") == true, "\(refused as Any)")
            for _ in 0..<3 { #expect(try await asked.failure()?.kind == .credentials) }
            try await wait { slapd.log.contains("err=49") }
            #expect(slapd.log.split(separator: "\n").filter { $0.contains(" BIND dn=") }.count == 1)
        }
    }

    @Test("The list and photos do not log in at the same time")
    func together() async throws {
        let directory = try FakeDirectory { [$0.result($0.isBind ? 49 : 0)] }
        let settings = try LDAPSettings(directory.url).bound()
        let asked = Asked(settings)
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        _ = try? await asked.failure()
                    } else {
                        _ = try? await asked.pictures.fetch(photo(settings), nil)
                    }
                }
            }
        }
        #expect(directory.binds == 1)
    }

    @Test(
        "A restart and a reload change nothing, until the password's file has changed",
        arguments: Treatment.allCases)
    func restart(treatment: Treatment) async throws {
        let directory = try FakeDirectory(answer: treatment.answer)
        let stored = Stored()
        func start(_ version: String?) throws -> Asked {
            let settings = try LDAPSettings(directory.url).with {
                $0.connectTimeout = .milliseconds(200)
                $0.credentials = .init(dn: Slapd.admin) { ("wrong", version) }
            }
            return Asked(settings, logins: stored.logins())
        }
        _ = try await start("1").failure()
        #expect(try await start("1").failure()?.kind == .credentials)
        #expect(directory.binds == 1)
        _ = try await start("2").failure()
        #expect(directory.binds == 2)
        // One that has no version is not taken for another.
        _ = try await start(nil).failure()
        #expect(directory.binds == 3)
    }

    @Test(
        "After a login that was accepted, also before a restart, silence is an ordinary failure, three times an interval"
    )
    func accepted() async throws {
        let isSilent = Mutex(false)
        let (a, b) = try twoServers { request in
            if isSilent.withLock({ $0 }) { return [] }
            return request.isBind || request.base.isEmpty
                ? [request.result()] : [request.person(1), request.result()]
        }
        let (clock, stored) = (Clock(), Stored())
        let settings = try LDAPSettings(a.url).bound().with {
            $0.connectTimeout = .milliseconds(200)
            $0.hosts = { _ in ["127.0.0.1", "127.0.0.2"] }
        }
        #expect(
            try await Asked(settings, logins: stored.logins(clock.now)).all().count == 1)
        isSilent.withLock { $0 = true }
        let before = a.binds + b.binds
        let asked = Asked(settings, logins: stored.logins(clock.now), now: clock.now)
        let failure = try await asked.failure()
        #expect(failure?.kind == .timeout && failure?.retryable == true, "\(failure as Any)")
        for _ in 0..<3 { _ = try await asked.failure() }
        #expect(a.binds + b.binds - before == 3)
        #expect(try await asked.failure()?.kind == .credentials)
        clock.pass(settings.interval)
        isSilent.withLock { $0 = false }
        #expect(try await asked.all().count == 1)
    }
}
