import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Fields that the settings leave out", .timeLimit(.hang))
struct OmissionTests {
    private static func configuration(_ machine: Machine, _ more: String = "") -> String {
        """
        users:
          format: scim
          url: \(machine.upstream.url("/scim/v2/Users"))
          pictures: thumbnail
        \(more)
        """
    }

    @Test("After a reload and a sync they are gone from show, from searches, and from the cache's files")
    func reload() async throws {
        try await onMachine(users: 12) { machine in
            try machine.writeConfiguration(Self.configuration(machine))
            let userd = try await machine.startUserd(arguments: ["--log-level", "debug"])
            #expect(try await machine.sync(.users).phase == .loaded)
            try await userd.line(containing: "Pictures fetched")
            let whole = try await machine.users()
            let user = try #require(whole.first { $0.cell != nil && $0.picture?.thumbnail != nil })
            let (cell, street) = (try #require(user.cell), try #require(user.address.street))
            let path = try #require(user.picture?.thumbnail.flatMap { URL(string: $0) }).path
            let picture = Data(try await fetchBody(port: machine.upstream.port, path))
            let shown = try await machine.userctl(["show", user.id])
            #expect(shown.output.contains(cell) && shown.output.contains(street))
            #expect(try machine.caches(Data(street.utf8)))

            try machine.writeConfiguration(
                Self.configuration(machine, "  omit: [cell, address, picture, registered_at]\n"))
            try await userd.reload("Settings read again")
            #expect(userd.text(.errors).contains("changed=users.omit"))
            #expect(try await machine.sync(.users).phase == .loaded)
            let less = try await machine.users()
            #expect(less.count == whole.count)
            for user in less {
                #expect(user.cell == nil && user.phones == nil && user.registeredAt == nil)
                #expect(user.address == User.Address() && user.picture == nil)
                #expect(user.phone == whole.first { $0.id == user.id }?.phone)
            }
            let after = try await machine.userctl(["show", user.id])
            #expect(after.code == 0 && after.output.contains(user.name.last))
            #expect(!after.output.contains(cell) && !after.output.contains(street))
            #expect(try await machine.userctl(["search", street]).code == 1)
            #expect(try await machine.call(.getPicture, GetPicture(key: user.id)).placeholder)
            let digits = cell.filter(\.isNumber)
            let left = [Data(cell.utf8), Data(digits.utf8), Data(street.utf8), picture]
            // They stay in the log until that is copied into the cache.
            let end = ContinuousClock.now + .seconds(60)
            while try left.contains(where: machine.caches), ContinuousClock.now < end {
                _ = try await machine.state(of: .users)
            }
            for content in left { #expect(try !machine.caches(content)) }
        }
    }

    @Test("A recording lacks them")
    func recording() async throws {
        try await onMachine(users: 5) { machine in
            let path = machine.file("a.har")
            try machine.writeConfiguration(Self.configuration(machine, "  omit: address\n"))
            let userd = try await machine.startUserd(arguments: ["--record", path])
            #expect(try await machine.sync(.users).count == 5)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains("familyName") && !text.contains("streetAddress"))
        }
    }

    @Test("The default format and a mock leave them out, too", arguments: [nil, "data"])
    func others(mock: String?) async throws {
        try await onMachine(users: 5) { machine in
            let settings = ["users.omit": "email, born_at, age", "mock": mock ?? ""]
            _ = try await machine.startUserd(settings)
            #expect(try await machine.sync(.users).phase == .loaded)
            let users = try await machine.users()
            #expect(!users.isEmpty && users.contains { $0.gender != nil })
            #expect(users.allSatisfy { $0.email == nil && $0.bornAt == nil && $0.age == nil })
        }
    }

    @Test("--check-upstream shows users without them")
    func check() async throws {
        try await onMachine(users: 5) { machine in
            try machine.writeConfiguration(Self.configuration(machine, "  omit: address, phones\n"))
            let checked = try await run(
                Program.userd.path, ["--check-upstream"], environment: machine.environment)
            let checks = try decoded(UpstreamChecks.self, from: Array(checked.output.utf8))
            let sample = try #require(checks.upstreams.first?.sample)
            #expect(sample.users.count == 3 && sample.users.contains { $0.phone != nil })
            #expect(sample.users.allSatisfy { $0.phones == nil && $0.address == User.Address() })
            #expect(!sample.unread.contains { $0.hasPrefix("/addresses") })
            #expect(!sample.fields.contains { $0.name == "city" })
        }
    }
}

extension Machine {
    /// Whether the cache's files contain these bytes.
    fileprivate func caches(_ content: Data) throws -> Bool {
        try ["", "-wal"].contains {
            try Data(contentsOf: URL(filePath: database + $0)).range(of: content) != nil
        }
    }
}
