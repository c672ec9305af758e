import Platform
import Testing

@Suite("Places of Kerberos tickets")
struct TicketCacheTests {
    @Test(
        "Names are those of KRB5CCNAME",
        arguments: [
            ("FILE:/tmp/a", TicketCache.file("/tmp/a"), "FILE:/tmp/a"),
            ("/tmp/a", .file("/tmp/a"), "FILE:/tmp/a"),
            ("DIR:/run/b", .folder("/run/b"), "DIR:/run/b"),
            ("DIR::/run/b/tkt1", .file("/run/b/tkt1"), "FILE:/run/b/tkt1"),
            ("KCM:", .other(kind: "KCM", rest: ""), "KCM:"),
            ("KEYRING:persistent:7", .other(kind: "KEYRING", rest: "persistent:7"), "KEYRING:persistent:7"),
        ])
    func names(name: String, cache: TicketCache, description: String) {
        #expect(TicketCache(name) == cache)
        #expect(cache.description == description)
    }

    @Test func `the usual place is a file`() {
        #expect(TicketCache.usual(of: 7) == .file("/tmp/krb5cc_7"))
    }
}
