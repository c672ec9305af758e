import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("What changed in a directory over HTTP, for people", .timeLimit(.hang))
struct HTTPChangesTests {
    private static let begin = ["/v1.0/users/delta?$select=…&$deltatoken=latest"]
    private static let list = ["/v1.0/users?$top=999&$select=…", "/v1.0/users?$skiptoken=l1"]

    private static func delta(_ token: String, pages: String...) -> [String] {
        ["/v1.0/users/delta?$deltatoken=\(token)"] + pages.map { "/v1.0/users/delta?$skiptoken=\($0)" }
    }

    /// The requests of three lists, after which changes are trusted.
    private static let earning = [begin + list, delta("t1") + list, delta("t2") + list]

    private static func graph() throws -> HTTPDirectory {
        let list = [[person(1, "Clerk"), person(2, "Cook")], [person(3, "Driver"), person(4, "Pilot")]]
        return try HTTPDirectory("graph", "/v1.0/users", list)
    }

    private static func person(_ id: Int, _ title: String, isEnabled: Bool = true) -> String {
        let others = #""jobTitle": "\#(title)", "mail": "\#(id)@x", "accountEnabled": \#(isEnabled)"#
        return #"{"id": "\#(id)", "displayName": "Person \#(id)", \#(others)}"#
    }

    /// With all members, as of somebody new.
    private static func newPerson(_ id: Int, _ title: String) -> String {
        let others = [
            "userPrincipalName", "givenName", "surname", "mobilePhone", "department", "companyName",
            "employeeId",
            "officeLocation", "createdDateTime", "streetAddress", "city", "state", "postalCode", "country",
            "showInAddressList",
        ]
        let lists = #", "otherMails": [], "businessPhones": []}"#
        return person(id, title).dropLast() + others.map { ", \"\($0)\": null" }.joined() + lists
    }

    @Test("Graph: no changes cost one request; changed, gone, disabled and new people come without the list")
    func graphChanges() async throws {
        let graph = try Self.graph()
        try await onMachine { machine in
            try await machine.trust(graph, Self.earning)
            try await machine.sync(graph, .changes, "committed", Self.delta("t3"))

            graph.change {
                $0.changes = [
                    // Without an address, which has not changed.
                    [#"{"id": "1", "displayName": "Person 1", "jobTitle": "Deputy"}"#], [],
                    [
                        #"{"id": "2", "@removed": {"reason": "changed"}}"#, Self.newPerson(5, "Baker"),
                        #"{"id": "3", "accountEnabled": false}"#,
                    ], [#"{"id": "1", "displayName": "Person 1", "jobTitle": "Chief"}"#],
                ]
                $0.list = [
                    [Self.person(1, "Chief"), Self.person(3, "Driver", isEnabled: false)],
                    [Self.person(4, "Pilot"), Self.person(5, "Baker")],
                ]
            }
            try await machine.sync(
                graph, .changes, "committed: 1 added, 1 changed, 2 removed",
                Self.delta("t4", pages: "c1", "c2", "c3"))
            #expect(try await machine.rows() == ["1, Chief, 1@x", "4, Pilot, 4@x", "5, Baker, 5@x"])
            // The same person again is no change.
            graph.change { $0.changes.append([Self.person(1, "Chief")]) }
            try await machine.sync(graph, .changes, "committed", Self.delta("t5"))
            // The list finds the same people, and no change that was missed.
            try await machine.sync(graph, isFull: true, .full, "committed", Self.delta("t6") + Self.list)
            #expect(try await machine.call(.getSettings, NoParameters()).changes == .trusted)
        }
    }

    @Test("Graph: a refused link leads to the list at once, then to changes again; trouble keeps the link")
    func graphRefusals() async throws {
        let graph = try Self.graph()
        try await onMachine { machine in
            try await machine.trust(graph, Self.earning)
            let refusals = [(410, "resyncRequired"), (400, "syncStateNotFound")]
            for (number, (status, code)) in refusals.enumerated() {
                // No change names the first person's title.
                graph.change {
                    $0.list[0][0] = Self.person(1, "Chief \(status)")
                    $0.refusals = [(status, #"{"error": {"code": "\#(code)", "message": "Sync again"}}"#)]
                }
                let requests = Self.delta("t\(3 + 2 * number)") + Self.begin + Self.list
                try await machine.sync(graph, .full, "committed: 1 changed", requests)
                graph.change {
                    $0.list[1][1] = Self.person(4, "Head \(status)")
                    $0.changes.append([$0.list[1][1]])
                }
                let next = Self.delta("t\(4 + 2 * number)")
                try await machine.sync(graph, .changes, "committed: 1 changed", next)
                let rows = try await machine.rows()
                #expect(rows.first == "1, Chief \(status), 1@x" && rows.last == "4, Head \(status), 4@x")
            }
            for (number, status) in [503, 401, 403].enumerated() {
                let link = Self.delta("t\(7 + number)")
                graph.change {
                    $0.changes.append([Self.person(4, "Pilot \(status)")])
                    $0.refusals = [(status, #"{"error": {"code": "x", "message": "Not now"}}"#)]
                }
                let failed = try await machine.sync(.users)
                #expect(failed.count == 4 && failed.failure?.httpStatus == status, "\(failed)")
                #expect(graph.takeRequests() == link)
                try await machine.sync(graph, .changes, "committed: 1 changed", link)
                #expect(try await machine.rows().last == "4, Pilot \(status), 4@x")
            }
        }
    }

    @Test("Graph: if changes can't have a property, status names it, and each sync reads the list alone")
    func graphProperty() async throws {
        let graph = try Self.graph()
        let reason = "The following properties are not supported for $select: employeeId"
        let refusal = (400, #"{"error": {"message": "\#(reason)"}}"#)
        graph.change { $0.refusals = Array(repeating: refusal, count: 4) }
        try await onMachine { machine in
            let userd = try await machine.startUserd(machine.settings(of: graph))
            try await machine.sync(graph, .full, "committed: 4 added", Self.begin + Self.list)
            for (number, isFull) in [false, true, true, true, false].enumerated() {
                graph.change { $0.list[1][1] = Self.person(4, "Pilot \(number)") }
                // A person may have asked for the right meanwhile.
                let requests = (isFull ? Self.begin : []) + Self.list
                try await machine.sync(graph, isFull: isFull, .full, "committed: 1 changed", requests)
            }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            try await machine.startUserd(machine.settings(of: graph))
            try await machine.sync(graph, .full, "committed", Self.list)
            #expect(try await machine.call(.getSettings, NoParameters()).changes == .off)
            let status = try await machine.userctl(["status"]).output
            #expect(status.contains("whole list each time") && status.contains(reason), "\(status)")
            #expect(graph.change { $0.refusals.isEmpty })
            try await machine.sync(graph, isFull: true, .full, "committed", Self.begin + Self.list)
            #expect(try await machine.call(.getSettings, NoParameters()).changes == .watched)
        }
    }

    @Test("Graph: after a kill between changes, and within their pages, they go on where they were")
    func graphKilled() async throws {
        let graph = try Self.graph()
        try await onMachine { machine in
            var userd = try await machine.trust(graph, Self.earning)
            graph.change { $0.changes = [[Self.person(1, "Chief")]] }
            try await machine.sync(graph, .changes, "committed: 1 changed", Self.delta("t3"))
            userd.send(SIGKILL)
            #expect(try await userd.ended() == .signalled(SIGKILL))

            userd = try await machine.startUserd(machine.settings(of: graph))
            graph.change {
                $0.changes += [[Self.person(2, "Chef")], [Self.person(3, "Racer")]]
                $0.stalledPage = 2
            }
            let requests = Self.delta("t4", pages: "c2")
            async let reply = try? machine.sync(.users)
            try await wait { graph.requests.count == requests.count }
            userd.send(SIGKILL)
            #expect(try await userd.ended() == .signalled(SIGKILL))
            _ = await reply
            #expect(graph.takeRequests() == requests)

            try await machine.startUserd(machine.settings(of: graph))
            #expect(try await machine.call(.getUser, GetUser(key: "2")).user.jobTitle == "Cook")
            graph.change { $0.stalledPage = nil }
            try await machine.sync(graph, .changes, "committed: 2 changed", requests)
            let rows = ["1, Chief, 1@x", "2, Chef, 2@x", "3, Racer, 3@x", "4, Pilot, 4@x"]
            #expect(try await machine.rows() == rows)
        }
    }

    @Test("Google: tokens bring who changed and who was deleted; an expired one, the list with another token")
    func google() async throws {
        let people = "/v1/people:listDirectoryPeople"
        let query = "&readMask=…&sources=…&requestSyncToken=true"
        @Sendable func changes(_ token: String, page: String = "") -> [String] {
            ["\(people)?pageSize=1000\(page)\(query)&syncToken=\(token)"]
        }
        @Sendable func person(_ id: Int, _ title: String) -> String {
            let names = #""names": [{"displayName": "Person \#(id)", "givenName": "P"}]"#
            let job = #""organizations": [{"title": "\#(title)"}]"#
            return #"{"resourceName": "people/\#(id)", \#(names), \#(job), "metadata": {}}"#
        }
        let google = try HTTPDirectory(
            "google-people", people,
            [[person(1, "Clerk"), person(2, "Cook")], [person(3, "Driver"), person(4, "Pilot")]])
        try await onMachine { machine in
            let list = ["", "&pageToken=l1"].map { "\(people)?pageSize=1000\($0)\(query)" }
            // The last page of each list has a token, too.
            try await machine.trust(google, [list, changes("t1") + list, changes("t3") + list])
            try await machine.sync(google, .changes, "committed", changes("t5"))

            let gone = #"{"resourceName": "people/2", "metadata": {"deleted": true}}"#
            google.change {
                $0.changes = [[person(1, "Chief"), gone], [person(5, "Baker")]]
                $0.list[0] = [person(1, "Chief"), person(3, "Driver"), person(4, "Pilot")]
            }
            try await machine.sync(
                google, .changes, "committed: 1 added, 1 changed, 1 removed",
                changes("t6") + changes("t6", page: "&pageToken=c1"))
            // Both statuses occur.
            for (number, status) in ["INVALID_ARGUMENT", "FAILED_PRECONDITION"].enumerated() {
                let details = #""message": "Expired", "details": [{"reason": "EXPIRED_SYNC_TOKEN"}]"#
                google.change {
                    $0.list[1] = [person(5, "Baker \(number)")]
                    $0.refusals = [(400, #"{"error": {"status": "\#(status)", \#(details)}}"#)]
                }
                let (token, next) = ("t\(7 + 2 * number)", "t\(8 + 2 * number)")
                try await machine.sync(google, .full, "committed: 1 changed", changes(token) + list)
                let others = ["people/1, Chief", "people/3, Driver", "people/4, Pilot"]
                #expect(try await machine.rows() == others + ["people/5, Baker \(number)"])
                try await machine.sync(google, .changes, "committed", changes(next))
            }
        }
    }
}

extension Machine {
    fileprivate func settings(of directory: HTTPDirectory) -> [String: String] {
        ["users.format": directory.format, "users.url": directory.url, "users.query": "", "paused": "true"]
    }

    /// Starts userd, and reads lists until changes are trusted.
    @discardableResult
    fileprivate func trust(_ directory: HTTPDirectory, _ lists: [[String]]) async throws -> ChildProcess {
        let userd = try await startUserd(settings(of: directory))
        for (number, list) in lists.enumerated() {
            let cause = number == 0 ? "committed: 4 added" : "committed"
            try await sync(directory, isFull: number > 0, .full, cause, list)
        }
        return userd
    }

    /// Syncs, and expects this outcome and these requests.
    fileprivate func sync(
        _ directory: HTTPDirectory, isFull: Bool = false, _ scope: SyncScope, _ cause: String,
        _ requests: [String], at place: SourceLocation = #_sourceLocation
    ) async throws {
        let done = try await userctl(["sync", "users", "--wait"] + (isFull ? ["--full"] : []))
        #expect(done.code == 0, "\(done)", sourceLocation: place)
        let state = try await self.state(of: .users)
        #expect(state.scope == scope && state.cause.rawValue == cause, "\(state)", sourceLocation: place)
        #expect(directory.takeRequests() == requests, sourceLocation: place)
    }

    /// Each user's id, title and address.
    fileprivate func rows() async throws -> [String] {
        let values = try await users().map { [$0.id, $0.jobTitle, $0.email].compactMap(\.self) }
        return values.map { $0.joined(separator: ", ") }.sorted()
    }
}
