import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("A directory described by settings", .timeLimit(.hang))
struct DirectorySettingsTests {
    /// 25 people in pages of ten at `/people`, and two facts at `/quotes`.
    private static func server() throws -> RawServer {
        try RawServer { connection in
            let path = connection.readHead().split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let url = URLComponents(string: path)
            let query = Dictionary(
                (url?.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
            var body = #"{"data": [{"quote": "Cats purr."}, {"quote": "Cats sleep.", "shoe": 1}]}"#
            if url?.path == "/people" {
                let start = query["start"].flatMap(Int.init) ?? 0
                let end = min(25, start + (query["count"].flatMap(Int.init) ?? 10))
                let people = (min(start, end)..<end).map {
                    #"{"uid": \#($0), "who": {"last": "P\#($0)"}, "mail": "p\#($0)@x", "shoe": 42, "password": "canary"}"#
                }
                body = #"{"all": 25, "items": [\#(people.joined(separator: ", "))]}"#
            }
            connection.send(
                """
                HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\
                Connection: close\r\n\r\n\(body)
                """)
        }
    }

    private static func configuration(_ server: RawServer, _ more: String = "") -> String {
        """
        users:
          format: json
          url: \(server.url("/people").absoluteString)
          page_size: 10
          records: /items
          fields:
            id: /uid
            family: /who/last
            email: /mail
            username: /login
          paging: {style: offset, param: start, size: count, total: /all}
        \(more.isEmpty ? "" : more + "\n")facts:
          format: json
          url: \(server.url("/quotes").absoluteString)
          records: /data
          fields: {text: /quote}

        """
    }

    @Test("Ten lines of YAML connect a directory and facts; one more fact needs facts.one_url")
    func json() async throws {
        try await onMachine { machine in
            let server = try Self.server()
            try machine.writeConfiguration(Self.configuration(server))
            _ = try await machine.startUserd(arguments: ["--paused"])
            #expect(try await machine.sync(.users).count == 25)
            #expect(try await machine.sync(.facts).count == 2)
            #expect(try await machine.users().first { $0.id == "7" }?.email == "p7@x")
            let status = try await machine.userctl(["status"])
            #expect(status.output.contains("Cached  25 users\n"))
            let one = try await machine.userctl(["fact", "--new"])
            #expect(one.code != 0)
            #expect(one.errors.contains("no address of a single fact is set; set facts.one_url"))
        }
    }

    @Test("README's example of any other API works as it is written")
    func readme() async throws {
        let root = #filePath.prefix(#filePath.count - "Tests/SystemTests/DirectorySettingsTests.swift".count)
        let readme = try String(contentsOfFile: root + "README.md", encoding: .utf8)
        let example = try #require(
            readme.components(separatedBy: "```yaml\n").map { $0.components(separatedBy: "```")[0] }
                .first { $0.contains("format: json\n") })
        let server = try RawServer { connection in
            let isSecond = connection.readHead().contains("page=2")
            let body =
                isSecond
                ? #"[{"nr": 19, "person": {"first": "Di"}, "contact": [{"kind": "home", "address": "d@x"}]}]"#
                : #"""
                [{"nr": 17, "person": {"first": "Ann", "last": "Lee"}, "contact": [{"kind": "home", "address": "h@x"},
                {"kind": "work", "address": "ann@x"}], "left": false}, {"nr": 18, "person": {"first": "Bo"}, "left": true}]
                """#
            let link = isSecond ? "" : "Link: </staff?page=2>; rel=\"next\"\r\n"
            connection.send(
                """
                HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\(link)\
                Connection: close\r\n\r\n\(body)
                """)
        }
        try await onMachine { machine in
            try machine.writeConfiguration(
                example.replacingOccurrences(
                    of: "https://hr.example.org/staff", with: server.url("/staff").absoluteString))
            _ = try await machine.startUserd(arguments: ["--paused"])
            #expect(try await machine.sync(.users).phase == .loaded)
            let users = try await machine.users().sorted { $0.id < $1.id }
            #expect(users.map(\.id) == ["17", "19"])
            #expect(users.map(\.email) == ["ann@x", "d@x"])
            #expect(users.first?.name == User.Name(first: "Ann", last: "Lee"))
            #expect(server.requests.first?.contains("GET /staff?per_page=100") == true)
        }
    }

    @Test("A SCIM directory needs only a format and an address")
    func scim() async throws {
        try await onMachine(users: 130) { machine in
            try machine.writeConfiguration(
                "users: {format: scim, url: \"\(machine.upstream.url("/scim/v2/Users"))\"}\n")
            _ = try await machine.startUserd(arguments: ["--paused"])
            let state = try await machine.sync(.users)
            #expect(state.phase == .loaded)
            #expect(state.count > 100)
            #expect(try await machine.users().contains { $0.department != nil })
        }
    }

    @Test(
        "--check-upstream shows three users, how often each field is found, unused members and the list's end"
    )
    func checkUpstream() async throws {
        try await onMachine { machine in
            let server = try Self.server()
            try machine.writeConfiguration(Self.configuration(server))
            func sample() async throws -> UsersSample {
                let checked = try await run(
                    Program.userd.path, ["--check-upstream"], environment: machine.environment)
                #expect(!checked.output.contains("canary"))
                let checks = try decoded(UpstreamChecks.self, from: Array(checked.output.utf8))
                return try #require(checks.upstreams.first?.sample)
            }
            let good = try await sample()
            #expect(good.records == 10)
            #expect(good.users.map(\.id) == ["0", "1", "2"])
            #expect(good.users.first?.name.last == "P0")
            #expect(
                good.fields.map { "\($0.name) \($0.pointer) \($0.found)" } == [
                    "id /uid 10", "username /login 0", "family /who/last 10", "email /mail 10",
                ])
            #expect(good.unread == ["/shoe", "/password"])
            #expect(good.list?.pages == [10, 10] && good.list?.total == 25)
            #expect(good.list?.after == "Page 4, after the last, is empty")
            #expect(server.requests.filter { $0.hasPrefix("GET /people") }.count == 3)

            // script(1) provides a terminal.
            let table = try await run(
                "/usr/bin/script", ["-qec", "'\(Program.userd.path)' --check-upstream", "/dev/null"],
                environment: machine.environment)
            let lines = table.output.replacingOccurrences(of: "\r", with: "").split(separator: "\n")
            for line in [
                "  field     pointer    found", "  username  /login     0 of 10", "    \"id\" : \"2\",",
                "  Not used by any field:", "    /shoe",
                "  The list: page 1 has 10 users, page 2 has 10 users; upstream says that it has 25",
                "  It ends with the page that reaches the total that upstream says",
                "  Page 4, after the last, is empty",
            ] { #expect(lines.contains(line[...]), "\(table.output)") }

            try machine.writeConfiguration(
                Self.configuration(server).replacingOccurrences(of: "/uid", with: "/id"))
            let bad = try await sample()
            #expect(bad.users == [])
            #expect(bad.unread == ["/uid", "/shoe", "/password"])
        }
    }

    @Test("GetSettings gives the settings in force with their origins, also after a reload, and no secret")
    func inForce() async throws {
        try await onMachine { machine in
            let server = try Self.server()
            try machine.writeConfiguration(Self.configuration(server, "  query: key=canary\n  pages: 2"))
            let userd = try await machine.startUserd(arguments: ["--paused"])
            func setting(_ name: String) async throws -> SettingValue {
                let all = try await machine.call(.getSettings, NoParameters()).settings
                #expect(!all.contains { $0.value?.contains("canary") == true })
                return try #require(all.first { $0.name == name })
            }
            #expect(
                try await setting("users.page_size")
                    == SettingValue(
                        name: "users.page_size", value: "10", origin: "file \(machine.configuration):4"))
            #expect(try await setting("users.query").value == "key=REDACTED")
            #expect(
                try await setting("users.fields").value
                    == "{id: /uid, family: /who/last, email: /mail, username: /login}")
            #expect(try await setting("users.skip").value == nil)
            #expect(try await setting("paused").origin == "command line")

            _ = try await machine.sync(.users)
            try await userd.line(containing: "The last page was full and the settings ask for no more")
            let status = try await machine.userctl(["status"])
            #expect(
                status.output.contains(
                    "20 users, as many as users.pages × users.page_size ask for; upstream may have more"))
            let json = try await machine.userctl(["status", "--output", "json"])
            #expect(!json.output.contains("as many as"))

            try machine.writeConfiguration("socket: /elsewhere\n" + Self.configuration(server))
            try await userd.reload("Settings read again")
            #expect(try await setting("users.pages").value == "")
            #expect(try await setting("users.page_size").origin == "file \(machine.configuration):5")
            #expect(try await setting("socket").value == machine.socket)
        }
    }

    @Test("A reload without the configuration file that was there keeps the settings")
    func vanished() async throws {
        try await onMachine { machine in
            let server = try Self.server()
            try machine.writeConfiguration(Self.configuration(server))
            let userd = try await machine.startUserd(arguments: ["--paused"])
            #expect(try await machine.sync(.users).count == 25)
            try FileManager.default.removeItem(atPath: machine.configuration)
            try await userd.reload("Settings stay as they were")
            #expect(userd.text(.errors).contains("the file \(machine.configuration) is gone"))
            #expect(try await machine.sync(.users).count == 25)
            try machine.writeConfiguration(Self.configuration(server, "  pages: 1"))
            try await userd.reload("Settings read again")
            #expect(userd.text(.errors).contains("changed=users.pages"))
        }
    }

    @Test("doctor checks the settings of the running userd, and names the wrong one")
    func doctor() async throws {
        try await onMachine { machine in
            let server = try Self.server()
            let elsewhere = machine.file("elsewhere.yaml")
            try Data(Self.configuration(server).utf8).write(to: URL(filePath: elsewhere))
            let userd = try await machine.startUserd(arguments: ["--config", elsewhere, "--paused"])
            #expect(try await machine.sync(.users).count == 25)
            _ = try await machine.sync(.facts)
            // A file of this shell, which the running userd does not use.
            try machine.writeConfiguration("users: {url: \"http://userd.invalid/\"}\n")
            let well = try await machine.doctor()
            #expect(!well.failed.contains { $0.hasPrefix("upstream") }, "\(well.failed)")
            #expect(
                well["upstream.users.url.answer"]?.found.contains(server.url("/people").absoluteString)
                    == true)
            #expect(well["daemon.stand-in"]?.status == "ok")
            let fields = try #require(well["upstream.users.fields"])
            #expect(fields.status == "warning")
            #expect(fields.found == "username: /login finds nothing in 10 users")
            #expect(fields.advice.joined().contains("/shoe"))

            let wrong = Self.configuration(server).replacingOccurrences(of: "/items", with: "/data")
            try Data(wrong.utf8).write(to: URL(filePath: elsewhere))
            try await userd.reload("Settings read again")
            #expect(try await machine.sync(.users).phase == .error)
            let ill = try await machine.doctor(["--offline"])
            let sync = try #require(ill["sync.users"])
            #expect(sync.found.contains("no list at \"/data\"; there is a list at /items"))
            #expect(sync.advice.contains("users.records is /data (file \(elsewhere):5)"))
        }
    }
}
