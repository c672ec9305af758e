import ArgumentParser
import DirectoryFormats
import FoundationEssentials
import Glibc
import HTTP
import HTTPClient
import LDAP
import Model
import Platform
import Settings
import UserdAPI

/// The questions of `userctl connect` before it writes a secret.
extension ServerCertificate {
    static func json(_ address: String, _ settings: Settings) async throws -> String {
        do {
            return String(decoding: try encoded(try await look(at: address, settings)), as: UTF8.self) + "\n"
        } catch let error as FormatMistake {
            throw ExitError(description: "\"\(address.shown(upTo: 100))\" \(error.reason)", code: 64)
        }
    }

    /// Looks at the certificate by the handshake of a sync, and sends nothing more.
    private static func look(at text: String, _ settings: Settings) async throws -> ServerCertificate {
        var found = ServerCertificate(origin: addressOrigin(text))
        let ldap = LDAPAddress.isOne(text) ? try LDAPAddress(text) : nil
        found.note =
            switch ldap?.scheme {
            case .ldapi?: "a socket of this machine"
            case _? where ldap?.host.isEmpty == true: "DNS names the servers"
            case .ldap?: "TLS begins later there, if users.starttls is set"
            case .ldaps?, nil: nil
            }
        if found.note != nil { return found }
        let place = ldap.map { "https" + ($0.place ?? "").dropFirst(4) } ?? text
        guard let url = URL(httpAddress: place), url.user == nil, url.password == nil else {
            throw FormatMistake("is no address of a server, such as https://idp.example.org")
        }
        let options = try NetworkOptions(settings)
        do {
            if ldap == nil, let proxy = try options.proxies.proxy(for: url) {
                found.note = "the proxy \(proxy) leads there"
            } else if HTTPOrigin(url)?.isOverTLS == true {
                // A person waits; what a failure is about takes up to two seconds more.
                let probe = UpstreamProbe(
                    url: url, timeout: min(settings.http.connectTimeout, .seconds(8)),
                    additionalTrustRoots: options.trustRoots)
                (found.subject, found.issuer) = try await probe.certificate()
            } else if url.keepsSecrets {
                found.note = "on this machine, without TLS"
            } else {
                found.complaint =
                    "\(url.shown) is not encrypted, so no secret is sent there: use its https:// address"
            }
        } catch let error as UpstreamError {
            found.complaint = error.failure.message.replacing(url.shown, with: ldap?.server ?? url.shown)
        }
        return found
    }
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
