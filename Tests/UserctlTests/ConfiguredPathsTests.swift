import Foundation
import Glibc
import TestSupport
import Testing

@testable import UserctlCommands

@Suite struct ConfiguredPathsTests {
    @Test(
        "The socket is an absolute path, or one in the home directory; otherwise it is the usual one",
        arguments: [
            ("socket: /run/s", "/run/s"), ("socket: \"/a#b c\" # mine\r", "/a#b c"),
            ("socket: ~/s", "/home/me/s"),
            ("socket: \"~/s\"", "/home/me/s"), ("socket: \"/\\u0041\"", "/A"), ("", nil), ("socket:", nil),
            ("socket: ~", nil), ("socket: s", nil), ("socket: \"/a", nil), ("users:\n  socket: /s", nil),
            ("socket:/s", nil),
            ("socket: &a /s", nil), ("socket: [/s]", nil), ("socket: /s\nsocket: /t", nil),
        ] as [(String, String?)])
    func socket(text: String, path: String?) async throws {
        let directory = try TemporaryDirectory()
        try #require(mkdir(directory.file("userd"), 0o700) == 0)
        try Data(text.utf8).write(to: URL(filePath: directory.file("userd/config.yaml")))
        let ended = await userctl(
            ["sync"],
            environment: [
                "XDG_CONFIG_HOME": directory.path, "XDG_RUNTIME_DIR": "/usual", "HOME": "/home/me",
            ])
        #expect(
            ended.errors.contains("(no socket at \(path ?? "/usual/userd/userd.sock"))\n"), "\(ended.errors)")
    }

    @Test func `the command line and the environment come first`() async throws {
        let directory = try TemporaryDirectory()
        let config = directory.file("userd")
        try #require(mkdir(config, 0o700) == 0)
        try Data("socket: /configured.sock\ndatabase: /configured.db\n".utf8)
            .write(to: URL(filePath: config + "/config.yaml"))
        func errors(_ command: [String], _ environment: [String: String] = [:]) async -> String {
            let home = ["XDG_CONFIG_HOME": directory.path, "HOME": "/nowhere"]
            return await userctl(command, environment: environment.merging(home) { $1 }).errors
        }
        #expect(await errors(["sync"]).contains("(no socket at /configured.sock)\n"))
        #expect(await errors(["sync"], ["USERD_SOCKET": "/s"]).contains("(no socket at /s)\n"))
        #expect(await errors(["list"]).contains("there is no cache at /configured.db\n"))
        #expect(await errors(["list", "--database", "/d"]).contains("there is no cache at /d\n"))
        // The machine's file, for what the person's own does not say.
        let machine = ["XDG_CONFIG_DIRS": directory.path, "XDG_CONFIG_HOME": "/nowhere", "HOME": "/nowhere"]
        #expect(await userctl(["list"], environment: machine).errors.contains("no cache at /configured.db\n"))
    }
}
