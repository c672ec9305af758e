import DemoUpstream
import Foundation
import Glibc
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI

@Suite("Headers, passwords and bodies of requests for users", .timeLimit(.hang))
struct RequestSettingsTests {
    /// Six people in pages of two, for POST requests with the key and the password; other requests get a copy
    /// of what they sent.
    private static func server() throws -> RawServer {
        try RawServer { connection in
            let (head, body) = connection.readRequest()
            func answer(_ status: String, _ body: String) {
                connection.send(
                    """
                    HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\
                    Connection: close\r\n\r\n\(body)
                    """)
            }
            let basic = Data("ann@example.org/token:canary-passw0rd".utf8).base64EncodedString()
            let lines = head.components(separatedBy: "\r\n")
            let wanted = [
                "X-Api-Key: canary-k3y", "X-Team: canary-t3am", "Authorization: Basic \(basic)",
                "Content-Type: application/json",
            ]
            let isRight =
                head.hasPrefix("POST /people ") && wanted.allSatisfy(lines.contains)
                && body.contains(#""secret":"canary-b0dy""#)
            guard isRight else {
                let sent = lines.filter { $0.hasPrefix("X-") || $0.hasPrefix("Auth") }
                let told = (sent.joined(separator: " ") + body).filter { $0 != "\"" }
                return answer("403 No", #"{"error": "not with \#(told)"}"#)
            }
            let start = body.firstMatch(of: /"offset":([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
            let people = (start..<max(start, min(start + 2, 6))).map { #"{"uid": \#($0), "who": "P\#($0)"}"# }
            answer("200 OK", #"{"all": 6, "items": [\#(people.joined(separator: ", "))]}"#)
        }
    }

    private static func configuration(_ server: RawServer, _ machine: Machine, secret: String = "canary-b0dy")
        -> String
    {
        """
        users:
          format: json
          url: \(server.url("/people").absoluteString)
          page_size: 2
          basic: {user: ann@example.org/token, password_file: \(machine.file("password"))}
          headers:
            X-Team: canary-t3am
            X-Api-Key: {file: \(machine.file("key"))}
          body:
            page: {offset: 0}
            secret: \(secret)
          records: /items
          fields: {id: /uid, family: /who}
          paging: {style: offset, param: /page/offset, size: /page/limit, total: /all}

        """
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
    }

    @Test(
        "A list by POST with headers and a password syncs and replays, and shows no secret"
    )
    func secrets() async throws {
        try await onMachine { machine in
            let server = try Self.server()
            try Self.write("canary-passw0rd\n", to: machine.file("password"))
            try Self.write("canary-k3y\n", to: machine.file("key"))
            try machine.writeConfiguration(Self.configuration(server, machine))
            let recordings = [machine.file("a.har"), machine.file("raw.har")]
            var logs: [String] = []
            for (file, more) in zip(recordings, [[], ["--record-raw"]]) {
                let userd = try await machine.startUserd(
                    arguments: ["--paused", "--log-level", "trace", "--record", file] + more)
                let state = try await machine.sync(.users)
                #expect((state.phase, state.count) == (.loaded, 6), "\(String(describing: state.failure))")
                let settings = try await machine.call(.getSettings, NoParameters()).settings
                logs += settings.compactMap(\.value)
                logs.append(try await machine.userctl(["report", "-", "--with-data"]).output)

                // A refusal repeats what userd sent.
                try Self.write("canary-old-k3y\n", to: machine.file("key"))
                let failure = try #require(try await machine.sync(.users).failure)
                #expect(
                    failure.httpStatus == 403 && failure.message.contains("X-Api-Key: REDACTED"), "\(failure)"
                )
                logs.append("\(failure)")
                try Self.write("canary-k3y\n", to: machine.file("key"))
                try await userd.reload("Settings read again")
                #expect(try await machine.sync(.users).phase == .loaded)
                userd.send(SIGTERM)
                #expect(try await userd.ended() == .exited(0))
                logs += [userd.text(.errors), try String(contentsOfFile: file, encoding: .utf8)]
            }
            logs.append(
                try await run(Program.userd.path, ["--print-config"], environment: machine.environment).output
            )
            logs.append(
                try await run(Program.userd.path, ["--check-config"], environment: machine.environment).output
            )
            for text in logs {
                #expect(
                    !text.contains("canary"),
                    "\(text.firstRange(of: "canary").map { text[$0.lowerBound...].prefix(40) } ?? "")")
                #expect(!text.contains(Data("canary-passw0rd".utf8).base64EncodedString().prefix(16)))
            }
            let check = try await run(
                Program.userd.path, ["--check-upstream"], environment: machine.environment)
            #expect(check.code == 0 && check.output.contains("\"answered 200\""))

            let asked = server.requests.count
            let replayed = try await machine.startUserd(arguments: ["--paused", "--replay", recordings[0]])
            #expect(try await machine.sync(.users).count == 6)
            replayed.send(SIGTERM)
            _ = try await replayed.ended()
            #expect(server.requests.count == asked)
        }
    }

    @Test("Headers and passwords are read from their files again, and a reload logs which changed")
    func reload() async throws {
        try await onMachine { machine in
            let server = try Self.server()
            try Self.write("canary-passw0rd\n", to: machine.file("password"))
            try Self.write("canary-0ld\n", to: machine.file("key"))
            try machine.writeConfiguration(Self.configuration(server, machine))
            let userd = try await machine.startUserd(arguments: ["--paused"])
            #expect(try await machine.sync(.users).failure?.httpStatus == 403)
            try Self.write("canary-k3y\n", to: machine.file("key"))
            #expect(try await machine.sync(.users).phase == .loaded)
            try await userd.reload("Settings read again")
            #expect(userd.text(.errors).contains("changed=the content of users.headers"))
            try FileManager.default.removeItem(atPath: machine.file("key"))
            let failure = try #require(try await machine.sync(.users).failure)
            #expect(failure.kind == .credentials)
            #expect(
                failure.message.contains(
                    "there is no X-Api-Key for users.url: users.headers: there is no file"))
            try machine.writeConfiguration(Self.configuration(server, machine, secret: "other"))
            try await userd.reload("Settings read again")
            #expect(userd.text(.errors).contains("changed=users.body"))
        }
    }

    @Test("A list by POST is requested again after a failed page")
    func retried() async throws {
        try await onMachine(users: 25) { machine in
            try machine.writeConfiguration(
                """
                retry: {base: 1ms}
                users:
                  format: json
                  url: \(machine.upstream.url("/directory/number"))
                  body: {per_page: 10}
                  fields: {id: /no, given: /person/names/called}
                  paging: {style: number, param: /page, size: /per_page}

                """)
            try await machine.upstream.setFaults([
                Fault(.status(503), path: "/directory", times: 1, after: 1)
            ])
            _ = try await machine.startUserd(arguments: ["--paused"])
            #expect(try await machine.sync(.users).count == 25)
            let asked = machine.upstream.recentRequests.filter { $0.path == "/directory/number" }
            #expect(
                asked.map { $0.headers["content-type"] } == Array(repeating: "application/json", count: 5))
        }
    }

    @Test("A password file may contain name and password, for APIs whose key is the name")
    func keyAsName() async throws {
        try await onMachine { machine in
            let server = try RawServer { connection in
                let head = connection.readHead()
                let pair = Data("canary-k3y:x".utf8).base64EncodedString()
                let body =
                    head.contains("\r\nAuthorization: Basic \(pair)\r\n")
                    ? #"[{"id": 1, "username": "a"}]"# : #"{"error": "who is canary-k3y?"}"#
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                )
            }
            try Self.write("canary-k3y:x\n", to: machine.file("password"))
            try machine.writeConfiguration(
                """
                users:
                  format: json
                  url: \(server.url("/employees").absoluteString)
                  basic: {password_file: \(machine.file("password"))}
                  fields: {id: /id, username: /username}

                """)
            _ = try await machine.startUserd(arguments: ["--paused"])
            #expect(try await machine.sync(.users).count == 1)
            try Self.write("canary-k3y:y\n", to: machine.file("password"))
            let refused = try #require(try await machine.sync(.users).failure)
            #expect(refused.message.contains("who is REDACTED?"), "\(refused)")
            try Self.write("canary-k3y\n", to: machine.file("password"))
            let failure = try #require(try await machine.sync(.users).failure)
            #expect(failure.kind == .credentials && failure.message.contains("has no colon"))
            #expect(!failure.message.contains("canary"))
        }
    }
}
