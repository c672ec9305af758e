import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Groups and rooms of a directory", .timeLimit(.hang))
struct DirectoryKindTests {
    private func names(_ machine: Machine, _ kinds: [UserKind]?) async throws -> [String] {
        let list = try await machine.call(.listUsers, ListUsers(limit: 1000) { $0.kinds = kinds })
        return list.users.map { $0.displayName ?? "" }.sorted()
    }

    @Test("Groups and rooms are cached if the settings ask for them, and whoever asks for people gets people")
    func kinds() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(4) + DirectoryGroups.ldif)
        try await withSlapd(slapd) { slapd in
            try await onMachine { machine in
                let url = "\(slapd.plain)/\(DirectoryPeople.base)"
                let first = try await machine.startUserd(machine.directory(url))
                #expect(try await machine.sync(.users).phase == .loaded)
                #expect(try await names(machine, UserKind.allCases).count == 4)
                first.send(SIGTERM)
                #expect(try await first.ended() == .exited(0))

                _ = try await machine.startUserd(
                    machine.directory(url, ["users.kinds": "person, group, room"]))
                #expect(try await machine.sync(.users).phase == .loaded)
                #expect(try await names(machine, [.group]) == ["team"])
                #expect(try await names(machine, [.room, .group]) == ["Room 3.07", "team"])
                #expect(try await names(machine, nil).count == 4)
                let team = try await machine.call(.listUsers, ListUsers { $0.kinds = [.group] }).users
                #expect(team.map(\.email) == ["team@example.org"] && team.map(\.kind) == [.group])
            }
        }
    }

    @Test("Changes of groups are read as those of people, and a group that is gone goes")
    func changes() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(40) + DirectoryGroups.ldif)
        try await withSlapd(slapd) { slapd in
            try await onMachine { machine in
                _ = try await machine.startUserd(
                    machine.directory(
                        "\(slapd.plain)/\(DirectoryPeople.base)", ["users.kinds": "person, group, room"]))
                // The changes are trusted after two full lists that agree.
                for _ in 1...3 {
                    let done = try await machine.userctl(["sync", "users", "--wait", "--full"])
                    #expect(done.code == 0, "\(done)")
                }
                try await slapd.modify(
                    """
                    dn: \(DirectoryGroups.dn("team"))
                    changetype: modify
                    replace: mail
                    mail: sales@example.org

                    dn: \(DirectoryGroups.dn("Room 3.07"))
                    changetype: delete

                    dn: \(DirectoryPeople.dn(39))
                    changetype: modrdn
                    newrdn: uid=user39
                    deleteoldrdn: 0
                    newsuperior: \(DirectoryGroups.base)

                    """)
                let state = try await machine.sync(.users)
                #expect(state.scope == .changes, "\(state)")
                let team = try await machine.call(.listUsers, ListUsers { $0.kinds = [.group] }).users
                #expect(team.map(\.email) == ["sales@example.org"])
                #expect(try await names(machine, [.room]) == [])
                // Whoever moves out of the people's branch is nobody of the list any more.
                #expect(try await names(machine, [.person]).count == 39)
            }
        }
    }
}
