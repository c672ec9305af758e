import Foundation
import Glibc

/// A certificate authority created by the `openssl` command, and the certificates that it signs.
package final class CertificateAuthority: Sendable {
    package struct Identity: Sendable {
        /// PEM files.
        package let certificate: String
        package let key: String
        /// Keeps the files.
        fileprivate let directory: TemporaryDirectory
    }

    /// A certificate's validity relative to now.
    package enum Validity: String, Sendable {
        case current, expired, notYet

        /// Days from now.
        fileprivate var days: (from: Int, to: Int) {
            switch self {
            case .current: (-1, 1)
            case .expired: (-20, -10)
            case .notYet: (10, 20)
            }
        }
    }

    /// The authority's own certificate.
    package let certificate: String
    private let key: String
    private let directory: TemporaryDirectory
    /// An intermediate's certificate is added to those that it signs.
    private let isIntermediate: Bool

    package init(name: String = "userd test authority") async throws {
        directory = try TemporaryDirectory()
        isIntermediate = false
        (certificate, key) = (directory.file("ca.pem"), directory.file("ca.key"))
        try await openssl(
            ["req", "-x509", "-days", "2", "-subj", "/CN=\(name)", "-keyout", key, "-out", certificate]
                + Self.newKey)
        let configuration = """
            [ca]
            default_ca = test
            [test]
            database = \(directory.path)/index
            new_certs_dir = \(directory.path)
            default_md = sha256
            policy = any
            copy_extensions = copy
            unique_subject = no
            rand_serial = yes
            [any]
            commonName = optional
            """
        try Data(configuration.utf8).write(to: URL(filePath: directory.file("configuration")))
        try Data().write(to: URL(filePath: directory.file("index")))
    }

    private init(intermediate: Identity) {
        (certificate, key, directory) = (intermediate.certificate, intermediate.key, intermediate.directory)
        isIntermediate = true
    }

    /// An authority that this one signs.
    package func intermediate(name: String, _ validity: Validity = .current) async throws
        -> CertificateAuthority
    {
        CertificateAuthority(
            intermediate: try await sign(name, "basicConstraints=critical,CA:TRUE", validity))
    }

    /// Another certificate for the same name and key: a renewal of this authority's own, or one by another authority.
    package func certificate(
        of name: String, _ validity: Validity, by signer: CertificateAuthority? = nil
    ) async throws -> String {
        try await (signer ?? self).sign(
            name, "basicConstraints=critical,CA:TRUE", validity, selfSigned: signer == nil, key: key
        ).certificate
    }

    /// A key and its certificate.
    /// - Parameters:
    ///   - names: as in `subjectAltName`.
    ///   - name: the common name; nil for none.
    ///   - selfSigned: signed by its own key instead of the authority's.
    package func identity(
        names: String = "IP:127.0.0.1", _ validity: Validity = .current, selfSigned: Bool = false,
        name: String? = "userd test"
    ) async throws -> Identity {
        try await sign(name, "subjectAltName=\(names)", validity, selfSigned: selfSigned)
    }

    private func sign(
        _ name: String?, _ fields: String, _ validity: Validity, selfSigned: Bool = false,
        key given: String? = nil
    ) async throws -> Identity {
        let stem = directory.file(UUID().uuidString)
        let (request, own, signed) = (stem + ".csr", given ?? stem + ".key", stem + ".pem")
        try await openssl(
            [
                "req", "-new", "-utf8", "-subj", name.map { "/CN=\($0)" } ?? "/", "-addext", fields, "-out",
                request,
            ]
                + (given == nil ? ["-keyout", own] + Self.newKey : ["-key", own, "-batch"]))
        let signer = selfSigned ? ["-selfsign", "-keyfile", own] : ["-cert", certificate, "-keyfile", key]
        try await openssl(
            [
                "ca", "-batch", "-notext", "-config", directory.file("configuration"), "-in", request,
                "-out", signed, "-startdate", Self.day(validity.days.from),
                "-enddate", Self.day(validity.days.to),
            ] + signer)
        if isIntermediate {
            let chain =
                try Data(contentsOf: URL(filePath: signed)) + Data(contentsOf: URL(filePath: certificate))
            try chain.write(to: URL(filePath: signed))
        }
        return Identity(certificate: signed, key: own, directory: directory)
    }

    private static let newKey = [
        "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-batch",
    ]

    /// In the form of `openssl ca`: YYYYMMDDHHMMSSZ.
    private static func day(_ days: Int) -> String {
        var seconds = time(nil) + days * 86_400
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(
            format: "%04d%02d%02d000000Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
    }
}

private func openssl(_ arguments: [String]) async throws {
    let made = try await run("/usr/bin/openssl", arguments, environment: [:])
    guard made.code == 0 else { throw WaitedInVain(description: "openssl: \(made.errors)") }
}
