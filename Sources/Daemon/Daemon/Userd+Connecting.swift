import ArgumentParser
import FoundationEssentials
import Glibc
import HTTP
import HTTPClient
import LDAP
import Model
import Platform
import Upstream
import UserdAPI

/// The owner and issuer of the certificate of a server, in a few words, or why there is none to look at. The handshake is that of a
/// sync; nothing more is sent. Throws if the server gets no secret.
func servedCertificate(at text: String, _ settings: Settings) async throws -> String {
    func mistake(_ reason: String) -> ExitError {
        ExitError(description: "\"\(text.shown(upTo: 100))\" \(reason)", code: 64)
    }
    let ldap: LDAPAddress?
    do throws(FormatMistake) { ldap = LDAPAddress.isOne(text) ? try LDAPAddress(text) : nil } catch {
        throw mistake(error.reason)
    }
    switch ldap?.scheme {
    case .ldapi?: return "a socket of this machine"
    case _? where ldap?.host.isEmpty == true: return "DNS names the servers"
    case .ldap?: return "TLS begins later there, if users.starttls is set"
    case .ldaps?, nil: break
    }
    let place = ldap.map { "https" + ($0.place ?? "").dropFirst(4) } ?? text
    guard let url = URL(httpAddress: place), url.user == nil, url.password == nil else {
        throw mistake("is no address of a server, such as https://idp.example.org")
    }
    let options = try NetworkOptions(settings)
    do {
        if ldap == nil, let proxy = try options.proxies.proxy(for: url) {
            return "the proxy \(proxy) leads there"
        }
        // A person waits; what a failure is about takes up to two seconds more.
        let probe = UpstreamProbe(
            url: url, timeout: min(settings.http.connectTimeout, .seconds(8)),
            additionalTrustRoots: options.trustRoots)
        if HTTPOrigin(url)?.isOverTLS == true { return try await probe.certificate() }
    } catch let error as UpstreamError {
        let message = error.failure.message
        throw ExitError(description: message.replacing(url.shown, with: ldap?.server ?? url.shown))
    }
    guard url.keepsSecrets else {
        throw ExitError(
            description: "\(url.shown) is not encrypted, so no secret is sent there: use its https:// address"
        )
    }
    return "on this machine, without TLS"
}

extension Secret.Use: ExpressibleByArgument {}

extension SettingsLoader {
    /// Takes the secret on standard input in place of the setting's file. Throws `SettingsError`.
    mutating func takeStandardInput(as use: Secret.Use) throws {
        secret = (use, standardInput(upTo: Secret.maximumBytes + 1))
        _ = try Secret.read(use, fromFile: SecretPath(content: secret?.content ?? []))
    }
}

private func standardInput(upTo limit: Int) -> [UInt8] {
    var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: limit))
    while bytes.count < limit {
        let count = read(STDIN_FILENO, &chunk, limit - bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        bytes += chunk[..<count]
    }
    return bytes
}
