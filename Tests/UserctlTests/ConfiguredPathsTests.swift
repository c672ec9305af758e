import CommandSupport
import Foundation
import Glibc
import TestSupport
import Testing
import YAML

@Suite struct ConfiguredPathsTests {
    @Test(arguments: [
        ("socket: /run/s", "/run/s"), ("socket:  /a b  # mine", "/a b"),
        ("socket: \"/a#b c\" # mine\r", "/a#b c"),
        ("socket: '/a: b'", "/a: b"), ("socket: ~/s", "/home/me/s"), ("socket: \"~/s\"", "/home/me/s"),
        ("users:\n  url: x\nsocket:\t/s\n", "/s"), ("socket: /a#b", "/a#b"),
        ("socket: '/it''s'", "/it's"), ("socket: \"/\\u0041\"", "/A"),
    ])
    func `the paths are read as userd reads them`(text: String, path: String) throws {
        #expect(ConfiguredPaths(Array(text.utf8), home: "/home/me").socket == path)
        let yaml = try #require(try YAMLNode.document(Array(text.utf8)))
        guard case .mapping(let members) = yaml.content,
            case .scalar(let value, _)? = members.first(where: { $0.name == "socket" })?.value.content
        else {
            Issue.record("no such member")
            return
        }
        #expect((value.hasPrefix("~/") ? "/home/me" + value.dropFirst() : value) == path)
    }

    @Test(arguments: [
        "", "socket:", "socket: ", "socket: ~", "socket: null", "socket: s", "socket: \"/a", "socket: '/a' b",
        "#socket: /s", "users:\n  socket: /s", "socket:/s", "socket: &a /s", "sockets: /s", "socket: /a: b",
        "socket: [/s]", "socket: /s\nsocket: /t",
    ])
    func `a file that userd refuses, or that names no absolute path, names none`(text: String) {
        #expect(ConfiguredPaths(Array(text.utf8), home: "/home/me").socket == nil)
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
