import Foundation
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Recordings of pages", .timeLimit(.hang))
struct PagingRecordingTests {
    /// Six people in pages of two, for requests with the key. URLs of next pages repeat the whole query.
    private static func server() throws -> RawServer {
        try RawServer { connection in
            let head = connection.readHead()
            let target = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let query = Dictionary(
                (URLComponents(string: target)?.queryItems ?? []).map { ($0.name, $0.value ?? "") },
                uniquingKeysWith: { $1 })
            func answer(_ status: String, _ headers: String, _ body: String) {
                connection.send(
                    """
                    HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\
                    Connection: close\r\n\r\n\(body)
                    """)
            }
            guard query["api_key"] == "canary-k3y" else { return answer("403 No", "", "{}") }
            let start =
                query["start"].flatMap(Int.init) ?? query["page"].flatMap(Int.init).map { $0 * 2 - 2 }
                ?? query["after"].flatMap { Int($0.dropFirst("token".count)) } ?? 0
            let people = (start..<max(start, min(start + 2, 6))).map { #"{"uid": \#($0), "who": "P\#($0)"}"# }
            let cursor = start + 2 < 6 ? "token\(start + 2)" : nil
            let next = cursor.map { "/people?api_key=canary-k3y&team=a&size=2&after=\($0)" }
            func json(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
            answer(
                "200 OK", next.map { "Link: <\($0)>; rel=\"next\", </x?canary>; rel=\"last\"\r\n" } ?? "",
                #"{"all": 6, "items": [\#(people.joined(separator: ", "))], "cursor": \#(json(cursor)), "next": \#(json(next))}"#
            )
        }
    }

    private static func transitions(_ machine: Machine) async throws -> [String] {
        try await machine.call(.history, History(resource: .users, limit: 100)).states.map {
            "\($0.phase) \($0.cause) \($0.count) \($0.failure?.message ?? "")"
        }
    }

    @Test(
        "A recording of each paging style contains no key, and replays to the same users and transitions",
        arguments: [
            "{style: number, param: page, size: size, total: /all}",
            "{style: offset, param: start, size: size, total: /all}",
            "{style: cursor, param: after, size: size, from: /cursor}",
            "{style: url, size: size, from: /next}", "{style: link, size: size}",
        ])
    func styles(paging: String) async throws {
        try await onMachine { machine in
            let server = try Self.server()
            try machine.writeConfiguration(
                """
                users:
                  format: json
                  url: \(server.url("/people").absoluteString)
                  query: api_key=canary-k3y&team=a
                  page_size: 2
                  records: /items
                  fields: {id: /uid, family: /who}
                  paging: \(paging)

                """)
            let file = machine.file("a.har")
            let userd = try await machine.startUserd(arguments: ["--paused", "--record", file])
            #expect(try await machine.sync(.users).count == 6)
            let recorded = (
                users: try await machine.users(), transitions: try await Self.transitions(machine)
            )
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            for file in try FileManager.default.contentsOfDirectory(atPath: machine.cacheDirectory) {
                let data = try Data(contentsOf: URL(filePath: "\(machine.cacheDirectory)/\(file)"))
                #expect(data.range(of: Data("canary".utf8)) == nil, "\(file)")
            }
            let har = try String(contentsOfFile: file, encoding: .utf8)
            #expect(!har.contains("canary"))
            #expect(har.contains("size=2") && har.contains("api_key=REDACTED"))
            #expect(server.requests.count >= 3)

            let asked = server.requests.count
            let replayed = try await machine.startUserd(arguments: ["--paused", "--replay", file])
            #expect(try await machine.sync(.users).count == 6)
            #expect(try await machine.users() == recorded.users)
            #expect(try await Self.transitions(machine) == recorded.transitions)
            replayed.send(SIGTERM)
            try await replayed.line(containing: "The whole recording was used")
            #expect(try await replayed.ended() == .exited(0))
            #expect(server.requests.count == asked)
        }
    }
}
