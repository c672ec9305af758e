import Foundation
import Model
import StrictJSON
import TestSupport
import Testing
import UserdAPI

/// Tests commands on a terminal while userd waits for a directory.
@Suite(.timeLimit(.hang)) struct WithoutDirectoryTests {
    private static let words = "not connected: `userctl connect example.org`"

    /// - Parameter answers: the lines that a person types.
    private func onTerminal(_ command: String, answers: String = "") async throws -> Finished {
        let daemon = try StubDaemon([
            "GetState": .reply(
                String(
                    decoding: try encoded(
                        DaemonState(
                            states: [state(.users, .initial)], paused: true, version: version,
                            startedAt: noon, pauseCause: DaemonState.noDirectory)), as: UTF8.self)),
            "GetSettings": .reply(
                #"{"settings":[{"name":"users.url","value":"https://idp.example.org","origin":"file /a:1"}]}"#
            ),
        ])
        let programs = try FakePrograms([
            "systemctl": """
            for name; do
                case $name in userd.*)
                    printf 'Id=%s\\nLoadState=loaded\\nActiveState=active\\nUnitFileState=enabled\\n\\n' "$name" ;;
                esac
            done
            """
        ])
        let home = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: home.file(".config/userd"), withIntermediateDirectories: true)
        try Data("users: {format: scim, url: \"https://idp.example.org\"}\n".utf8)
            .write(to: URL(filePath: home.file(".config/userd/config.yaml")))
        return try await run(
            "/bin/sh",
            [
                "-c",
                #"""
                mkfifo "$3" && exec 3<>"$3" && printf '%s\n' "$1" >&3
                exec script -qec "stty -onlcr cols 200 rows 40; PATH=$2 exec $0" /dev/null <&3
                """#,
                "\(Program.userctl.path) \(command)", answers, programs.directory.path, home.file("keys"),
            ],
            environment: [
                "HOME": home.path, "PATH": "/usr/bin:/bin", "TERM": "xterm", "USERD_SOCKET": daemon.path,
            ])
    }

    @Test(
        "service enable asks for a directory, and connects it; without an answer or with --yes it says how",
        arguments: [
            ("", "", words), ("", "demo", "a directory is connected, https://idp.example.org"),
            (" --yes", "demo", words),
        ])
    func enabling(options: String, answer: String, said: String) async throws {
        let ended = try await onTerminal("service enable" + options, answers: answer)
        #expect(ended.output.contains(said), "\(ended)")
        #expect(ended.output.contains("which directory?") == options.isEmpty)
    }

    @Test("browse says how to connect, and draws no screen")
    func browsing() async throws {
        let ended = try await onTerminal("browse")
        #expect(ended.code == 1)
        #expect(ended.output.contains(Self.words), "\(ended)")
        #expect(!ended.output.contains("\u{1B}[?1049h"))
    }
}
