import Foundation
import Glibc

/// Debian's LDAP server, unpacked by `make test-packages`, on sockets of its own. The creator ends it, as `withSlapd` does.
package final class Slapd: Sendable {
    package static let suffix = "dc=example,dc=org"
    package static let admin = "cn=admin,dc=example,dc=org"
    package static let password = "correct-horse"

    private let directory: TemporaryDirectory
    private let configuration: String
    private let name: String
    package let port: Int
    package let tlsPort: Int
    private let environment: [String: String]
    private let process = Held()

    // Guarded by the one test that has the server.
    private final class Held: @unchecked Sendable {
        var process: ChildProcess?
    }

    /// - Parameters:
    ///   - ldif: the content; added as it is, including operational attributes.
    ///   - settings: lines for the database.
    ///   - isChecked: whether entries must follow the schema.
    ///   - isProvider: whether it keeps its contextCSN up to date (slapo-syncprov).
    ///   - global: lines that precede the database.
    ///   - host: the address of the sockets.
    ///   - environment: additional variables.
    package init(
        _ ldif: String, suffix: String = Slapd.suffix, settings: String = "", global: String = "",
        schemas: [String] = [], isChecked: Bool = true, isProvider: Bool = true,
        identity: CertificateAuthority.Identity? = nil,
        host: String = "127.0.0.1", environment: [String: String] = [:]
    ) async throws {
        self.environment = Self.environment.merging(environment) { $1 }
        directory = try TemporaryDirectory()
        name = host
        // If another program takes a port in between, the start fails with a message.
        (port, tlsPort) = (try freePort(), try freePort())
        try FileManager.default.createDirectory(
            atPath: directory.file("db"), withIntermediateDirectories: false)
        let all = (["core", "cosine", "inetorgperson", "nis"] + schemas).map {
            "\(Self.root)/etc/ldap/schema/\($0).schema"
        }
        let text = """
            \(all.map { "include \($0)" }.joined(separator: "\n"))
            modulepath \(Self.root)/usr/lib/ldap
            moduleload back_mdb
            moduleload syncprov
            \(identity.map { "TLSCertificateFile \($0.certificate)\nTLSCertificateKeyFile \($0.key)" } ?? "")
            \(global)
            database mdb
            suffix \(suffix)
            rootdn cn=root,\(suffix)
            rootpw \(Self.password)
            directory \(directory.file("db"))
            maxsize 268435456
            dbnosync
            \(settings)
            \(isProvider ? "overlay syncprov" : "")
            """
        configuration = directory.file("slapd.conf")
        try text.write(toFile: configuration, atomically: true, encoding: .utf8)
        let file = directory.file("all.ldif")
        try ldif.write(toFile: file, atomically: true, encoding: .utf8)
        let added = try await run(
            Self.root + "/usr/sbin/slapadd",
            ["-q", "-w", "-f", configuration, "-l", file] + (isChecked ? [] : ["-s"]),
            environment: Self.environment)
        guard added.code == 0 else {
            throw WaitedInVain(description: "slapadd: \(added.errors.suffix(4000))")
        }
    }

    package var socket: String { directory.file("ldapi") }
    package var plain: String { "ldap://\(name):\(port)" }
    package var encrypted: String { "ldaps://\(name):\(tlsPort)" }
    package var local: String { "ldapi://" + socket.replacing("/", with: "%2F") }

    package func start() async throws {
        try? FileManager.default.removeItem(atPath: socket)
        let process = try ChildProcess(
            Self.root + "/usr/sbin/slapd",
            ["-f", configuration, "-h", "\(plain)/ \(encrypted)/ \(local)/", "-d", "256"],
            environment: environment)
        self.process.process = process
        try await wait {
            if process.hasEnded { throw WaitedInVain(description: "slapd: \(process.text(.errors))") }
            return FileManager.default.fileExists(atPath: socket) && isListening(port)
        }
    }

    package func send(_ signal: Int32) { process.process?.send(signal) }

    package func stop() async throws {
        guard let process = process.process else { return }
        process.send(SIGCONT)
        process.send(SIGKILL)
        try await process.ended()
    }

    package var log: String { process.process?.text(.errors) ?? "" }

    /// The searches so far, such as `base="dc=example,dc=org" scope=2`.
    package func searches() async throws -> [String] {
        // The log comes through a pipe: once our own search is in it, earlier ones are, too.
        let mark = "(cn=mark-\(UUID().uuidString.lowercased()))"
        _ = try await tool("ldapsearch", ["-x", "-b", "", "-s", "base", mark])
        try await wait { log.contains(mark) }
        return log.split(separator: "\n").compactMap { line in
            guard !line.contains("(cn=mark-"), let start = line.firstRange(of: "SRCH base=")?.lowerBound
            else { return nil }
            let words = line[start...].dropFirst(5)
            return words.firstRange(of: " deref").map { String(words[..<$0.lowerBound]) }
        }
    }

    /// Changes entries as an LDIF text says.
    package func modify(_ ldif: String) async throws {
        let file = directory.file("changes.ldif")
        try ldif.write(toFile: file, atomically: true, encoding: .utf8)
        _ = try await tool(
            "ldapmodify", ["-x", "-D", "cn=root,\(Self.suffix)", "-w", Self.password, "-f", file])
    }

    package func tool(_ name: String, _ arguments: [String]) async throws -> Finished {
        let done = try await run(
            "\(Self.root)/usr/bin/\(name)", ["-H", local] + arguments, environment: Self.environment)
        guard done.code == 0 else { throw WaitedInVain(description: "\(name): \(done.errors)") }
        return done
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../.build/slapd").standardized.path
    private static let environment = [
        "LD_LIBRARY_PATH": root + "/usr/lib/x86_64-linux-gnu:\(root)/usr/lib/aarch64-linux-gnu",
        "LDAPNOINIT": "1",
    ]
}

/// Runs a server for the duration of the body.
package func withSlapd(_ server: Slapd, _ body: (Slapd) async throws -> Void) async throws {
    do {
        try await server.start()
        try await body(server)
    } catch {
        try await server.stop()
        throw error
    }
    try await server.stop()
}

package func freePort() throws -> Int {
    let (descriptor, port) = try listenOnLoopback(backlog: 1)
    close(descriptor)
    return port
}

private func isListening(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port: port)
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
