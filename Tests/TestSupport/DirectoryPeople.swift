import Foundation

/// People of an organisation for an LDAP directory: names in four scripts, several addresses, photos, a chain
/// of managers.
package enum DirectoryPeople {
    package static let base = "ou=people,dc=example,dc=org"
    package static let names = [
        ("Zoë", "Müller-Lüdenscheidt"), ("Анна", "Иванова"), ("Ελένη", "Παπαδοπούλου"), ("伟", "王"),
    ]

    package static func uid(_ number: Int) -> String { "user\(number)" }
    package static func dn(_ number: Int) -> String { "uid=\(uid(number)),\(base)" }
    package static func mails(_ number: Int) -> [String] {
        ["user\(number)@example.org", "u\(number)@example.com", "user.\(number)@long-name.example.net"]
    }
    /// A photo of 20 KiB for every tenth of the first 200 people.
    package static func photo(_ number: Int) -> [UInt8]? {
        number % 10 == 0 && number < 200
            ? [0xFF, 0xD8, 0xFF, 0xE0] + (4..<20_480).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
            : nil
    }

    /// The base and this many people in it.
    package static func ldif(_ count: Int) -> String {
        root + (0..<count).map { person($0) }.joined()
    }

    /// The suffix, the branch of people, and an entry to bind as.
    package static let root =
        LDIF.text(
            "dc=example,dc=org",
            [
                ("objectClass", "organization"), ("objectClass", "dcObject"), ("o", "Example"),
                ("dc", "example"),
            ].bytes)
        + LDIF.text(base, [("objectClass", "organizationalUnit"), ("ou", "people")].bytes)
        + LDIF.text(
            Slapd.admin,
            [
                ("objectClass", "organizationalRole"), ("objectClass", "simpleSecurityObject"),
                ("cn", "admin"),
                ("userPassword", Slapd.password),
            ].bytes)

    package static func person(_ number: Int, _ more: [(String, [UInt8])] = []) -> String {
        let (given, family) = names[number % names.count]
        var attributes = [
            ("objectClass", "inetOrgPerson"), ("uid", uid(number)), ("cn", "\(given) \(family) \(number)"),
            ("givenName", given), ("sn", family), ("displayName", "\(given) \(family)"),
            ("title", "Engineer \(number % 7)"),
            ("ou", "Department \(number % 5)"), ("o", "Example Ltd."), ("employeeNumber", "\(number)"),
            ("telephoneNumber", "+49 30 \(100_000 + number)"), ("mobile", "+49 170 \(100_000 + number)"),
            ("street", "Straße \(number)"), ("l", "Zürich"), ("postalCode", "0\(8000 + number % 100)"),
            ("st", "ZH"),
            ("userPassword", "Never-To-Be-Kept-\(number)"),
        ]
        attributes += mails(number).map { ("mail", $0) }
        if number > 0 { attributes.append(("manager", dn(number / 2).replacing(",", with: ", "))) }
        return LDIF.text(
            dn(number), attributes.bytes + (photo(number).map { [("jpegPhoto", $0)] } ?? []) + more)
    }
}

extension [(String, String)] {
    package var bytes: [(String, [UInt8])] { map { ($0.0, [UInt8]($0.1.utf8)) } }
}
