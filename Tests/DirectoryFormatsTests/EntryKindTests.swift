import Model
import TestSupport
import Testing

@testable import LDAP
@testable import Upstream

@Suite("Groups, rooms and others among LDAP entries")
struct EntryKindTests {
    private static let address = "ldap://dc1.corp.example/OU=Staff,DC=corp,DC=example"
    private static let staff = "OU=Staff,DC=corp,DC=example"
    private static let groups = "OU=Groups,DC=corp,DC=example"

    private func reader(_ kinds: Set<UserKind>, _ yaml: String = "") throws -> EntryReader {
        var format = try DirectoryFormat.configured("ldap", yaml)
        format.kinds = kinds
        return EntryReader(format, within: try LDAPAddress(Self.address), now: { now })
    }

    private func read(
        _ lines: [String], in branch: String = staff, _ kinds: Set<UserKind> = Set(UserKind.allCases),
        _ yaml: String = ""
    ) throws -> EntryReader.Result {
        let ldif = (["dn: CN=a,\(branch)", "cn: a", "entryUUID: 1"] + lines).joined(separator: "\n")
        let entry = try #require(EntryTests.entries(ldif).first)
        return try reader(kinds, yaml).read(entry)
    }

    /// The kind of an entry that is listed; nil for one that is left out.
    private func kind(
        _ lines: String..., in branch: String = staff, of kinds: Set<UserKind> = Set(UserKind.allCases),
        yaml: String = ""
    ) throws -> UserKind? {
        let result = try read(lines, in: branch, kinds, yaml)
        guard case .user(let user, _, _) = result else {
            guard case .leftOut("1", false, _) = result else {
                Issue.record("\(result)")
                return nil
            }
            return nil
        }
        #expect(user.kind != .person)
        return user.kind ?? .person
    }

    @Test(
        "An entry's classes tell its kind, and Exchange's type does before them",
        arguments: [
            (["objectClass: group"], .group), (["objectClass: groupOfNames"], .group),
            (["objectClass: groupOfUniqueNames"], .group),
            (["objectClass: top", "objectClass: Room"], .room),
            (["objectClass: person", "objectClass: contact"], .contact), (["objectClass: user"], .person),
            (["objectClass: user", "msExchRecipientTypeDetails: 1"], .person),
            (["objectClass: user", "msExchRecipientTypeDetails: 4"], .mailbox),
            (["objectClass: user", "msExchRecipientTypeDetails: 16"], .room),
            (["objectClass: user", "msExchRecipientTypeDetails: 32"], .room),
            (["objectClass: user", "msExchRecipientTypeDetails: 2147483648"], .person),
            (["objectClass: user", "msExchRecipientTypeDetails: 8589934592"], .room),
            (["objectClass: user", "msExchRecipientTypeDetails: 17179869184"], .room),
            (["objectClass: user", "msExchRecipientTypeDetails: 34359738368"], .mailbox),
        ] as [([String], UserKind)])
    func kinds(lines: [String], kind: UserKind) throws {
        guard case .user(let user, _, _) = try read(lines) else {
            Issue.record("left out")
            return
        }
        #expect(user.kind == (kind == .person ? nil : kind))
        // Kinds that are not asked for are left out.
        let others = Set(UserKind.allCases).subtracting([kind])
        #expect(try read(lines, others) == .leftOut(id: "1"))
        #expect(try reader(others).attributes.contains("msExchRecipientTypeDetails"))
    }

    @Test(
        "The disabled account behind a room or a shared mailbox is no leaver; a person's and a contact's is",
        arguments: [
            "userAccountControl: 514", "nsAccountLock: TRUE", "accountExpires: 132223104000000000",
            "pwdAccountLockedTime: 000001010000Z", "objectClass: computer",
        ])
    func disabled(line: String) throws {
        let user = "objectClass: user"
        #expect(try kind(user, line, "msExchRecipientTypeDetails: 16") == .room)
        #expect(try kind(user, line, "msExchRecipientTypeDetails: 4") == .mailbox)
        #expect(try kind(user, line) == nil)
        #expect(try kind("objectClass: contact", line) == nil)
        // The conditions that the settings add hold for all.
        let yaml = "skip: {objectClass: [computer, device], l: Nowhere}"
        #expect(try kind(user, line, "l: nowhere", "msExchRecipientTypeDetails: 16", yaml: yaml) == nil)
        #expect(try kind("objectClass: device", "msExchRecipientTypeDetails: 16", yaml: yaml) == nil)
    }

    @Test(
        "What is hidden from address lists stays out, of every kind",
        arguments: [
            "objectClass: user", "objectClass: group", "objectClass: room", "objectClass: contact",
            "msExchRecipientTypeDetails: 4", "msExchRecipientTypeDetails: 16",
        ])
    func hidden(line: String) throws {
        #expect(try kind(line) != nil)
        #expect(try kind(line, "msExchHideFromAddressLists: TRUE") == nil)
    }

    @Test("A group outside the people's branch is listed, and a person there is not")
    func outside() throws {
        #expect(try kind("objectClass: group", in: Self.groups) == .group)
        #expect(try kind("msExchRecipientTypeDetails: 4", in: Self.groups) == .mailbox)
        #expect(try kind("objectClass: user", in: Self.groups) == nil)
        #expect(try kind("objectClass: user", in: "ou=Berlin, ou=staff, dc=Corp,dc=example") == .person)
    }

    @Test("Without further kinds, everybody is a person, as before, and no type is asked for")
    func none() throws {
        for line in ["msExchRecipientTypeDetails: 4", "objectClass: contact", "objectClass: group"] {
            #expect(try kind(line, in: Self.groups, of: [.person]) == .person)
            #expect(try kind(line, "userAccountControl: 514", of: [.person]) == nil)
        }
        let attributes = try reader([.person]).attributes
        #expect(!attributes.contains("msExchRecipientTypeDetails"))
        #expect(attributes.filter { $0 == "objectClass" }.count == 1)
        let more = try reader([.person, .group], "skip: {}")
        #expect(more.attributes.contains("objectClass") && more.identity.contains("objectClass"))
    }

    @Test("A group, a room and a shared mailbox have one name, and a group has no photo")
    func names() throws {
        let names = ["givenName: Team", "sn: Sales", "displayName: Team Sales"]
        for (line, name) in [
            ("objectClass: group", User.Name(first: "", last: "Team Sales")),
            ("msExchRecipientTypeDetails: 4", User.Name(first: "", last: "Team Sales")),
            ("objectClass: contact", User.Name(first: "Team", last: "Sales")),
        ] {
            guard case .user(let user, _, _) = try read(names + [line]) else {
                Issue.record("left out")
                continue
            }
            #expect(user.name == name && user.displayName == "Team Sales", "\(line)")
        }
        let group = try #require(
            EntryTests.entries("dn: CN=a,\(Self.groups)\ncn: a\nentryUUID: 1\nobjectClass: group").first)
        let room = try #require(
            EntryTests.entries("dn: CN=a,\(Self.groups)\ncn: a\nentryUUID: 1\nobjectClass: room").first)
        for (entry, picture) in [(group, nil), (room, "a")] as [(DirectoryEntry, String?)] {
            let result = try reader([.group, .room]).read(entry, photo: { _, _ in "a" })
            guard case .user(let user, _, _) = result else {
                Issue.record("left out")
                continue
            }
            #expect(user.picture?.large == picture && user.name.last == "a")
        }
    }

    @Test("An attribute of the settings tells the kind before the classes do")
    func attribute() throws {
        let yaml = "fields: {kind: employeeType}\nkind_values: {Raum: room}"
        #expect(try kind("objectClass: person", "employeeType: raum", yaml: yaml) == .room)
        #expect(try kind("objectClass: group", yaml: yaml) == .group)
        #expect(try kind("objectClass: person", "employeeType: robot", yaml: yaml) == .person)
        #expect(try kind("objectClass: group", "employeeType: person", yaml: yaml) == nil)
        #expect(try kind("objectClass: person", "employeeType: raum", of: [.person], yaml: yaml) == nil)
        #expect(try kind("objectClass: person", of: [.person], yaml: yaml) == .person)
    }
}

@Suite("Searches for groups, rooms and others")
struct KindSearchTests {
    private func settings(
        _ url: String, _ kinds: Set<UserKind>, _ yaml: String = ""
    ) throws -> LDAPSettings {
        var format = try DirectoryFormat.configured("ldap", yaml)
        format.kinds = kinds
        return LDAPSettings(address: try LDAPAddress(url), format: format)
    }

    private static let group = """
        (&(|(objectClass=group)(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)\
        (objectClass=msExchDynamicDistributionList))(mail=*))
        """

    @Test("The filter finds the kinds that are asked for, and no others")
    func filter() throws {
        let url = "ldap://h/ou=people,dc=a??sub?(uid=*)"
        let type = "msExchRecipientTypeDetails"
        let room = [16, 8_589_934_592, 32, 17_179_869_184].map { "(\(type)=\($0))" }.joined()
        func expect(_ kinds: Set<UserKind>, _ filter: String) throws {
            #expect(try settings(url, kinds).filter == filter)
        }
        try expect([.person], "(uid=*)")
        try expect([.person, .group], "(|(uid=*)\(Self.group))")
        try expect([.group], Self.group)
        try expect([.room], "(|(objectClass=room)\(room))")
        try expect([.person, .mailbox], "(|(uid=*)(\(type)=4)(\(type)=34359738368))")
        try expect([.person, .contact], "(|(uid=*)(&(objectClass=contact)(mail=*)))")
        let own = try settings(url, [.group], "fields: {kind: employeeType}")
        #expect(own.filter == "(|(uid=*)\(Self.group))")
    }

    @Test("Further kinds are searched in the naming context around the base, else in its domain")
    func part() throws {
        let contexts = ["", "dc=a", "DC=Example,DC=org", "ou=people,dc=other", "cn=config"]
        func part(_ base: String, _ kinds: Set<UserKind>, _ contexts: [String]) throws -> SearchedPart {
            try settings("ldap://h/\(base)??one", kinds).part(in: contexts)
        }
        let base = "ou=people,dc=example,dc=org"
        #expect(try part(base, [.person], contexts) == SearchedPart(base: base, scope: .one))
        let wide = SearchedPart(base: "DC=Example,DC=org", scope: .sub)
        #expect(try part(base, [.person, .group], contexts) == wide)
        #expect(try part("dc=example,dc=org", [.group], contexts) == wide)
        #expect(
            try part(base, [.group], []) == SearchedPart(base: "dc=example,dc=org", scope: .sub))
        #expect(try part("ou=a,o=b", [.group], contexts) == SearchedPart(base: "ou=a,o=b", scope: .sub))
        let nested = ["dc=org", "ou=people,dc=example,dc=org", "dc=example,dc=org"]
        #expect(try part(base, [.group], nested).base == base)
    }
}
