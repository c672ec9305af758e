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

/// What `userctl connect` asks before it writes a secret.
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
        do {
            if LDAPAddress.isOne(text) {
                let address = try LDAPAddress(text)
                found.note =
                    switch address.scheme {
                    case .ldapi: "a socket of this machine"
                    case _ where address.host.isEmpty: "DNS names the servers"
                    case .ldap: "TLS begins later there, if users.starttls is set"
                    case .ldaps: nil
                    }
                if found.note == nil { try await found.shakeHands(with: address, settings) }
                return found
            }
            guard let url = URL(httpAddress: text), url.user == nil, url.password == nil else {
                throw FormatMistake("is no address of a server, such as https://idp.example.org")
            }
            if let proxy = try NetworkOptions(settings).proxies.proxy(for: url) {
                found.note = "the proxy \(proxy) leads there"
            } else if HTTPOrigin(url)?.isOverTLS == true {
                (found.subject, found.issuer) = try await certificate(of: url, settings)
            } else if url.keepsSecrets {
                found.note = "on this machine, without TLS"
            } else {
                found.complaint =
                    "\(url.shown) is not encrypted, so no secret is sent there: use its https:// address"
            }
        } catch let error as UpstreamError {
            found.complaint = error.failure.message
        }
        return found
    }

    private mutating func shakeHands(with address: LDAPAddress, _ settings: Settings) async throws {
        guard let place = address.place.map({ "https" + $0.dropFirst(4) }), let url = URL(httpAddress: place)
        else { throw FormatMistake("has an invalid host") }
        do { (subject, issuer) = try await certificate(of: url, settings) } catch let error as UpstreamError {
            complaint = error.failure.message.replacing(url.shown, with: address.server)
        }
    }
}

/// A person waits; what the failure is about takes up to two seconds more.
private let limit = Duration.seconds(8)

private func certificate(
    of url: URL, _ settings: Settings
) async throws -> (subject: String?, issuer: String?) {
    try await UpstreamProbe(
        url: url, timeout: min(settings.http.connectTimeout, limit),
        additionalTrustRoots: try NetworkOptions(settings).trustRoots
    ).certificate()
}

extension SettingsLoader {
    /// Takes the secret on standard input in place of the setting's file. Throws `SettingsError`, or `ExitError` for a
    /// setting that names no file of a secret.
    mutating func takeStandardInput(as setting: String, toCheck: Bool) throws {
        guard toCheck else {
            throw ExitError(
                description: "--secret-on-stdin has a meaning only with --check-upstream", code: 64)
        }
        let uses = Secret.Use.allCases.filter { $0.file != nil }
        guard let use = uses.first(where: { $0.rawValue == setting }) else {
            let names = uses.map(\.rawValue).joined(separator: ", ")
            throw ExitError(
                description:
                    "--secret-on-stdin: expected one of \(names), not \"\(setting.shown(upTo: 40))\"",
                code: 64)
        }
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
