import Foundation
import Glibc

/// An authority of a test's own, made anew by the `openssl` command, and what it signs.
package final class CertificateAuthority: Sendable {
    package struct Identity: Sendable {
        /// PEM files.
        package let certificate: String
        package let key: String
        /// Where they are for as long as somebody needs them.
        fileprivate let directory: TemporaryDirectory
    }

    /// Where a certificate's life is against now.
    package enum Validity: String, Sendable {
        case current, expired, notYet

        /// From and to, in days from now.
        fileprivate var days: (from: Int, to: Int) {
            switch self {
            case .current: (-1, 1)
            case .expired: (-20, -10)
            case .notYet: (10, 20)
            }
        }
    }

    /// Its own certificate, to be trusted.
    package let certificate: String
    private let key: String
    private let directory: TemporaryDirectory
    /// Whether another one vouches for it: then its certificate goes along with those that it signs.
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

    /// An authority that this one vouches for.
    package func intermediate(name: String, _ validity: Validity = .current) async throws
        -> CertificateAuthority
    {
        CertificateAuthority(
            intermediate: try await sign(name, "basicConstraints=critical,CA:TRUE", validity))
    }

    /// A key, and a certificate for it.
    /// - Parameters:
    ///   - names: as in `subjectAltName`.
    ///   - selfSigned: by that key and not by the authority.
    package func identity(
        names: String = "IP:127.0.0.1", _ validity: Validity = .current, selfSigned: Bool = false
    ) async throws -> Identity {
        try await sign("userd test", "subjectAltName=\(names)", validity, selfSigned: selfSigned)
    }

    private func sign(
        _ name: String, _ fields: String, _ validity: Validity, selfSigned: Bool = false
    ) async throws -> Identity {
        let stem = directory.file(UUID().uuidString)
        let (request, own, signed) = (stem + ".csr", stem + ".key", stem + ".pem")
        try await openssl(
            [
                "req", "-new", "-subj", "/CN=\(name)", "-addext", fields, "-keyout", own, "-out", request,
            ] + Self.newKey)
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

    /// As `openssl ca` takes it: YYYYMMDDHHMMSSZ.
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
