import Foundation
import Model
import StrictJSON
import TestSupport
import Testing

@testable import LDAP
@testable import Upstream

@Suite("Users from LDAP entries")
struct EntryTests {
    /// Reads one entry in LDIF.
    private func entry(_ ldif: String) throws -> DirectoryEntry {
        try #require(Self.entries(ldif).first)
    }

    static func entries(_ ldif: String) -> [DirectoryEntry] {
        LDIF.entries(ldif).map { entry in
            let names = entry.attributes.reduce(into: [String]()) {
                if !$0.contains($1.name) { $0.append($1.name) }
            }
            return DirectoryEntry(
                dn: entry.dn,
                attributes: names.compactMap { name in
                    DirectoryEntry.Attribute(name, entry.attributes.filter { $0.name == name }.map(\.value))
                })
        }
    }

    private func read(_ ldif: String, _ yaml: String = "") throws -> EntryReader.Result {
        try EntryReader(.configured("ldap", yaml), now: { now }).read(try entry(ldif))
    }

    private func user(_ ldif: String, _ yaml: String = "") throws -> User {
        guard case .user(let user, _, _) = try read(ldif, yaml) else { throw FormatMistake("left out") }
        return user
    }

    /// An entry as a domain controller sends it.
    static let controller = """
        dn: CN=Ann Lee,OU=Staff,DC=corp,DC=example
        objectClass: top
        objectClass: person
        objectClass: organizationalPerson
        objectClass: user
        cn: Ann Lee
        sn: Lee
        givenName: Ann
        displayName: Ann Lee (Sales)
        title: Head of Sales
        department: Sales
        company: Corp
        employeeID: 0042
        physicalDeliveryOfficeName: 12/3.07
        streetAddress: Main Street 1
        l: Springfield
        st: IL
        postalCode: 01234
        co: United States
        c: US
        telephoneNumber: +1 555 0100
        mobile: +1 555 0101
        homePhone: +1 555 0102
        mail: ann@corp.example
        sAMAccountName: ann
        userPrincipalName: ann@corp.example
        userAccountControl: 512
        objectGUID:: ABEiM0RVZneImaq7zN3u/w==
        whenCreated: 20200102030405.0Z
        whenChanged: 20250605202111.0Z
        manager: CN=Bob\\, the Boss,OU=Staff,DC=corp,DC=example
        """

    @Test(
        "A user of Active Directory has the GUID as the id, and fields from that directory's attributes"
    )
    func activeDirectory() throws {
        guard case .user(let user, let manager, _) = try read(Self.controller) else {
            Issue.record("left out")
            return
        }
        #expect(user.id == "33221100-5544-7766-8899-aabbccddeeff")
        #expect(user.username == "ann" && user.name == User.Name(first: "Ann", last: "Lee"))
        #expect(user.displayName == "Ann Lee (Sales)" && user.email == "ann@corp.example")
        #expect(user.jobTitle == "Head of Sales" && user.department == "Sales" && user.company == "Corp")
        #expect(user.employeeNumber == "0042" && user.office == "12/3.07")
        #expect(user.phone == "+1 555 0100" && user.cell == "+1 555 0101")
        #expect(user.phones?.map(\.kind) == ["work", "mobile", "home"])
        #expect(
            user.address
                == User.Address {
                    ($0.street, $0.city) = ("Main Street 1", "Springfield")
                    ($0.state, $0.postcode, $0.country) = ("IL", "01234", "United States")
                })
        #expect(user.registeredAt == Timestamp(rfc3339: "2020-01-02T03:04:05Z"))
        #expect(user.updatedAt == Timestamp(rfc3339: "2025-06-05T20:21:11Z"))
        #expect(manager == #"CN=Bob\, the Boss,OU=Staff,DC=corp,DC=example"#)
        #expect(user.manager == User.Manager(name: "Bob, the Boss"))
    }

    @Test(
        "A disabled account, a computer and an account of a trusted domain are left out",
        arguments: [
            "userAccountControl: 514", "userAccountControl: 2080", "userAccountControl: 66050",
            "nsAccountLock: TRUE",
            "pwdAccountLockedTime: 000001010000Z", "objectClass: Computer",
        ])
    func disabled(line: String) throws {
        let enabled = Self.controller.replacing("userAccountControl: 512\n", with: "")
        #expect(try read(enabled + "\n" + line) == .leftOut(id: "33221100-5544-7766-8899-aabbccddeeff"))
        // One is locked for a while, the other enabled.
        _ = try user(enabled + "\nuserAccountControl: 66048\npwdAccountLockedTime: 20260101000000Z")
    }

    @Test("The mail addresses in proxyAddresses are read without their prefix, the main one first")
    func proxyAddresses() throws {
        let lines = """

            proxyAddresses: smtp:lee@corp.example
            proxyAddresses: X500:/o=Corp/cn=ann
            proxyAddresses: SMTP:ann.lee@corp.example
            proxyAddresses: sip:ann@corp.example
            """
        let user = try user(
            Self.controller.replacing("mail: ann@corp.example\n", with: "") + lines,
            "fields: {emails: [mail, proxyAddresses], email: [mail, proxyAddresses]}")
        #expect(user.email == "ann.lee@corp.example")
        #expect(user.emails?.map(\.value) == ["ann.lee@corp.example", "lee@corp.example"])
    }

    @Test("A server that has several ids of each entry is asked for those up to the first one alone")
    func idAttributes() throws {
        let reader = EntryReader(try .configured("ldap"), now: { now })
        for (ids, count) in [
            ("entryUUID: a\nnsUniqueId: b", 1), ("objectGUID: a", 2), ("nsUniqueId: b", 3), ("uid: x", 4),
        ] {
            #expect(reader.idAttributes(of: try entry("dn: uid=x\n" + ids)) == count)
        }
    }

    @Test("A manager who is left out has only a name")
    func manager() throws {
        let reader = EntryReader(try .configured("ldap"), now: { now })
        let id = "33221100-5544-7766-8899-aabbccddeeff"
        let entry = try entry(Self.controller)
        #expect(reader.manager(entry) == User.Manager(id: id, name: "Ann Lee (Sales)"))
        let disabled = try self.entry(Self.controller.replacing(": 512", with: ": 514"))
        #expect(reader.manager(disabled) == User.Manager(name: "Ann Lee (Sales)"))
        #expect(reader.identity.contains("userAccountControl"))
    }

    static let plain = """
        dn: uid=b,ou=People,dc=example,dc=org
        nsUniqueId: 1b4f-2
        uid: b
        cn: B
        cn;lang-de: Be
        ou: Accounting
        ou: People
        """

    @Test(
        "The branch of the tree is no department, values in a language are ignored, and the first value counts"
    )
    func plain() throws {
        let user = try user(Self.plain)
        #expect(user.id == "1b4f-2" && user.department == "Accounting" && user.name.last == "B")
        #expect(try self.user(Self.plain + "\nentryUUID: 1-2-3").id == "1-2-3")
        #expect(try self.user(Self.plain + "\ntitle:: //4=\n").jobTitle == nil)
        #expect(try self.user(Self.plain + "\nsn:: IEplbnNlbiA=").name.last == " Jensen ")
        let entry = try entry(Self.plain.replacing("nsUniqueId: 1b4f-2\n", with: ""))
        let found = try EntryReader(.configured("ldap"), now: { now }).read(entry)
        #expect(
            found
                == .unidentified(
                    """
                    uid=b,ou=People,dc=example,dc=org: no entryUUID or objectGUID or nsUniqueId or ipaUniqueID; userd may \
                    lack access to it
                    """))
    }

    @Test(
        "Who is hidden from address lists is left out, unless `skip` says otherwise; booleans have the settings' words"
    )
    func hidden() throws {
        for (value, skip, isLeftOut) in [
            ("TRUE", "", true), ("FALSE", "", false), ("TRUE", "skip: {}", false),
            ("TRUE", "skip: {msExchHideFromAddressLists: yes}", true),
            ("FALSE", "skip: {msExchHideFromAddressLists: off}", true),
            ("TRUE", "skip: {msExchHideFromAddressLists: no}", false),
        ] {
            let entry = Self.plain + "\nmsExchHideFromAddressLists: \(value)"
            #expect((try read(entry, skip) == .leftOut(id: "1b4f-2")) == isLeftOut, "\(value) \(skip)")
        }
        #expect(
            EntryReader(try .configured("ldap"), now: { now }).attributes.contains(
                "msExchHideFromAddressLists"))
    }

    @Test(
        "A configuration can name attributes, except those of passwords, and has no keys that only JSON needs"
    )
    func configured() throws {
        let yaml =
            "fields: {department: departmentNumber, display_name: null, email: mailAlternate}\nskip: {uid: [x, B]}"
        let reader = EntryReader(try .configured("ldap", yaml), now: { now })
        #expect(reader.attributes.contains("departmentNumber") && !reader.attributes.contains("cn"))
        #expect(!reader.attributes.contains("jpegPhoto") && reader.photos == ["thumbnailPhoto", "jpegPhoto"])
        #expect(try read(Self.plain, yaml) == .leftOut(id: "1b4f-2"))
        for (skip, isLeftOut) in [
            ("uid: present", true), ("uid: absent", false), ("pager: present", false),
            ("pager: absent", true),
        ] {
            #expect(
                (try read(Self.plain, "skip: {\(skip)}") == .leftOut(id: "1b4f-2")) == isLeftOut, "\(skip)")
        }
        for (yaml, key) in [
            ("fields: {title: userPassword}", "fields.title"), ("fields: {title: /title}", "fields.title"),
            ("records: /a", "records"), ("paging: {style: none}", "paging"),
            ("skip: {unicodePwd: x}", "skip.unicodePwd"), ("skip: {uid: \"> x\"}", "skip.uid"),
        ] {
            do {
                _ = try DirectoryFormat.configured("ldap", yaml)
                Issue.record("\(yaml) was taken")
            } catch let error as FormatMistake {
                #expect(error.key == key)
            }
        }
    }

    @Test("A photo has an address with the entry's GUID or else its name, which changes with the entry")
    func photo() throws {
        let address = try LDAPAddress("ldaps://dc1.corp.example/DC=corp,DC=example")
        func addresses(_ ldif: String) throws -> User.Picture? {
            let entry = try entry(ldif)
            let result = try EntryReader(.configured("ldap"), now: { now }).read(entry) {
                address.photo(of: entry, $0, version: $1)
            }
            guard case .user(let user, _, _) = result else { throw FormatMistake("left out") }
            return user.picture
        }
        func expected(_ attributes: String) -> String {
            "ldaps://dc1.corp.example/%3CGUID=33221100-5544-7766-8899-aabbccddeeff%3E?\(attributes)?base?(objectClass=*)"
                + "?x-changed=2025-06-05T20:21:11.000Z"
        }
        let large = expected("jpegPhoto,thumbnailPhoto")
        #expect(
            try addresses(Self.controller)
                == User.Picture(large: large, medium: large, thumbnail: expected("thumbnailPhoto,jpegPhoto")))
        let again = try LDAPAddress(large)
        #expect(again.base == "<GUID=33221100-5544-7766-8899-aabbccddeeff>" && again.scope == .base)
        #expect(again.attributes == ["jpegPhoto", "thumbnailPhoto"])
        #expect(
            try addresses(Self.plain)?.large
                == "ldaps://dc1.corp.example/uid=b,ou=People,dc=example,dc=org?jpegPhoto,thumbnailPhoto?base?(objectClass=*)"
        )
    }

    @Test(
        "Each person in recorded directories becomes a user with all fields that are there",
        arguments: [
            ("389ds_db2ldif_entryuuid", 1), ("389ds_example", 150), ("ad_ldapsearch_tryhackme", 11),
            ("openldap_slapcat_posix", 5), ("openldap_test", 11), ("planetexpress_professor_jpeg", 1),
            ("openldap_referrals", 1),
        ])
    func recorded(name: String, people: Int) throws {
        guard let text = recordedLDIF(name) else { return }
        // A dump without operational attributes lacks ids.
        let ids = "fields: {id: [entryUUID, objectGUID, nsUniqueId, cn]}"
        let format = try DirectoryFormat.configured("ldap", "\(ids)\nskip: {}")
        let reader = EntryReader(format, now: { now })
        let classes = ["person", "inetorgperson", "account", "openldapperson", "nsperson", "user"]
        let persons = Self.entries(text).filter { entry in
            entry.texts("objectclass").contains { classes.contains($0.lowercased()) }
        }
        #expect(persons.count == people)
        for entry in persons {
            guard case .user(let user, let manager, _) = reader.read(entry) else {
                Issue.record("\(entry.dn) was left out")
                continue
            }
            func first(_ names: String...) -> String? { names.lazy.flatMap { entry.texts($0) }.first }
            #expect(user.username == first("uid", "samaccountname", "userprincipalname"), "\(entry.dn)")
            if let family = first("sn") { #expect(user.name.last == family) }
            if first("givenname") != nil { #expect(user.name.first == first("givenname")) }
            #expect(user.displayName == first("displayname", "cn") && user.email == first("mail"))
            #expect(user.jobTitle == first("title") && user.phone == first("telephonenumber", "homephone"))
            #expect(user.cell == first("mobile") && user.address.city == first("l"))
            #expect(
                user.office == first("physicaldeliveryofficename", "roomnumber"))
            #expect(
                user.employeeNumber == first("employeenumber", "employeeid") && manager == first("manager"))
            #expect(
                (user.updatedAt == nil) == (first("modifytimestamp", "whenchanged") == nil), "\(entry.dn)")
            #expect(!"\(user)".contains("{SSHA}"))
        }
    }
}

/// A recorded directory, in a folder next to the repository if it exists.
func recordedLDIF(_ name: String) -> String? {
    let root = #filePath.prefix(#filePath.count - "Tests/DirectoryFormatsTests/EntryTests.swift".count)
    let path = "\(root)../shared/payloads/directories/ldap/\(name).ldif"
    guard let data = FileManager.default.contents(atPath: path) else {
        print("No recorded directory at \(path): what it teaches is in the other tests.")
        return nil
    }
    return String(decoding: data, as: UTF8.self)
}
