import Foundation
import HTTP
import LDAP
import Logging
import Model
import Stubs
import Synchronization
import TestSupport
import Testing
import YAML

@testable import Upstream

private let hour = Duration.seconds(3600)
private let directory = "/\(DirectoryPeople.base)"

/// userd's engine and cache with Debian's slapd.
private struct Synced {
    let rig: Rig
    let slapd: Slapd
    let now: Mirror

    /// The engine's clock, as the directory sees it.
    final class Mirror: Sendable {
        let time = Mutex(began)
    }

    /// A rig that has read the list, and whose changes are trusted.
    /// - Parameter id: the attribute of ids.
    init(
        _ slapd: Slapd, id: String? = nil, isTrusted: Bool = true,
        _ change: (inout LDAPSettings) -> Void = { _ in }
    ) async throws {
        signal(SIGPIPE, SIG_IGN)
        let now = Mirror()
        var format = try DirectoryFormat.builtIn("ldap")
        let skip = try YAMLNode.document(Array("{employeeType: left}".utf8))
        if let skip { try format.override("skip", with: skip, fields: []) }
        if let id, let node = try YAMLNode.document(Array("{id: \(id)}".utf8)) {
            try format.override("fields", with: node, fields: UserField.all.map(\.name))
        }
        var settings = LDAPSettings(address: try LDAPAddress(slapd.plain + directory), format: format)
        settings.random = { (range: ClosedRange<Int>) in range.upperBound }
        change(&settings)
        let directory = LDAPDirectory(
            settings, redactor: SecretRedactor(), logins: Logins(now: { now.time.withLock { $0 } }),
            now: { now.time.withLock { $0 } }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        (self.slapd, self.now) = (slapd, now)
        rig = try await Rig {
            $0.interval = hour * 10_000
            $0.users = .ldap(directory)
        }
        let first = try await rig.ended()
        #expect(first.phase == .loaded, "\(first)")
        guard isTrusted else { return }
        for _ in 1...2 {
            advance(by: .seconds(700))
            try await rig.sync(isFull: true)
        }
        #expect(try await rig.trust?.level == .trusted)
        _ = try await searches()
    }

    func advance(by duration: Duration) {
        rig.clock.advance(by: duration)
        now.time.withLock { $0 = $0 + duration }
    }

    /// Syncs ten minutes later, and returns the changes, how they were read, and the searches that it took.
    func sync(
        after pause: Duration = .seconds(700)
    ) async throws -> (changes: Changes?, scope: SyncScope?, searches: [String]) {
        advance(by: pause)
        _ = try await searches()
        let state = try await rig.sync()
        guard case .committed(let changes) = state.cause else {
            Issue.record("\(state)")
            return (nil, nil, [])
        }
        return (changes, state.scope, try await searches())
    }

    /// Those since the last call.
    private func searches() async throws -> [String] {
        let all = try await slapd.searches()
        let before = seen.count.withLock { count in
            defer { count = all.count }
            return count
        }
        return Array(all[before...])
    }

    private let seen = Seen()

    private final class Seen: Sendable {
        let count = Mutex(0)
    }

    /// Whether the rows are as a new list has them. What they say of managers follows lists, so only people without reports may
    /// have gone: the second half.
    func isWhole() async throws -> Bool {
        let state = try await rig.sync(isFull: true)
        return state.cause == .committed(Changes()) && state.scope == .full
    }

    func set(_ numbers: some Sequence<Int>, _ attribute: String, _ value: String) async throws {
        let changes = numbers.map {
            "dn: \(DirectoryPeople.dn($0))\nchangetype: modify\nreplace: \(attribute)\n\(attribute): \(value)\n\n"
        }
        try await slapd.modify(changes.joined())
    }

    func remove(_ number: Int) async throws {
        try await slapd.modify("dn: \(DirectoryPeople.dn(number))\nchangetype: delete\n\n")
    }

    func add(_ number: Int) async throws {
        let person = DirectoryPeople.person(number)
        let lines = person.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        try await slapd.modify("\(lines[0])\nchangetype: add\n\(lines[1])\n\n")
    }
}

@Suite("What changed in an LDAP directory", .stubs, .serialized, .timeLimit(.hang))
struct LDAPChangesTests {
    private func withDirectory(
        _ count: Int = 300, settings: String = "", isProvider: Bool = true,
        _ change: @escaping (inout LDAPSettings) -> Void = { _ in },
        _ body: (Synced) async throws -> Void
    ) async throws {
        let slapd = try await Slapd(
            DirectoryPeople.ldif(count), settings: settings + "\nsizelimit unlimited", isProvider: isProvider)
        try await withSlapd(slapd) { slapd in
            let synced = try await Synced(slapd, change)
            try await body(synced)
            await synced.rig.stop()
        }
    }

    @Test("Only entries with new stamps are read, in two searches")
    func changed() async throws {
        try await withDirectory { directory in
            let quiet = try await directory.sync()
            #expect(quiet.changes == Changes() && quiet.scope == .changes)
            #expect(quiet.searches.count == 2, "\(quiet.searches)")

            try await directory.set(10..<20, "title", "Chief")
            let ten = try await directory.sync()
            #expect(ten.changes == Changes(changed: 10) && ten.scope == .changes)
            // One more for their managers.
            #expect(ten.searches.filter { $0.contains("scope=2") }.count == 1)

            try await directory.add(300)
            #expect(try await directory.sync().changes == Changes(added: 1))
            // Known stamps are not taken again, although the search begins ten minutes earlier.
            let again = try await directory.sync(after: .seconds(1))
            #expect(again.changes == Changes() && again.scope == .changes)
            #expect(try await directory.isWhole())
        }
    }

    @Test(
        "Whoever is deleted, moved away or hidden is found by the ids, every six hours; so is one who comes back"
    )
    func gone() async throws {
        let hidden = DirectoryPeople.dn(257)
        try await withDirectory { directory in
            try await directory.remove(255)
            try await directory.slapd.modify(
                "dn: \(hidden)\nchangetype: modrdn\nnewrdn: uid=user257\ndeleteoldrdn: 0\nnewsuperior: dc=example,dc=org\n\n"
            )
            #expect(try await directory.sync().changes == Changes())
            let found = try await directory.sync(after: hour * 7)
            #expect(found.changes == Changes(removed: 2) && found.scope == .changes)
            try await directory.slapd.modify(
                "dn: uid=user257,dc=example,dc=org\nchangetype: modrdn\nnewrdn: uid=user257\ndeleteoldrdn: 0\nnewsuperior: \(DirectoryPeople.base)\n\n"
            )
            let back = try await directory.sync(after: hour * 7)
            #expect(back.changes == Changes(added: 1) && back.scope == .changes)
            #expect(try await directory.isWhole())
        }
    }

    @Test("Whoever has gone since the ids were read counts for no lack of the changes")
    func goneBeforeList() async throws {
        try await withDirectory { directory in
            for number in 290..<294 {
                try await directory.remove(number)
                directory.advance(by: .seconds(700))
                let state = try await directory.rig.sync(isFull: true)
                #expect(state.cause == .committed(Changes(removed: 1)) && state.scope == .full)
                _ = try await directory.sync()
            }
            #expect(try await directory.rig.trust?.level == .trusted)
            #expect(try await directory.rig.trust?.misses == [])
        }
    }

    @Test(
        "A directory where two entries have one id has no changes, nor has one whose entries have no stamps")
    func noStamps() async throws {
        let access = "access to attrs=contextCSN,entryCSN,modifyTimestamp by * none\naccess to * by * read"
        // Two people with the same name have the same employeeType.
        for (settings, id) in [(access, "employeeNumber"), ("", "employeeType")] {
            let slapd = try await Slapd(
                DirectoryPeople.ldif(20), settings: settings + "\nsizelimit unlimited")
            try await withSlapd(slapd) { slapd in
                if id == "employeeType" {
                    let numbers = Array(0..<19) + [15]
                    for (person, number) in numbers.enumerated() {
                        try await slapd.modify(
                            "dn: \(DirectoryPeople.dn(person))\nchangetype: modify\nadd: employeeType\nemployeeType: \(number)\n"
                        )
                    }
                }
                let synced = try await Synced(slapd, id: id, isTrusted: false)
                try await synced.set([1], "title", "Chief")
                let state = try await synced.sync()
                #expect(state.changes == Changes(changed: 1) && state.scope == .full, "\(id)")
                await synced.rig.stop()
            }
        }
    }

    @Test("Whoever changes between the changes and the list counts for no lack of the changes")
    func changedBeforeList() async throws {
        try await withDirectory(1100) { directory in
            for round in 1...3 {
                directory.advance(by: .seconds(700))
                async let state = directory.rig.sync(isFull: true)
                // Some of them while the list is read.
                for number in 0..<8 {
                    try await directory.set([1050 + number], "title", "Chief \(round)")
                }
                #expect(try await state.scope == .full)
                _ = try await directory.sync()
            }
            #expect(try await directory.rig.trust?.level == .trusted)
            #expect(try await directory.rig.trust?.misses == [])
        }
    }

    @Test("Without the newest known entry, success proves nothing: the ids are read at once")
    func witness() async throws {
        try await withDirectory { directory in
            try await directory.set([259], "title", "Chief")
            #expect(try await directory.sync().changes == Changes(changed: 1))
            try await directory.remove(259)
            let found = try await directory.sync()
            #expect(found.changes == Changes(removed: 1) && found.scope == .changes)
            #expect(try await directory.isWhole())
        }
    }

    @Test("A record that is left out from now on goes, and is not read again until it changes")
    func leftOut() async throws {
        try await withDirectory { directory in
            try await directory.set(253...254, "employeeType", "left")
            #expect(try await directory.sync().changes == Changes(removed: 2))
            let ids = try await directory.sync(after: hour * 7)
            #expect(ids.changes == Changes() && ids.scope == .changes)
            #expect(ids.searches.filter { $0.contains("scope=0") }.count <= 3, "\(ids.searches)")
            try await directory.set([253], "employeeType", "clerk")
            #expect(try await directory.sync().changes == Changes(added: 1))
            #expect(try await directory.isWhole())
        }
    }

    @Test("A contextCSN that stands still hides nothing")
    func frozen() async throws {
        try await withDirectory(isProvider: false) { directory in
            for round in 1...4 {
                try await directory.set([round], "title", "Chief")
                let state = try await directory.sync()
                #expect(state.changes == Changes(changed: 1) && state.scope == .changes)
            }
            #expect(try await directory.isWhole())
        }
    }

    @Test(
        "Without stamps that are searched for, the ids are compared by the time of the last change each time")
    func times() async throws {
        let access = "access to attrs=contextCSN,entryCSN by * none\naccess to * by * read"
        try await withDirectory(settings: access) { directory in
            try await Task.sleep(for: .seconds(1.1))
            try await directory.set([1], "title", "Chief")
            try await directory.remove(262)
            let state = try await directory.sync()
            #expect(state.changes == Changes(changed: 1, removed: 1) && state.scope == .changes)
            #expect(try await directory.isWhole())
        }
    }

    @Test("Stamps that may be read but not searched for lead to the ids")
    func unsearchable() async throws {
        let access = "access to attrs=entryCSN by * =r\naccess to * by * read"
        try await withDirectory(settings: access) { directory in
            try await directory.set([1], "title", "Chief")
            #expect(try await directory.sync().changes == Changes(changed: 1))
        }
    }

    @Test("If more than a tenth has moved, the whole list is read, without a judgement of the changes")
    func much() async throws {
        try await withDirectory(600) { directory in
            // By the ids: the newest known entry is gone.
            try await directory.set([599], "title", "Chief")
            _ = try await directory.sync()
            try await directory.set(0..<400, "title", "Head")
            try await directory.remove(599)
            try await directory.set(400..<401, "title", "Head")
            let state = try await directory.sync()
            #expect(state.changes == Changes(changed: 401, removed: 1))
            #expect(try await directory.rig.trust?.level == .trusted)
            #expect(try await directory.rig.trust?.misses == [])
        }
    }
}
