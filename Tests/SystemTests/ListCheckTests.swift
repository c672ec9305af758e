import DemoUpstream
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI

@Suite("--check-upstream and the end of the list", .timeLimit(.hang))
struct ListCheckTests {
    private static func configure(_ machine: Machine, _ path: String, _ keys: String) throws {
        try machine.writeConfiguration(
            """
            users:
              url: \(machine.upstream.url(path))
              page_size: 10
              \(keys)

            """)
    }

    private static let people = "fields: {id: /no, given: /person/names/called}"
    private static let number =
        "format: json\n  \(people)\n  paging: {style: number, param: page, size: per_page}"
    private static let flag =
        "format: json\n  records: /data\n  \(people)\n  paging: {style: number, param: page, size: per_page, more: /info/more_records}"

    private static func check(_ machine: Machine) async throws -> (code: Int32?, check: UpstreamCheck?) {
        machine.upstream.forgetRequests()
        let checked = try await run(
            Program.userd.path, ["--check-upstream"], environment: machine.environment)
        let checks = try decoded(UpstreamChecks.self, from: Array(checked.output.utf8))
        return (checked.code, checks.upstreams.first)
    }

    @Test(
        "--check-upstream finds the end of a list from its first two pages and the one after the last",
        arguments: [
            (
                "/directory/number", number, 25, nil, [10, 10], "the first page that is empty",
                "Page 500001, after the last, is empty"
            ),
            (
                "/directory/number", number, 25, 404, [10, 10], "the first page that is missing (404)",
                "Page 500001, after the last, is missing (404)"
            ),
            ("/directory/number", number, 10, 204, [10, 0], "page 2, which is empty", nil),
            ("/directory/number", number, 10, 200, [10, 0], "page 2, which is blank", nil),
            (
                "/directory/flag", flag, 15, nil, [10, 5],
                "page 2, which is the last by paging.more", nil
            ),
            (
                "/directory/flag", flag, 25, nil, [10, 10],
                "the first page that is the last by paging.more", nil
            ),
            (
                "/scim/v2/Users", "format: scim", 25, 404, [10, 10],
                "the page that reaches the total that upstream says",
                "Page 4, after the last, is missing (404)"
            ),
            (
                "/scim/v2/Users", "format: scim", 15, nil, [10, 5],
                "page 2, which reaches the total that upstream says", nil
            ),
            (
                "/scim/v2/Users", "format: scim", 10, 0, [10, 10],
                "page 2, which repeats page 1; page 1 has as many users as upstream says", nil
            ),
            (
                "/directory/url", "format: graph", 25, nil, [10, 10], "the first page that names no next one",
                nil
            ),
            ("/directory/url", "format: graph", 5, nil, [5], "page 1, which names no next one", nil),
            (
                "/directory/url", "format: graph\n  pages: 1", 25, nil, [10],
                "page 1, since users.pages asks for no more", nil
            ),
        ] as [(String, String, Int, Int?, [Int], String, String?)])
    func ends(
        path: String, keys: String, count: Int, beyond: Int?, pages: [Int], end: String, after: String?
    ) async throws {
        try await onMachine(users: count) { machine in
            try Self.configure(machine, path, keys)
            try await machine.upstream.setFaults(beyond.map { [Fault(.beyond(status: $0))] } ?? [])
            let (code, check) = try await Self.check(machine)
            let list = try #require(check?.sample?.list)
            #expect(code == 0)
            #expect(list.pages == pages && list.end == end && list.after == after, "\(list)")
            #expect(list.more == [])
            #expect(machine.upstream.requests(for: path) == pages.count + (after == nil ? 0 : 1))
        }
    }

    @Test("--check-upstream fails, as a sync would, if page 2 fails or repeats page 1")
    func fails() async throws {
        try await onMachine(users: 25) { machine in
            try Self.configure(machine, "/directory/number", Self.number)
            try await machine.upstream.setFaults([Fault(.ignoresPage)])
            let repeated = try await Self.check(machine)
            #expect(repeated.code == 1)
            #expect(
                repeated.check?.steps.last?.failure?.message
                    == "page 2 holds the users of page 1; see users.paging")
            #expect(repeated.check?.sample?.users.count == 3)
            try await machine.upstream.setFaults([Fault(.status(500), path: "/directory", after: 1)])
            let failed = try await Self.check(machine)
            #expect(failed.code == 1 && failed.check?.steps.last?.failure?.httpStatus == 500)
            #expect(failed.check?.sample?.records == 10)
        }
    }

    @Test("--check-upstream warns of a list without an end, and of users after its total")
    func warns() async throws {
        try await onMachine(users: 25) { machine in
            try Self.configure(machine, "/directory/number", Self.number)
            try await machine.upstream.setFaults([Fault(.beyond(status: 400))])
            let refused = try #require(try await Self.check(machine).check?.sample?.list)
            #expect(refused.end == nil && refused.after?.contains("answered 400: Invalid page.") == true)
            #expect(refused.more == ["the list may have no end; set users.paging.total or users.paging.more"])
            // 40 people, and a total of 25.
            let server = try RawServer { connection in
                let target =
                    connection.readHead().split(separator: " ").dropFirst().first.map(String.init) ?? ""
                let start = URLComponents(string: target)?.queryItems?.first { $0.name == "startIndex" }?
                    .value
                let first = start.flatMap(Int.init) ?? 1
                let users = (first..<max(first, min(first + 10, 41))).map { number in
                    #"{"id": "\#(number)", "userName": "u"}"#
                }
                let body = #"{"totalResults": 25, "Resources": [\#(users.joined(separator: ","))]}"#
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                )
            }
            try machine.writeConfiguration(
                "users: {format: scim, url: \"\(server.url("/scim/v2/Persons"))\", page_size: 10}\n")
            let capped = try #require(try await Self.check(machine).check?.sample?.list)
            #expect(capped.after == "Page 4, after the last, has other users")
            #expect(capped.more == ["upstream has users after its total; see users.paging.total"])
        }
    }

    @Test("A value that is too long loses nobody, the check and the log count it, and a query is encoded")
    func tooLong() async throws {
        try await onMachine { machine in
            let targets = Mutex<[String]>([])
            let server = try RawServer { connection in
                let target = connection.readHead().split(separator: " ").dropFirst().first ?? ""
                targets.withLock { $0.append(String(target)) }
                let title = String(repeating: "x", count: 65_537)
                let body =
                    #"{"Resources": [{"id": "1", "userName": "a", "title": "\#(title)"}, {"id": "2", "userName": "b"}]}"#
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                )
            }
            try machine.writeConfiguration(
                """
                users:
                  format: scim
                  url: \(server.url("/Users"))
                  query: filter=userName sw "Ä"
                  paging: {style: none}

                """)
            let check = try await Self.check(machine)
            #expect(check.code == 0 && check.check?.sample?.tooLong == ["job_title of record 1"])
            #expect(targets.withLock { $0.contains { $0.contains("filter=userName%20sw%20%22%C3%84%22") } })
            let userd = try await machine.startUserd(arguments: ["--paused"])
            #expect(try await machine.sync(.users).count == 2)
            try await userd.line(containing: "Values of more than 64 KiB are left out")
        }
    }

    @Test(
        "The check, doctor and status report that upstream seems to have more users"
    )
    func more() async throws {
        try await onMachine(users: 25) { machine in
            let sign = "upstream seems to have more: a Link header names a next page"
            try Self.configure(
                machine, "/directory/link",
                "format: json\n  query: limit=10\n  fields: {id: /id, username: /profile/login}")
            let list = try #require(try await Self.check(machine).check?.sample?.list)
            #expect(list.pages == [10] && list.end == "page 1, since users.paging asks for no other")
            #expect(list.more.first?.hasPrefix(sign) == true)
            #expect(list.more.last == "the answer looks like okta; see users.format")
            for isRestarted in [false, true] {
                let userd = try await machine.startUserd(arguments: ["--paused"])
                if !isRestarted {
                    #expect(try await machine.sync(.users).count == 10)
                    try await userd.line(containing: "Upstream seems to have more")
                }
                let status = try await machine.userctl(["status"])
                #expect(status.output.contains("Cached  10 users, \(sign)"), "\(status.output)")
                let doctor = try await machine.doctor()
                #expect(doctor["sync.users"]?.found.contains(sign) == true)
                #expect(doctor["upstream.users.paging"]?.status == "warning")
                #expect(doctor["upstream.users.paging"]?.found.contains(sign) == true)
                userd.send(SIGTERM)
                _ = try await userd.ended()
            }
            try Self.configure(
                machine, "/directory/link",
                "format: json\n  query: limit=10\n  fields: {id: /id, username: /profile/login}\n  paging: {style: link}"
            )
            _ = try await machine.startUserd(arguments: ["--paused"])
            #expect(try await machine.sync(.users).count == 25)
            #expect(try await machine.userctl(["status"]).output.contains("Cached  25 users\n"))
            #expect(try await machine.doctor()["upstream.users.paging"]?.status == "ok")
        }
    }

    @Test("--check-upstream over LDAP reads page 2, and says how the list ends")
    func directory() async throws {
        for (limit, size, pages, end) in [
            ("", "5", [5, 5], "the first page that names no next one"),
            ("", "50", [12], "page 1, which names no next one"), ("sizelimit 5", "5", nil, nil),
        ] as [(String, String, [Int]?, String?)] {
            let slapd = try await Slapd(DirectoryPeople.ldif(12), settings: limit)
            try await withSlapd(slapd) { slapd in
                try await onMachine { machine in
                    let address = "\(slapd.plain)/\(DirectoryPeople.base)??sub?(uid=*)"
                    let settings = machine.directory(address, ["users.page_size": size])
                    let checked = try await run(
                        Program.userd.path, ["--check-upstream"] + machine.arguments(settings),
                        environment: machine.environment)
                    let check = try decoded(UpstreamChecks.self, from: Array(checked.output.utf8)).upstreams[
                        0]
                    #expect(check.sample?.list?.pages == pages && check.sample?.list?.end == end)
                    #expect(check.sample?.records == pages?[0] ?? 5 && check.sample?.users.count == 3)
                    #expect(check.request == "search below \(DirectoryPeople.base) (sub) for (uid=*)")
                    // A sync meets the same failure.
                    try await machine.startUserd(settings)
                    let state = try await machine.sync(.users)
                    let failure = check.steps.last?.failure
                    #expect((checked.code == 1) == (pages == nil) && (failure == nil) == (pages != nil))
                    #expect(state.failure?.reason == failure?.reason, "\(checked.output)")
                }
            }
        }
    }

    @Test("On a terminal, --check-upstream ends with its result, after all that may be wrong with the list")
    func order() async throws {
        let body = #"""
            {"more": true, "items": [{"uid": 1, "who": "A"}, {"uid": 1, "who": "A"}, {"uid": 2},
            {"uid": 3, "who": "B", "gone": true}, {"who": "C"}]}
            """#
        let answer = { (body: String) in
            "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        let server = try RawServer(answer: answer(body))
        let failing = try RawServer(answer: answer(#"{"error": "Not today"}"#))
        try await onMachine { machine in
            func lines(_ server: RawServer) async throws -> [String] {
                try machine.writeConfiguration(
                    """
                    users:
                      format: json
                      url: "\(server.url("/people"))?key=s3cret"
                      records: /items
                      fields: {id: /uid, family: /who}
                      skip: {/gone: true}

                    """)
                let printed = try await run(
                    "/usr/bin/script", ["-qec", "'\(Program.userd.path)' --check-upstream", "/dev/null"],
                    environment: machine.environment)
                #expect(!printed.output.contains("s3cret"))
                return printed.output.replacingOccurrences(of: "\r", with: "").split(separator: "\n").map(
                    String.init)
            }
            let found = try await lines(server)
            let expected = [
                "  request: GET \(server.url("/people"))?key=REDACTED",
                "  The first users, as they would be cached:", "  The list: page 1 has 5 users",
                "  It ends with page 1, since users.paging asks for no other",
                "  Sign of more users: /more says that there is more", "  Users on page 1: 5",
                "  Warning: 1 of them share an id with another; see users.fields.id",
                "  Left out by a condition of skip: 1",
                "  Left out for want of a name or an address: 1",
                "  Warning: 1 of them can't be told apart: record 5: ",
                "  Result: a sync would succeed, but see the warnings above",
            ]
            let told = found.compactMap { line in expected.first(where: line.hasPrefix) }
            #expect(told == expected, "\(found.joined(separator: "\n"))")
            #expect(found.last == expected.last)
            #expect(try await lines(failing).last?.contains("Result: a sync would fail: ") == true)
        }
    }

    @Test(
        "userctl report includes the check's output on request, without people if without a recording"
    )
    func report() async throws {
        try await onMachine(users: 25) { machine in
            try Self.configure(machine, "/scim/v2/Users", "format: scim")
            for (arguments, users) in [
                (["--with-data"], nil), (["--check-upstream", "--with-data"], 3),
            ]
                as [([String], Int?)]
            {
                machine.upstream.forgetRequests()
                let finished = try await machine.userctl(["report", "-"] + arguments)
                #expect(finished.code == 0, "\(finished.errors)")
                let har = try #require(
                    try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any])
                let told = (har["log"] as? [String: Any])?["_userd"] as? [String: Any]
                let checks = (told?["upstreams"] as? [String: Any])?["upstreams"] as? [[String: Any]]
                let sample = checks?.first?["sample"] as? [String: Any]
                #expect((sample?["users"] as? [Any])?.count == users)
                #expect((sample?["list"] as? [String: Any])?["total"] as? Int == users.map { _ in 25 })
                #expect(machine.upstream.requests(for: "/scim/v2/Users") == (users == nil ? 0 : 3))
            }
        }
    }
}
