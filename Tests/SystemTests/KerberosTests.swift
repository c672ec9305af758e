import Foundation
import Glibc
import Model
import TestSupport
import Testing

@Suite("A directory by a Kerberos ticket", .serialized, .timeLimit(.hang))
struct KerberosTests {
    /// Runs a test with a realm, a directory that everybody with a ticket may read, and a machine.
    /// - Parameter service: the name that Kerberos knows the server by.
    private func withDirectory(
        service: String = "ldap/localhost", people: Int = 40,
        identity: CertificateAuthority.Identity? = nil,
        _ body: @Sendable (Machine, KerberosRealm, Slapd, _ settings: [String: String]) async throws -> Void
    ) async throws {
        let realm = try await KerberosRealm(service: service, people: ["ada", "bob"])
        do {
            let slapd = try await Slapd(
                DirectoryPeople.ldif(people),
                settings: "sizelimit unlimited\naccess to * by users read by * none",
                global: "sasl-host localhost\nsasl-realm \(KerberosRealm.name)"
                    + (identity == nil ? "" : "\nsasl-cbinding tls-endpoint"),
                identity: identity, host: "localhost",
                environment: realm.serverEnvironment)
            try await withSlapd(slapd) { slapd in
                try await onMachine { machine in
                    try await body(
                        machine, realm, slapd,
                        [
                            "users.format": "ldap", "users.sasl": "gssapi", "users.query": "",
                            "users.url": "\(slapd.plain)/\(DirectoryPeople.base)", "paused": "true",
                        ])
                }
            }
        } catch {
            try await realm.stop()
            throw error
        }
        try await realm.stop()
    }

    private func start(
        _ machine: Machine, _ settings: [String: String], _ environment: [String: String]
    ) async throws -> ChildProcess {
        let userd = try machine.start(
            Program.userd, machine.arguments(settings), environment: environment)
        try await userd.line(containing: "Listening")
        return userd
    }

    @Test("A missing ticket is waited for, and found soon after kinit; the connection is encrypted")
    func waits() async throws {
        try await withDirectory { machine, realm, slapd, settings in
            let cache = machine.file("tickets")
            _ = try await start(machine, settings, realm.environment("FILE:" + cache))
            let failed = try await machine.sync(.users)
            #expect(failed.phase == .error && failed.failure?.kind == .credentials, "\(failed)")
            #expect(failed.failure?.retryable == false, "\(failed)")
            #expect(
                failed.failure?.message.contains("there is no Kerberos ticket in FILE:\(cache); run `kinit`")
                    == true)
            try await realm.kinit("ada", cache)
            try await wait { try await machine.state(of: .users).phase == .loaded }
            #expect(try await machine.users().count == 40)
            #expect(slapd.log.contains("mech=GSSAPI bind_ssf=256"), "\(slapd.log.suffix(2000))")
        }
    }

    @Test("Tickets in a folder are watched, too; one that has expired is told from none, and reads go on")
    func expired() async throws {
        try await withDirectory { machine, realm, _, settings in
            let folder = machine.file("tickets")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let cache = "DIR:" + folder
            try await realm.kinit("ada", cache)
            _ = try await start(machine, settings, realm.environment(cache))
            #expect(try await machine.sync(.users).phase == .loaded)
            try await realm.kinit("ada", cache, life: "1s")
            try await wait {
                let state = try await machine.sync(.users)
                return state.failure?.message.contains("the Kerberos ticket has expired; run `kinit`") == true
                    && state.failure?.kind == .credentials
            }
            #expect(try await machine.users().count == 40)
            try await realm.kinit("ada", cache)
            try await wait { try await machine.state(of: .users).phase == .loaded }
        }
    }

    @Test("A list that another person's ticket has read is requested again")
    func otherPerson() async throws {
        try await withDirectory { machine, realm, _, settings in
            let cache = machine.file("tickets")
            try await realm.kinit("ada", cache)
            _ = try await start(machine, settings, realm.environment(cache))
            for (person, scope) in [
                ("ada", SyncScope.full), ("ada", .changes), ("bob", .full), ("bob", .changes),
            ] {
                try await realm.kinit(person, cache)
                let state = try await machine.sync(.users)
                #expect(state.phase == .loaded && state.scope == scope, "\(person)")
            }
        }
    }

    @Test("A ticket that expires while the list is read ends that sync as missing, and loses nothing")
    func expiresDuringList() async throws {
        try await withDirectory(people: 600) { machine, realm, slapd, settings in
            let cache = machine.file("tickets")
            let relay = try machine.startPython([VarlinkClients.program("relay.py"), "\(slapd.port)"])
            let port = try await relay.line(containing: "port ", in: .output).dropFirst(5)
            var settings = settings
            settings["users.url"] = "ldap://localhost:\(port)/\(DirectoryPeople.base)"
            settings["users.page_size"] = "100"
            _ = try await start(machine, settings, realm.environment(cache))
            try await realm.kinit("ada", cache)
            let first = try await machine.sync(.users)
            #expect(first.phase == .loaded && first.count == 600, "\(first)")

            // Otherwise the list is not read again.
            try await slapd.modify(
                "dn: \(DirectoryPeople.dn(1))\nchangetype: modify\nreplace: title\ntitle: Chief\n")
            try await realm.kinit("ada", cache, life: "3s")
            let renewed = ContinuousClock.now
            // In the middle of the list nothing arrives until the ticket has expired; then the connection is lost.
            relay.send(SIGUSR1)
            async let synced = machine.sync(.users)
            // On a slow machine, the ticket may have expired before that.
            try await wait {
                let phase = try await machine.state(of: .users).phase
                return relay.text(.output).contains("holds") || phase == .error
            }
            try await Task.sleep(until: renewed + .seconds(4))
            relay.send(SIGUSR2)
            let ended = try await synced
            #expect(ended.failure?.kind == .credentials, "\(ended)")
            #expect(ended.failure?.message.contains("has expired; run `kinit`") == true, "\(ended)")
            #expect(try await machine.users().count == 600)
        }
    }

    @Test("Over TLS, the login is bound to the certificate, and a server that wants that takes it")
    func overTLS() async throws {
        let authority = try await CertificateAuthority()
        let identity = try await authority.identity(
            names: "DNS:localhost,DNS:\(ProcessInfo.processInfo.hostName)")
        try await withDirectory(identity: identity) { machine, realm, slapd, settings in
            let cache = machine.file("tickets")
            try await realm.kinit("ada", cache)
            var settings = settings
            settings["users.url"] = "\(slapd.encrypted)/\(DirectoryPeople.base)"
            settings["http.ca_file"] = authority.certificate
            _ = try await start(machine, settings, realm.environment(cache))
            let state = try await machine.sync(.users)
            #expect(state.phase == .loaded && state.count == 40, "\(state)")
            #expect(slapd.log.contains("mech=GSSAPI"), "\(slapd.log.suffix(1000))")
        }
    }

    @Test(
        "Each failure says what to do",
        arguments: [
            ("name", "Kerberos does not know ldap://localhost"),
            ("package", "install the package libsasl2-modules-gssapi-mit"),
            ("kdc", "no Kerberos server (KDC) answers"),
        ] + (Volume.isLong ? [("silence", "no Kerberos server (KDC) answers")] : []))
    func failures(cause: String, words: String) async throws {
        let service = cause == "name" ? "ldap/other" : "ldap/localhost"
        try await withDirectory(service: service) { machine, realm, _, settings in
            let cache = machine.file("tickets")
            try await realm.kinit("ada", cache)
            var environment = realm.environment(cache)
            switch cause {
            case "name": break
            case "package": environment["SASL_PATH"] = machine.file("nothing")
            default:
                try await realm.stop()
                // libkrb5 waits for longer than a login may take.
                if cause == "silence" {
                    let silence =
                        "import socket, sys, time; s = [socket.socket(type=t) for t in (1, 2)]; "
                        + "[x.bind(('127.0.0.1', int(sys.argv[1]))) for x in s]; s[0].listen(); print('on', flush=True); "
                        + "time.sleep(600)"
                    let silent = try machine.startPython(["-c", silence, "\(realm.port)"])
                    try await silent.line(containing: "on", in: .output)
                }
            }
            _ = try await start(machine, settings, environment)
            let failed = try await machine.sync(.users)
            #expect(failed.failure?.message.contains(words) == true, "\(failed)")
            // In the environment of the userd that runs.
            let doctor = try await machine.userctl(["doctor"])
            #expect(doctor.code == 1 && doctor.output.contains(words), "\(doctor.output)")
            #expect(!doctor.output.contains("users.bind_dn"), "\(doctor.output)")
        }
    }
}
