import NIOSSL

/// Authorities that are trusted in addition to the system's.
package struct TrustRoots: Hashable, Sendable {
    let certificates: [NIOSSLCertificate]

    package static let none = TrustRoots(certificates: [])

    private init(certificates: [NIOSSLCertificate]) { self.certificates = certificates }

    /// Nil if a file has no certificates, or a damaged one.
    /// - Parameter files: in PEM.
    package init?(files: [String]) {
        var all: [NIOSSLCertificate] = []
        for file in files {
            guard let found = try? NIOSSLCertificate.fromPEMFile(file), !found.isEmpty else { return nil }
            all += found
        }
        certificates = all
    }
}
