import DemoUpstream
import Foundation
import Glibc
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI

@Suite("The examples of Directories.md", .timeLimit(.hang))
struct ExampleTests {
    /// The blocks that begin with the name of an API, by that name.
    private static func examples() throws -> [String: String] {
        let blocks = try Document("Sources/Daemon/userd/userd.docc/Directories.md").blocks("yaml")
        return Dictionary(
            blocks.compactMap { block in
                block.firstMatch(of: /^users: *# (\w+): .*/).map { (String($0.1), block) }
            }
        ) { $1 }
    }

    @Test("Each example of Directories.md has an answer to try it on")
    func complete() throws {
        #expect(try Set(Self.examples().keys) == Set(ExampleAnswers.all.map(\.name)))
    }

    @Test(
        "Each example of Directories.md connects userd to its API once the address and secrets are filled in",
        arguments: ExampleAnswers.all)
    func users(_ answers: ExampleAnswers) async throws {
        let example = try #require(try Self.examples()[answers.name])
        try await onMachine { machine in
            let api = try StandIn(answers)
            var lines = example.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            lines[0] = "users:\n  url: \(api.server.url("/users"))"
            let secrets = machine.file("config/userd")
            let yaml = lines.joined(separator: "\n").replacing("~/.config/userd", with: secrets)
                .replacing("https://api.personio.de", with: api.server.url("").absoluteString)
            try machine.writeConfiguration(yaml)
            let password = answers.name == "BambooHR" ? "KEY:x" : "secret"
            for (name, secret) in [
                ("users-password", password), ("users-client-secret", "secret"), ("jumpcloud", "secret"),
                ("redmine", "secret"),
            ] {
                try Data((secret + "\n").utf8).write(to: URL(filePath: "\(secrets)/\(name)"))
                chmod("\(secrets)/\(name)", 0o600)
            }
            _ = try await machine.startUserd(arguments: ["--paused"])
            let state = try await machine.sync(.users)
            #expect(state.failure == nil)
            #expect(try await machine.users().map(\.line).sorted() == answers.users.sorted())
            for (request, parts) in zip(api.requests, answers.asked) {
                for part in parts { #expect(request.contains(part), "\(request)") }
            }
            #expect(api.requests.count >= answers.asked.count)
        }
    }
}

/// An API on loopback, and its token endpoint.
private struct StandIn {
    let server: RawServer
    private let seen: Seen

    private final class Seen: Sendable {
        let requests = Mutex<[String]>([])
        let answered = Mutex(0)
    }

    /// Each request's head and body.
    var requests: [String] { seen.requests.withLock { $0 } }

    init(_ answers: ExampleAnswers) throws {
        let seen = Seen()
        self.seen = seen
        server = try RawServer { connection in
            let (head, body) = connection.readRequest()
            seen.requests.withLock { $0.append(head + body) }
            let host = head.firstMatch(of: /(?i)host: *(\S+)/).map { String($0.1) } ?? ""
            var (answer, link) = (#"{"access_token": "t", "token_type": "Bearer", "expires_in": 3600}"#, "")
            if !head.contains("/token ") {
                let number = seen.answered.withLock { count in
                    count += 1
                    return count
                }
                answer = answers.bodies[min(number, answers.bodies.count) - 1]
                link = number == 1 && !answers.link.isEmpty ? "Link: \(answers.link)\r\n" : ""
            }
            (answer, link) = (
                answer.replacing("SELF", with: "http://\(host)"),
                link.replacing("SELF", with: "http://\(host)")
            )
            let status = answer.hasPrefix("{\"detail\"") ? "404 Not Found" : "200 OK"
            connection.send(
                """
                HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(link)Content-Length: \(answer.utf8.count)\r\n\
                Connection: close\r\n\r\n\(answer)
                """)
        }
    }
}

extension User {
    fileprivate var line: String {
        [
            id, username, name.first, name.last, email, phone, cell, jobTitle, department,
            manager.flatMap { $0.name ?? $0.id },
        ].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
