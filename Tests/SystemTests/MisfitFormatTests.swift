import DemoUpstream
import Foundation
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Formats that do not fit the answer", .timeLimit(.hang))
struct MisfitFormatTests {
    private static func server(_ body: String) throws -> RawServer {
        try RawServer(
            answer: """
                HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\
                Connection: close\r\n\r\n\(body)
                """)
    }

    @Test("users.query adds to the format's query, and replaces parameters of the same names")
    func query() async throws {
        try await onMachine { machine in
            let server = try Self.server(#"{"value": [{"id": "1", "displayName": "A"}]}"#)
            for (query, has, hasNot) in [
                ("$expand=manager", "accountEnabled", "canary"),
                ("$select=id,mail", "$select=id,mail", "accountEnabled"),
            ] {
                try machine.writeConfiguration(
                    "users: {format: graph, url: \"\(server.url("/users"))\", query: '\(query)'}\n")
                let userd = try await machine.startUserd(arguments: ["--paused"])
                #expect(try await machine.sync(.users).phase == .loaded)
                userd.send(SIGTERM)
                _ = try await userd.ended()
                let asked = try #require(server.requests.last)
                #expect(asked.contains(query) && asked.contains(has) && !asked.contains(hasNot), "\(asked)")
            }
        }
    }

    @Test("userd warns of a directory without users.format, and names the format of the answer")
    func forgotten() async throws {
        try await onMachine { machine in
            let server = try Self.server(
                #"{"schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], "Resources": [], "totalResults": 0}"#
            )
            try machine.writeConfiguration("users: {url: \"\(server.url("/scim/v2/Users"))\"}\n")
            let userd = try await machine.startUserd(arguments: ["--paused"])
            #expect(
                try await machine.sync(.users).failure?.message.contains(
                    "it looks like scim: set users.format to that") == true)
            #expect(userd.text(.errors).contains("users.format is not set"))
        }
    }

    @Test("A check with wrong pointers fails, and says why all users are left out")
    func pointers() async throws {
        try await onMachine { machine in
            let server = try Self.server(#"[{"uid": 1, "who": "A", "gone": true}, {"uid": 2, "who": "B"}]"#)
            func check(_ fields: String) async throws -> (code: Int32?, failure: Failure?) {
                try machine.writeConfiguration(
                    """
                    users: {format: json, url: "\(server.url("/people"))", fields: \(fields), skip: {/gone: true}}
                    facts: {url: "\(machine.upstream.url("/facts"))", one_url: ""}

                    """)
                let checked = try await run(
                    Program.userd.path, ["--check-upstream"], environment: machine.environment)
                let checks = try decoded(UpstreamChecks.self, from: Array(checked.output.utf8))
                return (checked.code, checks.upstreams.first?.steps.last?.failure)
            }
            let wrong = try await check("{id: /uid, family: /name, email: /mail}")
            #expect(wrong.code == 1)
            #expect(
                wrong.failure?.message
                    == "all 2 users on the page are left out: no pointer finds a name or an address; see users.fields"
            )
            #expect(try await check("{id: /uid, family: /who}").code == 0)
        }
    }

    @Test("A check distinguishes unreadable fields from missing ones")
    func unreadable() async throws {
        try await onMachine { machine in
            let server = try Self.server(
                #"[{"uid": 1, "who": "A", "born": "in May"}, {"uid": 2, "who": "B", "born": "1990-05-01"}]"#)
            try machine.writeConfiguration(
                """
                users:
                  format: json
                  url: "\(server.url("/people"))"
                  fields: {id: /uid, family: /who, born_at: /born, city: /town}

                """)
            let printed = try await run(
                "/usr/bin/script", ["-qec", "'\(Program.userd.path)' --check-upstream", "/dev/null"],
                environment: machine.environment)
            let lines = printed.output.replacingOccurrences(of: "\r", with: "").split(separator: "\n")
            for line in ["  born_at  /born    1 of 2, 1 can't be read", "  city     /town    0 of 2"] {
                #expect(lines.contains(line[...]), "\(printed.output)")
            }
        }
    }
}
