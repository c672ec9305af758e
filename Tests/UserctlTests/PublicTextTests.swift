import Testing

@testable import UserctlCommands

@Suite("Texts of a report that anybody may read")
struct PublicTextTests {
    @Test(
        "Of a message, userd's own words and small numbers stay; names, numbers, addresses and quotations go",
        arguments: [
            (
                "https://idp.corp.example/scim/v2/Users answered 403: access denied for Anna Bergström",
                "https://host1.example/scim/v2/Users answered 403: access denied for …"
            ),
            ("idp.corp.example does not answer", "… does not answer"),
            ("no entry below ou=people,dc=corp,dc=example", "no entry below ou=…"),
            (
                "users with the id \"service\" have different names",
                "users with the id \"…\" have different names"
            ),
            ("\"a\" and \"b\" have the same id", "\"…\" have the same id"),
            ("page 7 of 12 took 1.5s, 64MiB", "page 7 of 12 took 1.5s, 64MiB"),
            ("the number is +41 79 202 16 61, or 4711", "the number is …, or …"),
            ("the number is 079-202-16-61, +41/79/202/16/61", "the number is …, …"),
            ("the number is 41792021661", "the number is …"),
            (
                "see users.fields.id, --check-upstream and users-token",
                "see users.fields.id, --check-upstream and users-token"
            ),
            ("/home/anna/users.token is not there", "… is not there"),
            ("192.168.7.12 refused the connection", "… refused the connection"),
            ("Anna%20Bergstr%C3%B6m QW5uYSBCZXJnc3Ryw7Zt A\u{0}n\u{0}n\u{0}a\u{0}", "…"),
            (
                "2026-01-02T03:04:05+0000 info userd: count=20 resource=users [Sync] Transition",
                "2026-01-02T03:04:05+0000 info userd: count=20 resource=users [Sync] Transition"
            ),
            ("ask F. or B a n k s, X/Y", "ask …. or … a …, …"),
            ("the number is 079 / 202 / 16 / 61 or 79 · 202", "the number is … or …"),
            ("check-base:users.url, check-base:ou=a, 12:30", "check-base:users.url, check-base:…, …"),
            ("born 2021-03-09T04:05:06Z", "born …"), ("1971-03-09T04:05:06Z is no date", "… is no date"),
            (
                "ldap://users/7/1/9 or ldap://users/7/1/9/1",
                "ldap://host1.example/7/1/9 or ldap://host1.example/…/…/…/…"
            ),
            (
                "https://anna:secret@corp.example:8443/anna/users?name=anna#a",
                "https://host1.example:8443/…/users?…"
            ),
        ])
    func messages(text: String, shown: String) {
        var words = PublicText()
        #expect(words.message(text) == shown)
    }

    @Test("A host has one name in the whole report, also where it stands alone")
    func hosts() {
        var words = PublicText()
        #expect(
            words.setting("  url: \"https://a.corp.example/api\"  # file /etc/xdg/userd/config.yaml:2")
                == "  url: \"https://host1.example/api\"  # file /etc/xdg/userd/config.yaml:2")
        #expect(
            words.message("https://B.corp.example/ redirects to A.corp.example")
                == "https://host2.example/ redirects to host1.example")
    }

    @Test(
        "Settings stay, without values of records, queries, headers and bodies",
        arguments: [
            ("  page_size: 100000  # default", "  page_size: 100000  # default"),
            ("  skip: {/title: Sales}  # default", "  skip: …  # default"),
            ("  query: users=1  # default", "  query: …  # default"),
            ("  bind_dn: \"\"  # default", "  bind_dn: \"\"  # default"),
            ("  bind_dn: \"cn=reader\"  # default", "  bind_dn: …  # default"),
            (
                "  format: scim  # environment USERD_USERS_FORMAT",
                "  format: scim  # environment USERD_USERS_FORMAT"
            ),
            (
                "  fields: {given: /name/givenName}  # default",
                "  fields: {given: /name/givenName}  # default"
            ),
            ("users:", "users:"), ("  # body: no value", "  # body: no value"),
        ])
    func settings(line: String, shown: String) {
        var words = PublicText()
        #expect(words.setting(line) == shown)
    }
}
