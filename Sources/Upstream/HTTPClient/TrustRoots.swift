import FoundationEssentials
import Model
import NIOSSL
import Platform

/// Authorities that are trusted in addition to the system's.
package struct TrustRoots: Hashable, Sendable {
    let certificates: [NIOSSLCertificate]

    package static let none = TrustRoots(certificates: [])

    private init(certificates: [NIOSSLCertificate]) { self.certificates = certificates }

    /// Nil if a file has no certificates, or a damaged one. Leaves out expired ones: BoringSSL would prefer one to its
    /// renewal of the same name.
    /// - Parameter files: in PEM.
    package init?(files: [String], now: Timestamp = Timestamp(Date())) {
        var all: [NIOSSLCertificate] = []
        for file in files {
            guard let bytes = try? RegularFile(file, upTo: 16 << 20).bytes else { return nil }
            // BoringSSL passes over a certificate that follows a byte order mark.
            let text = String(decoding: bytes, as: UTF8.self).replacing("\u{FEFF}", with: "")
            guard let found = try? NIOSSLCertificate.fromPEMBytes(Array(text.utf8)), !found.isEmpty else {
                return nil
            }
            all += found.filter { Int64($0.notValidAfter) &* 1000 >= now.milliseconds }
        }
        certificates = all
    }
}
