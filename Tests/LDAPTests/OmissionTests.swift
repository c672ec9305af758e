import LDAP
import Model
import TestSupport
import Testing
import Upstream

@Suite("Fields that are left out over LDAP", .serialized, .timeLimit(.hang))
struct OmissionTests {
    private func people(_ slapd: Slapd, omitting fields: Set<UserField>) async throws -> [String?: User] {
        let settings = try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)").with {
            $0.format.omit(fields)
        }
        let asked = Asked(settings)
        let users = try await asked.all()
        return Dictionary(uniqueKeysWithValues: users.map { ($0.username, $0) })
    }

    @Test("Users lack what is left out, and have the rest as before")
    func fields() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(12))
        try await withSlapd(slapd) { slapd in
            let whole = try await people(slapd, omitting: [])
            #expect(whole["user10"]?.manager?.name != nil && whole["user10"]?.picture != nil)
            let names = [
                "cell", "email", "emails", "address", "picture", "manager", "manager_id", "manager_name",
            ]
            for (omitted, fields) in UserField.omittable where names.contains(omitted) {
                let less = try await people(slapd, omitting: fields)
                #expect(less.count == 12)
                for (name, user) in less { #expect(user == whole[name]?.omitting(fields), "\(omitted)") }
            }
        }
    }

    @Test("A list that is known with other fields is requested again")
    func again() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(3))
        try await withSlapd(slapd) { slapd in
            let settings = try LDAPSettings("\(slapd.plain)/\(DirectoryPeople.base)")
            let known = try #require(try await Asked(settings).list()?.first?.list)
            #expect(try await Asked(settings).list(known: known) == nil)
            let less = settings.with { $0.format.omit([.city]) }
            #expect(try await Asked(less).list(known: known) != nil)
        }
    }
}
