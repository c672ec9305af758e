import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("What changed in an LDAP directory, for people", .timeLimit(.hang))
struct LDAPChangesSystemTests {
    @Test(
        "After two full lists that agree, only what changed is read, also after a restart; a person can ask for the list"
    )
    func changes() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(300))
        try await withSlapd(slapd) { slapd in
            try await onMachine { machine in
                let settings = machine.directory("\(slapd.plain)/\(DirectoryPeople.base)")
                let userd = try await machine.startUserd(settings)
                func sync(_ words: String...) async throws -> State {
                    let done = try await machine.userctl(["sync", "users", "--wait"] + words)
                    #expect(done.code == 0, "\(done)")
                    return try await machine.state(of: .users)
                }
                #expect(try await sync().scope == .full)
                for _ in 1...2 { #expect(try await sync("--full").scope == .full) }
                let title = "dn: \(DirectoryPeople.dn(7))\nchangetype: modify\nreplace: title\ntitle: "
                try await slapd.modify(title + "Chief\n")
                let changed = try await sync()
                #expect(
                    changed.scope == .changes && changed.cause.rawValue == "committed: 1 changed",
                    "\(changed)")

                userd.send(SIGTERM)
                #expect(try await userd.ended() == .exited(0))
                _ = try await machine.startUserd(settings)
                try await slapd.modify(title + "Head\n")
                let again = try await sync()
                #expect(again.scope == .changes && again.cause.rawValue == "committed: 1 changed", "\(again)")
                #expect(try await machine.call(.getUser, GetUser(key: "user7")).user.jobTitle == "Head")

                let published = try await machine.userctl(["publish", "-"])
                #expect(
                    published.code == 0 && published.errors.contains("may be up to six hours old"),
                    "\(published.errors)")
                let status = try await machine.userctl(["status"]).output
                #expect(status.contains("Changes"), "\(status)")
            }
        }
    }
}
