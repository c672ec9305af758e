import Foundation
import Glibc
import Model
import TestSupport
import Testing

@Suite("Kerberos tickets under systemd", .serialized, .timeLimit(.hang))
struct KerberosUnitTests {
    @Test("The service sees tickets only after connect or enable --kerberos, and then no more than it says")
    func dropIn() async throws {
        let realm = try await KerberosRealm(service: "ldap/localhost", people: ["ada"])
        let slapd = try await Slapd(
            DirectoryPeople.ldif(20), settings: "access to * by users read by * none",
            global: "sasl-host localhost\nsasl-realm \(KerberosRealm.name)", host: "localhost",
            environment: realm.serverEnvironment)
        let inTmp = "/tmp/userd-test-ticket-\(UUID())"
        try await withSlapd(slapd) { slapd in
            try await onUserManager { manager in
                try await manager.installUnits([
                    "users.format": "ldap", "users.sasl": "gssapi", "users.query": "", "paused": "true",
                    "users.url": "\(slapd.plain)/\(DirectoryPeople.base)",
                ])
                // What a machine of a domain has in /usr and /etc.
                let folder = manager.machine.file("home/.config/userd")
                try FileManager.default.copyItem(atPath: KerberosRealm.plugins, toPath: folder + "/sasl2")
                let configuration = try String(contentsOfFile: realm.configuration, encoding: .utf8)
                try configuration.replacing(
                    "[libdefaults]", with: "[libdefaults]\n    default_ccache_name = FILE:\(inTmp)"
                ).write(toFile: folder + "/krb5.conf", atomically: true, encoding: .utf8)
                try await manager.addToService(
                    "Environment=SASL_PATH=%E/userd/sasl2 KRB5_CONFIG=%E/userd/krb5.conf")
                let ticket = manager.machine.file("ticket")
                try await realm.kinit("ada", ticket)
                func put(_ path: String) throws {
                    try FileManager.default.copyItem(atPath: ticket, toPath: path)
                    chown(path, UserManager.userID, UserManager.userID)
                    chmod(path, 0o600)
                }
                func userctl(_ arguments: [String], _ cache: String) async throws -> Finished {
                    try await manager.run(
                        "\(manager.home)/.local/bin/userctl", arguments, environment: ["KRB5CCNAME": cache])
                }
                let tickets = manager.machine.file("home/tickets")
                try FileManager.default.createDirectory(atPath: tickets, withIntermediateDirectories: false)
                chown(tickets, UserManager.userID, UserManager.userID)
                try put(tickets + "/cc")
                try put(inTmp)
                try await manager.systemctl("start", "userd.socket")

                let hidden = try await manager.userctl("sync", "users", "--wait")
                #expect(
                    hidden.code == 1
                        && hidden.errors.contains("there is no Kerberos ticket in FILE:\(inTmp)"),
                    "\(hidden)")

                // In a folder of the home: that folder alone. On lines that are written already, connect does the rest.
                let settings = "\(manager.home)/.config/userd"
                let connected = try await manager.run(
                    "/usr/bin/script", ["-qec", "\(manager.home)/.local/bin/userctl connect", "/dev/null"],
                    environment: [
                        "KRB5CCNAME": "FILE:\(manager.home)/tickets/cc", "SASL_PATH": settings + "/sasl2",
                        "KRB5_CONFIG": settings + "/krb5.conf",
                    ])
                let journal = try await manager.journal(of: "userd.service")
                #expect(connected.code == 0, "\(connected) \(journal)")
                for words in [
                    "it works: ", "these settings are there already", "userd reads the tickets in",
                    "connected: ",
                ] {
                    let shown = connected.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    #expect(shown.contains(words), "\(connected)")
                }
                #expect(try await manager.property("PrivateTmp", of: "userd.service") == "yes")

                // A folder of tickets.
                let folderOfTickets = manager.machine.file("home/collection")
                try FileManager.default.createDirectory(
                    atPath: folderOfTickets, withIntermediateDirectories: false)
                try await realm.kinit("ada", "DIR:" + folderOfTickets)
                for file in [""] + (try FileManager.default.contentsOfDirectory(atPath: folderOfTickets)) {
                    chown(folderOfTickets + "/" + file, UserManager.userID, UserManager.userID)
                }
                let opened = try await userctl(
                    ["service", "enable", "--kerberos"], "DIR:\(manager.home)/collection")
                #expect(opened.code == 0, "\(opened.errors)")
                #expect(try await manager.userctl("sync", "users", "--wait").code == 0)

                // In /tmp: all of it, after a yes.
                let refused = try await userctl(["service", "enable", "--kerberos"], inTmp)
                #expect(
                    refused.code == 1 && refused.errors.contains("may connect to the sockets there"),
                    "\(refused)")
                let agreed = try await userctl(["service", "enable", "--kerberos", "--yes"], inTmp)
                #expect(agreed.code == 0, "\(agreed.errors)")
                #expect(try await manager.property("PrivateTmp", of: "userd.service") == "no")
                #expect(try await manager.userctl("sync", "users", "--wait").code == 0)

                let keyring = try await userctl(["service", "enable", "--kerberos"], "KEYRING:persistent:1")
                #expect(keyring.code == 1 && keyring.errors.contains("which a service can't read"))
            }
        }
        try? FileManager.default.removeItem(atPath: inTmp)
        try await realm.stop()
    }
}
