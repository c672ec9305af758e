import Foundation
import Glibc

/// A Kerberos realm with MIT's KDC, which `make test-packages` unpacks, in a folder of its own.
package final class KerberosRealm: Sendable {
    package static let name = "EXAMPLE.ORG"
    private static let password = "correct-horse"

    private let directory: TemporaryDirectory
    package let port: Int
    private let kdc: ChildProcess

    /// - Parameter service: the principal of the server, such as `ldap/localhost`.
    package init(service: String, people: [String]) async throws {
        directory = try TemporaryDirectory()
        port = try freePort()
        let realm = Self.name
        try """
        [libdefaults]
            default_realm = \(realm)
            dns_lookup_kdc = false
            dns_lookup_realm = false
        [realms]
            \(realm) = {
                kdc = 127.0.0.1:\(port)
            }
        [domain_realm]
            localhost = \(realm)
        """.write(toFile: directory.file("krb5.conf"), atomically: true, encoding: .utf8)
        try """
        [kdcdefaults]
            kdc_listen = 127.0.0.1:\(port)
            kdc_tcp_listen = 127.0.0.1:\(port)
        [realms]
            \(realm) = {
                database_name = \(directory.file("principal"))
                key_stash_file = \(directory.file("stash"))
                acl_file = \(directory.file("acl"))
                max_life = 1h
            }
        [dbmodules]
            db_module_dir = \(Self.libraries)/krb5/plugins/kdb
        """.write(toFile: directory.file("kdc.conf"), atomically: true, encoding: .utf8)
        let environment = Self.environment(in: directory)
        func administer(_ program: String, _ arguments: [String]) async throws {
            let done = try await run("\(Self.root)/usr/sbin/\(program)", arguments, environment: environment)
            guard done.code == 0 else { throw WaitedInVain(description: "\(program): \(done.errors)") }
        }
        try await administer("kdb5_util", ["create", "-s", "-P", Self.password, "-r", realm])
        for query in ["addprinc -randkey \(service)", "ktadd -k \(directory.file("keytab")) \(service)"]
            + people.map({ "addprinc -pw \(Self.password) \($0)" })
        {
            try await administer("kadmin.local", ["-r", realm, "-q", query])
        }
        kdc = try ChildProcess("\(Self.root)/usr/sbin/krb5kdc", ["-n"], environment: environment)
        try await kdc.line(containing: "starting", in: .errors)
    }

    /// krb5.conf.
    package var configuration: String { directory.file("krb5.conf") }

    /// libsasl's plugins, with that for Kerberos.
    package static var plugins: String { libraries + "/sasl2" }

    /// The server's environment.
    package var serverEnvironment: [String: String] {
        [
            "KRB5_CONFIG": configuration, "SASL_PATH": Self.plugins, "KRB5_KTNAME": directory.file("keytab"),
        ]
    }

    /// The environment of a client with the tickets in this cache.
    package func environment(_ cache: String) -> [String: String] {
        ["KRB5_CONFIG": directory.file("krb5.conf"), "SASL_PATH": Self.plugins, "KRB5CCNAME": cache]
    }

    /// - Parameter life: such as `1h` or `5s`.
    package func kinit(_ person: String, _ cache: String, life: String = "1h") async throws {
        let done = try await run(
            "/bin/sh", ["-c", "echo \(Self.password) | \(Self.root)/usr/bin/kinit -l \(life) \(person)"],
            environment: Self.environment(in: directory).merging(["KRB5CCNAME": cache]) { $1 })
        guard done.code == 0 else { throw WaitedInVain(description: "kinit: \(done.errors)") }
    }

    package func stop() async throws {
        kdc.send(SIGKILL)
        try await kdc.ended()
    }

    private static func environment(in directory: TemporaryDirectory) -> [String: String] {
        [
            "PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": libraries, "SASL_PATH": "\(libraries)/sasl2",
            "KRB5_CONFIG": directory.file("krb5.conf"), "KRB5_KDC_PROFILE": directory.file("kdc.conf"),
        ]
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../.build/krb5").standardized.path
    #if arch(arm64)
        private static let libraries = root + "/usr/lib/aarch64-linux-gnu"
    #else
        private static let libraries = root + "/usr/lib/x86_64-linux-gnu"
    #endif
}
