import Model
import Testing
import Upstream

@testable import LDAP

@Suite("LDAP URLs (RFC 4516)")
struct LDAPAddressTests {
    @Test("An LDAP URL has a server, a base, a scope and a filter, with defaults for those it lacks")
    func parts() throws {
        let full = try LDAPAddress(
            "LDAPS://ldap.example.org:1636/ou=people,dc=example,dc=org?cn,mail?one?(cn=A%20B)")
        #expect(full.scheme == .ldaps && full.host == "ldap.example.org" && full.port == 1636)
        #expect(full.base == "ou=people,dc=example,dc=org" && full.attributes == ["cn", "mail"])
        #expect(full.scope == .one && full.filter == "(cn=A B)")
        #expect(full.server == "ldaps://ldap.example.org:1636")
        #expect(full.source == "ldap ldaps://ldap.example.org:1636/ou=people,dc=example,dc=org")

        let bare = try LDAPAddress("ldap://[::1]")
        #expect(bare.host == "::1" && bare.port == 389 && bare.base == "" && bare.scope == .sub)
        #expect(
            bare.filter == "(|(objectClass=person)(objectClass=posixAccount))"
                && bare.server == "ldap://[::1]")
        let umlaut = try LDAPAddress("ldap://h/o=M%C3%BCller??sub?(&(a=b)(!(c=d)))")
        #expect(umlaut.base == "o=Müller" && umlaut.filter == "(&(a=b)(!(c=d)))")
        #expect(try LDAPAddress("ldap://h/o=a??sub?uid=*").filter == "(uid=*)")

        let socket = try LDAPAddress("ldapi://%2Ftmp%2Fa%20b/dc=org")
        #expect(socket.host == "/tmp/a b" && socket.server == "ldapi://%2Ftmp%2Fa%20b")
        #expect(try LDAPAddress("ldapi:///dc=org").host == "/run/slapd/ldapi")
    }

    @Test(
        "An invalid LDAP URL is refused with the reason",
        arguments: [
            ("ldap:///ou=org", "has no host"), ("ldap://h:0/dc=org", "has an invalid port"),
            ("ldap://cn=a:b@h/dc=org", "has an invalid"), ("ldap://h/dc=org??all", "has the scope \"all\""),
            ("ldap://h/dc=%zz", "has a %"), ("ldap://h/dc=org????!bindname=cn=a", "has a critical extension"),
            ("ldapi://slapd/dc=org", "needs the path"), ("ldap://h/dc=%ff", "is not UTF-8"),
            ("ldap://h/dc=org??sub?(a=1)(b=2)", "has a filter whose parentheses"),
            ("ldap://h/dc=org??sub?(a=1))(|(b=2)", "has a filter whose parentheses"),
            ("ldap://h/dc=org??sub?(a=1", "has a filter whose parentheses"),
            ("ldap://a@h/dc=org", "has an invalid host"), ("https://h/", "is not an LDAP URL"),
        ])
    func wrong(text: String, reason: String) throws {
        do {
            _ = try LDAPAddress(text)
            Issue.record("was taken")
        } catch {
            #expect(error.reason.hasPrefix(reason), "\(error.reason)")
        }
    }

    @Test(
        "Whether an LDAP URL is of this machine depends on its text, not on name resolution",
        arguments: [
            ("ldap://localhost", true), ("ldap://127.8.9.1", true), ("ldap://[::1]", true),
            ("ldapi:///", true),
            ("ldap://127.example.org", false), ("ldap://10.0.0.1", false), ("ldap://ldap", false),
            ("ldap://127.1", true), ("ldap://x.localhost", false),
        ])
    func thisMachine(text: String, isThis: Bool) throws {
        #expect(try LDAPAddress(text).isThisMachine == isThis)
    }

    @Test("A DN is compared without regard to case and blanks, and is within a base by the scope")
    func names() {
        let base = DistinguishedName("OU=People, DC=Example,dc=org")
        let own = DistinguishedName(#"cn=A\, B ,ou = people,dc=example,dc=org"#)
        #expect(base == DistinguishedName("ou=people,dc=example,dc=org") && own.parts.count == 4)
        #expect(own.isWithin(base, .one) && own.isWithin(base, .sub) && !own.isWithin(base, .base))
        #expect(own.isWithin(DistinguishedName(""), .sub) && !base.isWithin(own, .sub))
        #expect(!DistinguishedName("cn=a,ou=other,dc=example,dc=org").isWithin(base, .sub))
        #expect(DistinguishedName(#"ou=A\, \C3\BC,dc=org"#) == DistinguishedName(#"OU=a\2c Ü,dc=org"#))
        #expect(DistinguishedName(#"cn=a\+sn=b"#) != DistinguishedName("cn=a+sn=b"))
        #expect(DistinguishedName(#"cn=a\+b"#) == DistinguishedName(#"cn=a\2Bb"#))
        #expect(DistinguishedName.name(in: #"cn=A\2C \C3\BC,dc=org"#) == "A, ü")
    }
}
