import Foundation
import Glibc
import HTTP
import LDAP
import Logging
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Lists of users over LDAP", .serialized, .timeLimit(.hang))
struct ListTests {
    @Test("The root entry names the base, and whether the connection can be encrypted")
    func root() async throws {
        let authority = try await CertificateAuthority()
        let slapd = try await Slapd(DirectoryPeople.ldif(1), identity: try await authority.identity())
        try await withSlapd(slapd) { slapd in
            for (server, base, more) in [
                (slapd.plain, "", ["true"]), (slapd.encrypted, "", []), (slapd.plain, "/ou=a%20b", ["true"]),
            ] {
                let asked = Asked(
                    try LDAPSettings(server + base).with { $0.authorities = authority.certificate })
                let found = try await asked.directory.discovered()
                let address = server + (base.isEmpty ? "/\(Slapd.suffix)" : base)
                #expect(found.map { $0.settings.map(\.value) } == [["ldap", address] + more])
                #expect(found.map(\.name) == ["LDAP"])
            }
        }
    }

    @Test("A list is complete and exact over every kind of connection")
    func whole() async throws {
        let authority = try await CertificateAuthority()
        let slapd = try await Slapd(
            DirectoryPeople.ldif(2000), settings: "limits dn.exact=\"\(Slapd.admin)\" size.prtotal=unlimited",
            identity: try await authority.identity())
        try await withSlapd(slapd) { slapd in
            let base = "/\(DirectoryPeople.base)"
            let asked = Asked(
                try LDAPSettings(slapd.encrypted + base).bound().with {
                    $0.authorities = authority.certificate
                })
            let pages = try #require(try await asked.list())
            #expect(pages.map(\.records.count) == [500, 500, 500, 500])
            let users = Dictionary(uniqueKeysWithValues: pages.flatMap(\.records).map { ($0.username, $0) })
            for number in 0..<2000 {
                let user = try #require(users[DirectoryPeople.uid(number)])
                check(user, number, users)
            }
            #expect(Set(users.values.map(\.id)).count == 2000)

            // StartTLS, and a Unix socket with SASL EXTERNAL, give the same people.
            let small = "?uid?sub?(employeeNumber=1*7)"
            for settings in [
                try LDAPSettings(slapd.plain + base + small).bound().with {
                    $0.startsTLS = true
                    $0.authorities = authority.certificate
                },
                try LDAPSettings(slapd.local + base + small), try LDAPSettings(slapd.plain + base + small),
            ] {
                let found = try await Asked(settings).all()
                #expect(found.count == 111)
                for user in found { #expect(user.id == users[user.username]?.id) }
            }
        }
    }

    private func check(_ user: User, _ number: Int, _ all: [String?: User]) {
        let (given, family) = DirectoryPeople.names[number % 4]
        let (phone, cell) = ("+49 30 \(100_000 + number)", "+49 170 \(100_000 + number)")
        let mails = DirectoryPeople.mails(number)
        let manager = number > 0 ? all[DirectoryPeople.uid(number / 2)] : nil
        let expected = User(id: user.id, name: User.Name(first: given, last: family)) {
            $0.username = DirectoryPeople.uid(number)
            $0.displayName = "\(given) \(family)"
            $0.email = mails[0]
            $0.emails = mails.map { User.Contact(value: $0) }
            ($0.phone, $0.cell) = (phone, cell)
            $0.phones = [
                User.Contact(value: phone, kind: "work"), User.Contact(value: cell, kind: "mobile"),
            ]
            ($0.jobTitle, $0.department) = ("Engineer \(number % 7)", "Department \(number % 5)")
            ($0.company, $0.employeeNumber) = ("Example Ltd.", number == 0 ? nil : "\(number)")
            $0.manager = manager.map { User.Manager(id: $0.id, name: $0.displayName) }
            ($0.registeredAt, $0.updatedAt) = (user.registeredAt, user.updatedAt)
            $0.address = User.Address {
                ($0.street, $0.city) = ("Straße \(number)", "Zürich")
                ($0.state, $0.postcode) = ("ZH", "0\(8000 + number % 100)")
            }
            $0.picture = user.picture
        }
        #expect(user == expected)
        #expect(user.updatedAt != nil && user.registeredAt != nil && user.picture?.large != nil)
    }

    @Test(
        "An unchanged list is not requested again, unless anything below the suffix has changed"
    )
    func unchanged() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(30))
        try await withSlapd(slapd) { slapd in
            let settings = try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)").with {
                $0.pageSize = 10
            }
            let asked = Asked(settings)
            let pages = try #require(try await asked.list())
            #expect(pages.count == 3 && Set(pages.map(\.list)).count == 1)
            #expect(pages.allSatisfy { $0.known == nil })
            // One search for each page, and no others except for managers.
            let first = try await slapd.searches()
            #expect(first.count { $0.hasSuffix("scope=2") } == 3, "\(first)")
            let known = try #require(pages[0].list)

            #expect(try await asked.users.fetchPage(.first, known) == .unchangedList)
            #expect(
                try await slapd.searches().dropFirst(first.count) == [
                    #"base="" scope=0"#, #"base="dc=example,dc=org" scope=0"#,
                    #"base="dc=example,dc=org" scope=2"#,
                ])
            // Other settings make the known list invalid.
            #expect(try await Asked(settings.with { $0.version = "2" }).list(known: known) != nil)

            try await slapd.modify(
                "dn: \(DirectoryPeople.dn(7))\nchangetype: modify\nreplace: title\ntitle: Chief\n")
            let changed = try #require(try await asked.list(known: known))
            #expect(changed[0].list != known)
            #expect(changed.flatMap(\.records).first { $0.username == "user7" }?.jobTitle == "Chief")
        }
    }

    @Test("Managers outside of the list have a name and no id")
    func managers() async throws {
        let boss = LDIF.text(
            "uid=boss,dc=example,dc=org",
            [
                ("objectClass", "inetOrgPerson"), ("uid", "boss"), ("cn", "The Boss"), ("sn", "Boss"),
            ].bytes)
        let people = [
            ("a", "uid=boss,dc=example,dc=org"), ("b", DirectoryPeople.dn(1)), ("c", DirectoryPeople.dn(2)),
            ("d", "uid=gone,\(DirectoryPeople.base)"),
        ].map { uid, manager in
            LDIF.text(
                "uid=\(uid),\(DirectoryPeople.base)",
                [
                    ("objectClass", "inetOrgPerson"), ("uid", uid), ("cn", uid), ("sn", uid),
                    ("manager", manager),
                ].bytes)
        }
        let slapd = try await Slapd(DirectoryPeople.ldif(3) + boss + people.joined())
        try await withSlapd(slapd) { slapd in
            let url = "\(slapd.plain)/\(DirectoryPeople.base)??sub?(!(uid=user1))"
            let asked = Asked(try LDAPSettings(url, skip: "uid: user2"))
            let users = Dictionary(uniqueKeysWithValues: try await asked.all().map { ($0.username, $0) })
            #expect(users.count == 5)
            // Outside of the base; not found by the filter; left out; missing.
            #expect(users["a"]?.manager == User.Manager(name: "The Boss"))
            #expect(users["b"]?.manager == User.Manager(name: "Анна Иванова"))
            #expect(users["c"]?.manager == User.Manager(name: "Ελένη Παπαδοπούλου"))
            #expect(users["d"]?.manager == User.Manager(name: "gone"))
        }
    }

    @Test("The log counts parts of the directory on other servers, except those that this server has, too")
    func references() async throws {
        func reference(_ name: String, to base: String) -> String {
            LDIF.text(
                "ou=\(name),\(DirectoryPeople.base)",
                [
                    ("objectClass", "referral"), ("objectClass", "extensibleObject"), ("ou", name),
                    ("ref", "ldap://192.0.2.1/\(base)"),
                ].bytes)
        }
        let own = reference("own", to: "DC=Example,dc=org")
        for (ldif, counts) in [(own, []), (own + reference("away", to: "dc=other,dc=org"), ["1"])] {
            let slapd = try await Slapd(DirectoryPeople.ldif(3) + ldif)
            try await withSlapd(slapd) { slapd in
                let logged = Mutex<[String]>([])
                let asked = Asked(
                    try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)"),
                    logger: Logger(label: "test") { _ in
                        TestLogHandler { event in
                            guard let count = event.metadata?["references"] else { return }
                            logged.withLock { $0.append("\(count)") }
                        }
                    })
                #expect(try await asked.all().count == 3)
                #expect(logged.withLock { $0 } == counts)
            }
        }
    }

    @Test("A list is read again on another day, whatever the server says of it")
    func anotherDay() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(3))
        try await withSlapd(slapd) { slapd in
            let day = Mutex(today)
            let asked = Asked(
                try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)"), now: { day.withLock { $0 } })
            let known = try #require(try await asked.list()?.first?.list)
            day.withLock { $0 = $0 + .seconds(60) }
            #expect(try await asked.list(known: known) == nil)
            day.withLock { $0 = $0 + .seconds(86_400) }
            #expect(try await asked.list(known: known) != nil)
        }
    }

    @Test("Addresses of photos change with the entry, and a photo is fetched as its bytes")
    func photos() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(12))
        try await withSlapd(slapd) { slapd in
            let asked = Asked(try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)"))
            func address() async throws -> String {
                try #require(try await asked.all().first { $0.username == "user10" }?.picture?.thumbnail)
            }
            let first = try await address()
            guard case .picture(let picture) = try await asked.pictures.fetch(first, nil) else {
                Issue.record("no picture")
                return
            }
            #expect(picture.content == DirectoryPeople.photo(10) && picture.contentType == "image/jpeg")

            // The photo as another program reads it.
            let ldif = try await slapd.tool(
                "ldapsearch", ["-x", "-LLL", "-o", "ldif-wrap=no", "-b", DirectoryPeople.dn(10), "jpegPhoto"])
            #expect(LDIF.entries(ldif.output)[0].attributes[0].value == picture.content)

            let large = Data([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 7, count: 10 << 20))
                .base64EncodedString()
            try await slapd.modify(
                "dn: \(DirectoryPeople.dn(10))\nchangetype: modify\nreplace: jpegPhoto\njpegPhoto:: \(large)\n"
            )
            let second = try await address()
            // An entry that changed within the same second has the same version.
            for url in [second] {
                do {
                    _ = try await asked.pictures.fetch(url, nil)
                    Issue.record("10 MiB were taken")
                } catch let error as UpstreamError {
                    #expect(error.failure.kind == .tooLarge && !error.failure.retryable)
                }
            }
            // An entry without a photo, although others have one.
            let users = try await asked.all()
            let other = try #require(users.first { $0.username == "user11" }?.picture?.large)
            #expect(try await asked.pictures.fetch(other, nil) == .absent)
            try await slapd.modify("dn: \(DirectoryPeople.dn(11))\nchangetype: delete\n")
            for url in [
                other, "http://127.0.0.1/a.jpg", "ldap://other.example/dc=org?jpegPhoto?base",
                "\(slapd.plain)/x?userPassword?base",
            ] {
                await #expect(throws: UpstreamError.self) { try await asked.pictures.fetch(url, nil) }
            }
        }
    }

    @Test("A contextCSN that stands still is no version of the list: an entry that is newer shows it")
    func frozen() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(30), isProvider: false)
        try await withSlapd(slapd) { slapd in
            let asked = Asked(try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)"))
            let known = try #require(try await asked.list()?.first?.list)
            #expect(try await asked.list(known: known) == nil)
            for title in ["Chief", "Chair"] {
                try await slapd.modify(
                    "dn: \(DirectoryPeople.dn(7))\nchangetype: modify\nreplace: title\ntitle: \(title)\n")
                let pages = try #require(try await asked.list(known: known), "\(title) is not seen")
                #expect(pages.flatMap(\.records).contains { $0.jobTitle == title })
                #expect(pages[0].list == nil)
            }
        }
    }

    @Test(
        "Entries without a mail, with bytes in place of text, or with control characters are accepted")
    func odd() async throws {
        let people = [
            LDIF.text(
                "uid=a,\(DirectoryPeople.base)",
                [("objectClass", "inetOrgPerson"), ("uid", "a"), ("cn", "No Mail"), ("sn", " Jensen ")].bytes),
            LDIF.text(
                "uid=b,\(DirectoryPeople.base)",
                [("objectClass", "inetOrgPerson"), ("uid", "b"), ("cn", "B"), ("sn", "Bytes")].bytes
                    + [("audio", [0xFF, 0xFE, 0x00]), ("l", Array("a\u{1B}[2Jb\tc\u{7}".utf8))]),
            LDIF.text(
                "cn=machine,\(DirectoryPeople.base)",
                [("objectClass", "device"), ("cn", "machine")].bytes),
            LDIF.text(
                "ou=away,\(DirectoryPeople.base)",
                [
                    ("objectClass", "referral"), ("objectClass", "extensibleObject"), ("ou", "away"),
                    ("ref", "ldap://192.0.2.1/ou=away,dc=example,dc=org"),
                ].bytes),
        ]
        let slapd = try await Slapd(DirectoryPeople.ldif(3) + people.joined())
        try await withSlapd(slapd) { slapd in
            let asked = Asked(
                try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)", fields: "job_title: audio"))
            let users = Dictionary(uniqueKeysWithValues: try await asked.all().map { ($0.username, $0) })
            #expect(users.count == 5)
            #expect(users["a"]?.email == nil && users["a"]?.name.last == " Jensen ")
            #expect(users["b"]?.jobTitle == nil && users["b"]?.address.city == "a\u{1B}[2Jb\tc\u{7}")
            // A base that is on another server.
            let away = try await Asked(try LDAPSettings("\(slapd.plain)/ou=away,\(DirectoryPeople.base)"))
                .failure()
            #expect(away?.kind == .ldap && away?.retryable == false)
            #expect(away?.message.contains("referral (10)") == true)
        }
    }
}
