import Foundation
import HTTP
import LDAP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Passwords that a directory refuses", .timeLimit(.hang))
struct RefusalTests {
    /// Accepts one password; a test may change it and the clock.
    private final class Changing: Sendable {
        let password = Mutex("wrong name or password")
        let now = Mutex(today)
    }

    @Test(
        "A refused password rests, also for photos, until it changes, a person asks, or six hours pass"
    )
    func once() async throws {
        let directory = try FakeDirectory { [$0.result($0.isBind ? 49 : 0)] }
        let changing = Changing()
        let settings = try LDAPSettings(directory.url).with {
            $0.credentials = .init(dn: Slapd.admin) { (changing.password.withLock { $0 }, nil) }
        }
        let asked = Asked(settings, now: { changing.now.withLock { $0 } })
        let photo = "\(settings.address.server)/uid=a,\(FakeDirectory.base)?jpegPhoto?base"

        let refused = try await asked.failure()
        #expect(refused?.kind == .ldap && refused?.message.contains("invalidCredentials (49)") == true)
        for _ in 0..<3 {
            let resting = try await asked.failure()
            #expect(resting?.kind == .credentials && resting?.retryable == false, "\(resting as Any)")
            #expect(resting?.message.contains("invalidCredentials (49)") == true, "\(resting as Any)")
            #expect(resting?.message.contains("`userctl retry users`") == true, "\(resting as Any)")
            do {
                _ = try await asked.pictures.fetch(photo, nil)
                Issue.record("a photo came")
            } catch let error as UpstreamError {
                #expect(error.failure.kind == .credentials)
            }
        }
        #expect(directory.binds == 1 && directory.connections == 1)

        asked.directory.personAsks()
        #expect(try await asked.failure()?.kind == .ldap)
        #expect(try await asked.failure()?.kind == .credentials)
        #expect(directory.binds == 2)

        changing.password.withLock { $0 = "another" }
        #expect(try await asked.failure()?.kind == .ldap)
        #expect(try await asked.failure()?.kind == .credentials)
        #expect(directory.binds == 3)

        changing.now.withLock { $0 = $0 + .seconds(6 * 3600 - 1) }
        #expect(try await asked.failure()?.kind == .credentials)
        changing.now.withLock { $0 = $0 + .seconds(1) }
        #expect(try await asked.failure()?.kind == .ldap)
        #expect(directory.binds == 4)
    }

    @Test(
        "A refusal has Active Directory's reason in words",
        arguments: [
            ("525", "unknown user"), ("52e", "wrong"), ("530", "logins are not allowed at this time"),
            ("531", "logins are not allowed from this machine"),
            ("532", "the password has expired"), ("533", "the account is disabled"),
            ("701", "the account has expired"), ("773", "the password must be changed"),
            ("775", "the account is locked"),
        ])
    func reason(code: String, words: String) async throws {
        let said =
            "80090308: LdapErr: DSID-0C0903A9, comment: AcceptSecurityContext error, data \(code), v1db1"
        let directory = try FakeDirectory { [$0.result(49, said)] }
        let failure = try await Asked(try LDAPSettings(directory.url).bound()).failure()
        #expect(failure?.message.contains("invalidCredentials (49): \(words)") == true, "\(failure as Any)")
        #expect(failure?.message.contains("data \(code)") == true)
    }

    @Test("A login that was refused too often has the name of that result, and is not repeated, too")
    func often() async throws {
        let directory = try FakeDirectory {
            [$0.result(19, "Exceed password retry limit. Please try later.")]
        }
        let asked = Asked(try LDAPSettings(directory.url).bound())
        let failure = try await asked.failure()
        #expect(
            failure?.message.contains("constraintViolation (19): Exceed password retry limit") == true,
            "\(failure as Any)")
        #expect(try await asked.failure()?.kind == .credentials)
        #expect(directory.binds == 1)
    }
}
