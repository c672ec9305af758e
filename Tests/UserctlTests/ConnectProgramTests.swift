import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

/// The real userctl on a terminal, beside a userd that answers as the test says.
@Suite("userctl connect on a terminal", .timeLimit(.hang))
struct ConnectProgramTests {
    private let home: TemporaryDirectory
    private let canary = "s3cret" + String(repeating: "x", count: 10_000)

    init() throws {
        home = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: Program.userctl.path, toPath: home.file("userctl"))
        let found = Discovered(
            directories: [ConnectTests.scim],
            complaints: [])
        let signIn = Discovered(directories: [ConnectTests.graph], complaints: [])
        var check = UpstreamCheck(
            setting: "users.url", address: "https://a.test", steps: [UpstreamStep(.answer, milliseconds: 1)])
        check.sample = UsersSample(records: 1, users: [anna])
        let expired = Discovered(directories: [], complaints: ["its certificate expired"])
        func json(_ value: some Encodable) throws -> String {
            "printf '%s' '" + String(decoding: try encoded(value), as: UTF8.self) + "'"
        }
        try writeScript(
            """
            { printf '%s\\n' "$@"; /usr/bin/env; } >> \(home.file("seen"))
            case $1 in
            --discover=graph.test) \(try json(signIn)) ;;
            --discover=expired.test:443) \(try json(expired)) ;;
            --discover=*) \(try json(found)) ;;
            --certificate=*) echo 'certificate: a.test, by R11' ;;
            --check-upstream) /bin/cat > \(home.file("input")); \(try json(UpstreamChecks(upstreams: [check]))) ;;
            esac
            """, to: home.file("userd"))
    }

    private var environment: [String: String] {
        ["HOME": home.file("home"), "PATH": home.path, "TERM": "dumb", "LANG": "C.UTF-8"]
    }

    private func text(_ name: String) -> String? {
        try? String(contentsOfFile: home.file(name), encoding: .utf8)
    }

    private func expectWritten() throws {
        #expect(text("home/.config/userd/users-token") == canary + "\n" && text("input") == canary)
        #expect(text("home/.config/userd/users-token.origin") == "https://a.test\n")
        #expect(text("home/.config/userd/config.yaml")?.contains("url: https://a.test/Users\n") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.file("home/.config")) == ["userd"])
        let seen = try #require(text("seen"))
        #expect(seen.contains("--secret-on-stdin") && !seen.contains("s3cret"))
    }

    /// Types each text once the terminal shows what is before it.
    private func typing(
        _ steps: KeyValuePairs<String, String>, _ command: String, socket: String = "/none"
    ) async throws -> String {
        let keys = home.file("keys")
        try #require(mkfifo(keys, 0o600) == 0)
        let process = try ChildProcess(
            "/bin/sh", ["-c", "exec /usr/bin/script -qefc '\(command)' /dev/null <\(keys)"],
            environment: environment.merging(["USERD_SOCKET": socket]) { $1 })
        let typing = try await onThread { try FileHandle(forWritingTo: URL(filePath: keys)) }
        var shown = 0
        for (question, answer) in steps {
            let before = shown
            try await wait {
                process.text(.output).dropFirst(before).contains(question) || process.hasEnded
            }
            shown = process.text(.output).count
            try #require(!process.hasEnded, "\(process.text(.output))")
            try await onThread { try typing.write(contentsOf: Array(answer.utf8)) }
        }
        try await process.ended()
        try typing.close()
        return process.text(.output)
    }

    @Test("A token that is pasted is shown nowhere, and the lines after it answer no question")
    func paste() async throws {
        let shown = try await typing(
            [
                "path of a file": "/none/such\r", "path of a file": canary + "\ry\ry\r",
                "write these lines to": "x\r", "please answer y or n": "y\r",
            ], home.file("userctl") + " connect a.test")
        #expect(shown.contains("Token for https://a.test (certificate: a.test, by R11)\r\n"), "\(shown)")
        #expect(shown.contains("userctl: there is no file /none/such\r\n") && !shown.contains("s3cret"))
        // Neither a userd nor a service manager is there.
        #expect(shown.contains("systemctl is not installed"), "\(shown)")
        try expectWritten()
    }

    @Test("Ctrl-C at a question for a secret restores the terminal, and n at one ends with a sentence and 1")
    func endings() async throws {
        let userctl = home.file("userctl")
        let shown = try await typing(
            [
                "path of a file": "s3cr\u{3}", "icanon": "", "path of a file": "abc\r",
                "write these lines to": "n\r",
            ],
            "trap : INT; \(userctl) connect a.test; /bin/stty -a; \(userctl) connect a.test; echo code $?")
        #expect(shown.contains(" icanon") && shown.contains(" echo ") && !shown.contains("s3cr"), "\(shown)")
        #expect(shown.contains("userctl: nothing was written\r\ncode 1\r\n"), "\(shown)")
        #expect(text("home/.config/userd/config.yaml") == nil)
    }

    @Test("What an address says of itself is all that is said")
    func addressFails() async throws {
        let ended = try await TestSupport.run(
            home.file("userctl"), ["connect", "expired.test:443"], environment: environment)
        #expect(ended.code == 1)
        #expect(ended.errors.split(separator: "\n").dropFirst() == ["userctl: its certificate expired"])
    }

    @Test("If nobody signs in, or ends it, config.yaml is as it was", arguments: [true, false])
    func signIn(isInterrupted: Bool) async throws {
        let url = ConnectTests.graph.settings[1].value
        let state = DaemonState(
            states: [], paused: false, version: "1", startedAt: noon,
            account: Account(signedIn: false, provider: "https://idp.test"))
        let userd = try StubDaemon([
            "GetSettings": .reply(
                #"{"settings":[{"name":"users.url","value":"\#(url)","origin":"here"}]}"#),
            "GetState": .reply(String(decoding: try encoded(state), as: UTF8.self)),
            "SignIn": isInterrupted
                ? .init(
                    messages: [#"{"parameters":{"address":"https://idp.test/a"},"continues":true}"#],
                    then: .goOn)
                : .error(
                    "io.userd.UpstreamFailed",
                    #"{"failure":{"kind":"credentials","message":"you said no","retryable":false,"attempts":1}}"#
                ),
        ])
        let units = ["userd.socket", "userd.service"].map {
            "Id=\($0)\\nLoadState=loaded\\nActiveState=active\\nUnitFileState=enabled\\n"
        }
        try writeScript("printf '\(units.joined(separator: "\\n"))'", to: home.file("systemctl"))
        let steps: KeyValuePairs = ["the client id": "id\r", "write these lines to": "y\r"]
        let interrupted: KeyValuePairs = [
            "the client id": "id\r", "write these lines to": "y\r", "https://idp.test/a": "\u{3}",
        ]
        let shown = try await typing(
            isInterrupted ? interrupted : steps, home.file("userctl") + " connect graph.test",
            socket: userd.path)
        let path = home.file("home/.config/userd/config.yaml")
        let lines = shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            lines.contains("wrote \(path)") && lines.contains("nobody signed in: \(path) is as it was"),
            "\(shown)")
        #expect(isInterrupted || shown.contains("you said no"))
        #expect(text("home/.config/userd/config.yaml") == nil)
    }

    @Test("--with-token needs no terminal")
    func input() async throws {
        func connect(_ name: String) async throws -> Finished {
            try await run(
                "/bin/sh",
                ["-c", "printf '%s\\n' \(canary) | \(home.file("userctl")) connect \(name) --with-token"],
                environment: environment)
        }
        let ended = try await connect("a.test")
        #expect(ended.code == 69 && ended.errors.contains("systemctl is not installed"), "\(ended)")
        #expect(!(ended.output + ended.errors).contains("s3cret"))
        try expectWritten()
        let unnamed = try await run(home.file("userctl"), ["connect"], environment: ["HOME": home.path])
        #expect(unnamed.code == 64 && unnamed.errors.contains("`userctl connect example.org`"), "\(unnamed)")
    }
}
