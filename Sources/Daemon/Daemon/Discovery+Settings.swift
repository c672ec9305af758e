import FoundationEssentials
import HTTP
import HTTPClient
import LDAP
import Model
import Upstream
import UserdAPI

extension Discovery {
    /// Discovers by the proxies and authorities of the settings.
    static func run(
        _ name: OrganisationName, asksMicrosoft: Bool, _ settings: Settings
    ) async throws -> Discovered {
        let clients = HTTPClients()
        let limits = HTTPLimits(
            connectTimeout: settings.http.connectTimeout, deadline: min(settings.http.deadline, limit),
            maxResponseBytes: settings.http.maxResponseBytes)
        let client = clients.client(limits, try NetworkOptions(settings))
        let begun = ContinuousClock.now
        let discovery = Discovery(
            dns: .live(), transport: client.transport, elapsed: { .now - begun },
            sleep: { try await Task.sleep(for: $0) })
        let found = await discovery.directories(of: name, asksMicrosoft: asksMicrosoft)
        await clients.shutdown()
        return found
    }

    /// Reads the root entry of an LDAP server, without a login.
    static func run(_ address: LDAPAddress, _ settings: Settings) async throws -> Discovered {
        var ldap = LDAPSettings(address: address, format: try .builtIn("ldap"))
        ldap.authorities = settings.http.caFile
        (ldap.connectTimeout, ldap.deadline) = (min(settings.http.connectTimeout, limit), limit)
        let now = { @Sendable in Timestamp(Date()) }
        let directory = LDAPDirectory(
            ldap, redactor: SecretRedactor(), logins: Logins(now: now), now: now,
            logger: Daemon.makeLogger(SharedLogLevel(settings.logLevel)))
        do {
            let found = try await within(limit, { try await Task.sleep(for: $0) }) {
                try await directory.discovered()
            }
            guard let found else {
                return Discovered(directories: [], complaints: ["the server did not answer within 10 s"])
            }
            let complaint =
                "the root entry names no base; add it, as in ldaps://ldap.example.org/dc=example,dc=org"
            return Discovered(directories: found, complaints: found.isEmpty ? [complaint] : [])
        } catch let error as UpstreamError {
            return Discovered(directories: [], complaints: [error.failure.reason])
        }
    }
}
