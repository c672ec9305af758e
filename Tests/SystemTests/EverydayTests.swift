import Foundation
import Model
import TestSupport
import Testing
import UserdAPI

/// What scripts and people ask for most, with and without a running userd.
@Suite(.timeLimit(.hang)) struct EverydayTests {
    @Test("A pipe gets all users, one a line, and a user is found by first and last name")
    func everyday() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd(["paused": "true", "users.page_size": "250"])
            #expect(try await machine.sync(.users).count == 250)
            let users = try await machine.users()
            var found: User?
            for user in users where found == nil {
                let words = "\(user.name.first) \(user.name.last)"
                let total = try await machine.call(.listUsers, ListUsers(search: words)).total
                if total == 1 { found = user }
            }
            let user = try #require(found)
            try await expectAnswers(machine, users, user)
            userd.send(SIGTERM)
            try await userd.ended()
            try await expectAnswers(machine, users, user)
        }
    }

    private func expectAnswers(_ machine: Machine, _ users: [User], _ user: User) async throws {
        let list = try await machine.userctl(["list", "--columns", "id", "--no-header"])
        #expect(list.outputLines == users.map(\.id))
        #expect(try await machine.userctl(["list"]).outputLines.count == 251)
        #expect(try await machine.userctl(["list", "--limit", "7"]).outputLines.count == 8)
        let words = [user.name.first, user.name.last]
        let fields = try await machine.userctl(
            ["show"] + words + ["--field", "id,city", "--field", "job_title"])
        #expect(fields.code == 0)
        #expect(fields.output == "\(user.id)\n\(user.address.city ?? "")\n\(user.jobTitle ?? "")\n")
        #expect(try await machine.userctl(["show"] + words).output.contains(user.id))
        let many = try await machine.userctl(["show", "a"])
        #expect(many.code == 1 && many.output == "")
        #expect(many.errorLines.count(where: { $0.hasPrefix("userctl:   ") }) == 11)
    }
}
