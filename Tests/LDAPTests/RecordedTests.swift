import Foundation
import LDAP
import Model
import TestSupport
import Testing
import Upstream

@Suite("Recorded directories in slapd", .serialized, .timeLimit(.hang))
struct RecordedTests {
    /// Operational attributes of other servers, which slapd's schemas do not have.
    private static let foreign = [
        "aci", "nstimelimit", "nssizelimit", "nslookthroughlimit", "nsidletimeout", "nsuniqueid", "parentid",
        "entryid",
        "entrydn", "nsaccountlock", "memberof", "pwdpolicysubentry", "passwordgraceusertime", "entryusn",
        "structuralobjectclass", "legalname",
    ]

    /// Entries in an order in which they can be added: each after its parent.
    private func ldif(_ text: String, _ suffix: String) -> String {
        var entries = LDIF.entries(text).map { entry in
            LDIF.Entry(entry.dn, entry.attributes.filter { !Self.foreign.contains($0.name.lowercased()) })
        }
        var names = Set(entries.map { DistinguishedName($0.dn).parts })
        let root = DistinguishedName(suffix).parts
        for entry in entries {
            var parts = DistinguishedName(entry.dn).parts
            while parts.count > root.count {
                parts.removeFirst()
                guard names.insert(parts).inserted else { break }
                let classes =
                    parts.count > root.count ? ["organizationalUnit"] : ["organization", "dcObject"]
                var attributes = classes.map { ("objectClass", $0) }
                if parts.count == root.count { attributes.append(("o", "x")) }
                attributes += [parts[0].split(separator: "=").map(String.init)].map { ($0[0], $0[1]) }
                entries.append(
                    (parts.joined(separator: ","), attributes.bytes.map { (name: $0.0, value: $0.1) }))
            }
        }
        entries.sort { DistinguishedName($0.dn).parts.count < DistinguishedName($1.dn).parts.count }
        return entries.map { LDIF.text($0.dn, $0.attributes.map { ($0.name, $0.value) }) }.joined()
    }

    @Test(
        "Recorded directories give their people, each with all fields that are there",
        arguments: [
            ("389ds_example", "dc=example,dc=com", 150),
            ("openldap_slapcat_posix", "dc=example,dc=com", 5), ("openldap_test", "dc=example,dc=com", 11),
            ("planetexpress_professor_jpeg", "dc=planetexpress,dc=com", 1), ("openldap_referrals", "c=US", 1),
        ])
    func recorded(name: String, suffix: String, people: Int) async throws {
        let root = #filePath.prefix(#filePath.count - "Tests/LDAPTests/RecordedTests.swift".count)
        let path = "\(root)../shared/payloads/directories/ldap/\(name).ldif"
        guard let data = FileManager.default.contents(atPath: path) else {
            print("No recorded directory at \(path): what it teaches is in the other tests.")
            return
        }
        let dump = String(decoding: data, as: UTF8.self)
        let slapd = try await Slapd(
            ldif(dump, suffix), suffix: suffix, schemas: ["openldap"], isChecked: false)
        try await withSlapd(slapd) { slapd in
            let users = try await Asked(try LDAPSettings("\(slapd.plain)/\(suffix)")).all()
            #expect(users.count == people)
            let entries = Dictionary(
                LDIF.entries(dump).compactMap { entry in
                    (entry.attributes.first { $0.name.lowercased() == "cn" }).map { ($0.value, entry) }
                }, uniquingKeysWith: { first, _ in first })
            for user in users {
                let entry = try #require(
                    entries[Array((user.displayName ?? "").utf8)]
                        ?? entries.values.first {
                            $0.attributes.contains {
                                $0.name.lowercased() == "displayname"
                                    && $0.value == Array((user.displayName ?? "").utf8)
                            }
                        }, "\(user)")
                func first(_ name: String) -> String? {
                    entry.attributes.first { $0.name.lowercased() == name }.map {
                        String(decoding: $0.value, as: UTF8.self)
                    }
                }
                #expect(user.username == first("uid"), "\(entry.dn)")
                if let family = first("sn") { #expect(user.name.last == family) }
                #expect(user.email == first("mail") && user.jobTitle == first("title"))
                #expect(user.phone == first("telephonenumber") ?? first("homephone"))
                #expect(user.cell == first("mobile") && user.address.city == first("l"))
                #expect((user.manager?.name != nil) == (first("manager") != nil))
                #expect(user.picture != nil)
            }
        }
    }
}
