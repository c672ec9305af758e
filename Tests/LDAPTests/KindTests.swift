import LDAP
import Model
import TestSupport
import Testing
import Upstream

@Suite("Groups and rooms over LDAP", .serialized, .timeLimit(.hang))
struct KindTests {
    private func asked(_ slapd: Slapd, _ kinds: Set<UserKind>, _ place: String = DirectoryPeople.base) throws
        -> Asked
    {
        Asked(try LDAPSettings("\(slapd.plain)/\(place)").with { $0.format.kinds = kinds })
    }

    private func names(_ users: [User]) -> [String] { users.map { $0.displayName ?? "" }.sorted() }

    @Test("Groups and rooms beside the people's branch are listed, people there are not")
    func listed() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(3) + DirectoryGroups.ldif)
        try await withSlapd(slapd) { slapd in
            let persons = try await asked(slapd, [.person]).all()
            #expect(persons.count == 3 && persons.allSatisfy { $0.kind == nil })

            let all = try await asked(slapd, [.person, .group, .room, .mailbox, .contact]).all()
            #expect(all.filter { $0.kind == nil } == persons)
            let others = all.filter { $0.kind != nil }.sorted { $0.name.last < $1.name.last }
            #expect(others.map(\.kind) == [.room, .group] && names(others) == ["Room 3.07", "team"])
            #expect(others.last?.email == "team@example.org" && others.last?.picture == nil)

            #expect(try await names(asked(slapd, [.group]).all()) == ["team"])
            #expect(try await names(asked(slapd, [.room], DirectoryGroups.base).all()) == ["Room 3.07"])
        }
    }

    @Test("The list is searched from the naming context on, and only where further kinds are asked for")
    func searches() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(3) + DirectoryGroups.ldif)
        try await withSlapd(slapd) { slapd in
            let bases: [Set<UserKind>: String] = [
                [.person]: DirectoryPeople.base, [.person, .group]: Slapd.suffix,
            ]
            for (kinds, base) in bases {
                let before = try await slapd.searches().count
                _ = try await asked(slapd, kinds).all()
                let lists = try await slapd.searches().dropFirst(before).filter { $0.contains("scope=2") }
                #expect(lists.contains(#"base="\#(base)" scope=2"#), "\(lists)")
                #expect(!lists.contains { $0.contains("ou=groups") })
            }
        }
    }

    @Test("A list of groups without any person is a failure: the base is wrong, or the filter")
    func withoutPeople() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(3) + DirectoryGroups.ldif)
        try await withSlapd(slapd) { slapd in
            let filtered = try asked(slapd, [.person, .group], "\(DirectoryPeople.base)??sub?(uid=nobody)")
            let failure = try await filtered.failure()
            #expect(failure?.kind == .ldap, "\(String(describing: failure))")
            #expect(failure?.message.contains("no entry below \(DirectoryPeople.base) matches") == true)
            let elsewhere = try asked(slapd, [.person, .group], "ou=nowhere,\(Slapd.suffix)")
            #expect(try await elsewhere.failure()?.message.contains("noSuchObject (32)") == true)
            // Where nobody asks for persons, groups are enough.
            #expect(try await asked(slapd, [.group], "ou=nowhere,\(Slapd.suffix)").all().count == 1)
        }
    }

    @Test("A list that is known with other kinds is requested again")
    func again() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(3) + DirectoryGroups.ldif)
        try await withSlapd(slapd) { slapd in
            let known = try #require(try await asked(slapd, [.person]).list()?.first?.list)
            #expect(try await asked(slapd, [.person]).list(known: known) == nil)
            #expect(try await asked(slapd, [.person, .group]).list(known: known) != nil)
        }
    }
}
