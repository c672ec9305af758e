import DemoUpstream
import Foundation
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("The end of a directory's list", .timeLimit(.hang))
struct ListEndTests {
    private static let number = "{style: number, param: page, size: per_page}"

    private static func configure(
        _ machine: Machine, _ path: String, _ keys: String, pageSize: Int = 10
    ) throws {
        try machine.writeConfiguration(
            """
            users:
              url: \(machine.upstream.url(path))
              page_size: \(pageSize)
              \(keys)

            """)
    }

    private static func people(_ paging: String, records: String = "\"\"", fields: String = "id: /no")
        -> String
    {
        """
        format: json
          records: \(records)
          fields: {\(fields), given: /person/names/called}
          paging: \(paging)
        """
    }

    @Test(
        "A sync finds a list's end however upstream answers beyond it, and a replay finds it, too",
        arguments: [
            ("/directory/number", people(number), 25, 204), ("/directory/number", people(number), 25, 200),
            ("/directory/number", people(number), 25, 404), ("/directory/number", people(number), 25, 416),
            ("/directory/offset", "format: keycloak", 20, 404),
            ("/directory/offset", "format: keycloak", 20, 204),
            // A single page, whose length is the total.
            ("/scim/v2/Users", "format: scim", 7, 404), ("/scim/v2/Users", "format: scim", 7, 400),
            ("/scim/v2/Users", "format: scim", 7, 416), ("/scim/v2/Users", "format: scim", 10, 0),
            (
                "/directory/flag",
                people(
                    "{style: number, param: page, size: per_page, more: /info/more_records}", records: "/data"
                ),
                20, 500
            ),
            (
                "/directory/based",
                people(
                    "{style: url, size: limit, from: /_links/next, base: /_links/base}", records: "/results"),
                25, 500
            ),
        ])
    func found(path: String, keys: String, count: Int, beyond: Int) async throws {
        try await onMachine(users: count) { machine in
            try Self.configure(machine, path, keys)
            try await machine.upstream.setFaults([Fault(.beyond(status: beyond))])
            let file = machine.file("a.har")
            let userd = try await machine.startUserd(arguments: ["--paused", "--record", file])
            for _ in 0..<2 {
                let state = try await machine.sync(.users)
                #expect(state.count == count && state.phase == .loaded, "\(state.failure?.message ?? "")")
            }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            let asked = machine.upstream.requests()
            let replayed = try await machine.startUserd(arguments: ["--paused", "--replay", file])
            #expect(try await machine.sync(.users).count == count)
            replayed.send(SIGTERM)
            _ = try await replayed.ended()
            #expect(machine.upstream.requests() == asked)
        }
    }

    @Test("A first page with 204 leaves a new cache empty, and cached users to the guard")
    func nobody() async throws {
        try await onMachine(users: 30) { machine in
            try Self.configure(machine, "/directory/number", Self.people(Self.number))
            _ = try await machine.startUserd(arguments: ["--paused"])
            try await machine.upstream.setFaults([Fault(.status(204))])
            #expect(try await machine.sync(.users).phase == .empty)
            try await machine.upstream.setFaults([])
            #expect(try await machine.sync(.users).count == 30)
            try await machine.upstream.setFaults([Fault(.status(204))])
            #expect(try await machine.sync(.users).failure?.kind == .removalGuard)
        }
    }

    @Test("A list cut off by a missing page keeps the cached users, and status says so")
    func cut() async throws {
        try await onMachine(users: 25) { machine in
            try Self.configure(machine, "/directory/number", Self.people(Self.number))
            _ = try await machine.startUserd(arguments: ["--paused"])
            #expect(try await machine.sync(.users).count == 25)
            let cut = Fault(.status(404), path: "/directory/number", after: 2)
            for _ in 0..<3 {
                try await machine.upstream.setFaults([cut])
                let state = try await machine.sync(.users)
                #expect(state.phase == .loaded && state.count == 25)
                #expect(state.missing == Missing(count: 5, reason: .endedEarly))
            }
            let status = try await machine.userctl(["status"]).output
            #expect(status.contains("5 users were not in the last list and stay for now"), "\(status)")
            try await machine.upstream.setFaults([cut])
            let accepting = Sync(resources: [.users], wait: true, acceptRemovals: true)
            #expect(try await machine.call(.sync, accepting).states.first?.count == 20)
        }
    }
}
