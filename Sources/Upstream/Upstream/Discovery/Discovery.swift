import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// Finds out which directories an organisation has: from DNS, and by requests for fixed paths that hold nothing secret
/// and follow no redirect to another origin.
package struct Discovery: Sendable {
    private let dns: DNSLookup
    private let transport: HTTPTransport
    /// How much of `limit` is left.
    private let left: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// A person waits for the whole.
    package static let limit = Duration.seconds(10)

    /// - Parameter elapsed: since the discovery began.
    package init(
        dns: DNSLookup, transport: HTTPTransport, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.dns, self.transport, self.sleep) = (dns, transport, sleep)
        left = { Self.limit - elapsed() }
    }

    /// - Parameter asksMicrosoft: asks Microsoft for the domain, even if DNS does not lead there.
    package func directories(of name: OrganisationName, asksMicrosoft: Bool = false) async -> Discovered {
        switch name {
        case .domain(let domain): await directories(of: domain, asksMicrosoft: asksMicrosoft)
        case .address(let url): await directories(at: url)
        }
    }

    private func directories(of domain: String, asksMicrosoft: Bool) async -> Discovered {
        let services = ["_ldap._tcp.dc._msdcs", "_ldap._tcp", "_kerberos._udp"].map { "\($0).\(domain)" }
        let alias = "enterpriseregistration.\(domain)"
        var complaints: [String] = []
        // Name servers that do not answer are asked once.
        func records(_ name: String, _ kind: DNSRecord.Kind) async -> [DNSRecord] {
            guard complaints.isEmpty else { return [] }
            do { return try await dns.records(name, kind) } catch {
                complaints.append("\(domain): \(error)")
                return []
            }
        }
        var hosts: [[String]] = []
        for service in services { hosts.append(Self.hosts(await records(service, .service), of: domain)) }
        let (mail, registration) = (await records(domain, .mail), await records(alias, .alias))
        let hasKerberos = !hosts[2].isEmpty
        let directory =
            hosts[0].first.map { DiscoveredDirectory.activeDirectory(domain, $0) }
            ?? hosts[1].first.map { .ldap(domain, $0, isFreeIPA: hasKerberos) }
        var found = [hasKerberos ? directory?.byTicket() : nil, directory].compactMap(\.self)
        let mailHosts = mail.compactMap { record -> String? in
            if case .mail(let host, _) = record { host } else { nil }
        }
        if let host = mailHosts.first(where: { isBelow($0, ["aspmx.l.google.com", "smtp.google.com"]) }) {
            found.append(.google(because: "mail of \(domain) goes to \(host)"))
        }
        let aliases = registration.compactMap { record -> String? in
            if case .alias(let host) = record, isBelow(host, ["windows.net"]) { host } else { nil }
        }
        let microsoftHosts = ["mail.protection.outlook.com", "mx.microsoft"]
        let sign =
            mailHosts.first { isBelow($0, microsoftHosts) }.map { "mail of \(domain) goes to \($0)" }
            ?? aliases.first.map { "\(alias) leads to \($0)" }
        if sign != nil || asksMicrosoft {
            do {
                if let tenant = try await microsoft(domain, sign) { found.append(tenant) }
            } catch { complaints.append(error.failure.reason) }
        }
        if found.isEmpty, complaints.isEmpty {
            complaints.append(
                "DNS names no directory of \(domain); it was asked for SRV of \(services.joined(separator: ", ")), "
                    + "MX of \(domain) and CNAME of \(alias)")
        }
        return Discovered(directories: found, complaints: complaints)
    }

    /// Answers with 400 for a domain that no tenant has.
    private func microsoft(
        _ domain: String, _ sign: String?
    ) async throws(UpstreamError) -> DiscoveredDirectory? {
        let address = "\(microsoftSignIn)\(domain)/v2.0/.well-known/openid-configuration"
        guard let url = URL(string: address), let issuer = try await json(at: url)?["issuer"]?.string,
            issuer.hasPrefix(microsoftSignIn), !issuer.contains("{")
        else { return nil }
        let tenant = "Microsoft knows the domain \(domain)"
        return .microsoft(issuer, sign == nil ? .possible : .likely, [sign, tenant].compactMap(\.self))
    }

    // MARK: - Requests

    /// The hosts of a service, the most preferred first. Only those below the domain, since DNS is not authenticated.
    private static func hosts(_ records: [DNSRecord], of domain: String) -> [String] {
        records.compactMap(\.server).filter { isBelow($0.host, [domain]) }
            .sorted { ($0.priority, $0.host) < ($1.priority, $1.host) }.map(\.host)
    }

    /// The object at an address; nil if there is none. Throws if the host can't be asked.
    func json(at url: URL) async throws(UpstreamError) -> JSONValue? {
        let response = try await answer(of: url)
        return response.status == 200 ? response.json : nil
    }

    /// Redirects to another origin are not followed.
    func answer(of url: URL) async throws(UpstreamError) -> HTTPResponse {
        var request = HTTPRequest(json: url)
        request.staysAtOrigin = true
        do {
            if let response = try await within(
                max(.zero, left()), sleep,
                { [request, transport] in
                    try await transport.send(request)
                })
            {
                return response
            }
        } catch let error as UpstreamError {
            throw error
        } catch {
            throw UpstreamError(.offline, "\(url.shown) can't be asked: \(error)")
        }
        throw UpstreamError(
            .timeout,
            "\(url.shown) did not answer within \(Self.limit.components.seconds) s, the time for all questions"
        )
    }
}

private func isBelow(_ host: String, _ domains: [String]) -> Bool {
    domains.contains { host == $0 || host.hasSuffix("." + $0) }
}
