import Testing

@testable import LDAP

@Suite("Values of entries")
struct EntryTests {
    @Test(
        "Of several values, that of the entry's name comes first, in whatever order they come",
        arguments: [
            ("uid=anna,dc=org", "uid", ["ak", "anna", "a.k"], ["anna", "ak", "a.k"]),
            ("UID=Anna ,dc=org", "uid", ["ak", "anna"], ["anna", "ak"]),
            ("uid=anna,dc=org", "uid", ["anna", "ak"], ["anna", "ak"]),
            ("cn=Keller\\, Anna,dc=org", "cn", ["Anna", "Keller, Anna"], ["Keller, Anna", "Anna"]),
            ("cn=Anna+uid=anna,dc=org", "uid", ["ak", "anna"], ["anna", "ak"]),
            ("uid=anna+cn=Anna,dc=org", "cn", ["A", "anna"], ["anna", "A"]),
            (
                "mail=b@x.example,dc=org", "mail", ["a@x.example", "b@x.example"],
                ["b@x.example", "a@x.example"]
            ),
            // Another attribute's value, and that of another entry.
            ("cn=anna,dc=org", "uid", ["ak", "anna"], ["ak", "anna"]),
            ("uid=x,uid=anna,dc=org", "uid", ["ak", "anna"], ["ak", "anna"]),
            ("uid=anna,dc=org", "uidnumber", ["1", "anna"], ["1", "anna"]),
        ])
    func several(dn: String, name: String, values: [String], expected: [String]) throws {
        let attribute = try #require(DirectoryEntry.Attribute(name, values.map { Array($0.utf8) }))
        let entry = DirectoryEntry(dn: dn, attributes: [attribute])
        #expect(entry.texts(name) == expected)
        #expect(entry.text(name) == expected[0])
    }
}
