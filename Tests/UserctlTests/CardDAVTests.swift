import Foundation
import TestSupport
import Testing

@testable import UserctlCommands

/// Tests `carddav show`, `enable` and `disable` on a machine without systemd.
@Suite struct CardDAVTests {
    private let directory: TemporaryDirectory
    private let environment: [String: String]

    init() throws {
        directory = try TemporaryDirectory()
        environment = [
            "HOME": directory.path,
            "XDG_CONFIG_HOME": directory.file("own"), "XDG_CONFIG_DIRS": directory.file("all"),
            "PATH": "/nonexistent", "USERD_SOCKET": directory.file("s"),
        ]
    }

    private func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        let path = directory.file(name)
        try FileManager.default.createDirectory(
            atPath: String(path.prefix(upTo: path.lastIndex(of: "/")!)), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: directory.file(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func run(_ arguments: String...) async -> Ended {
        await userctl(["carddav"] + arguments, environment: environment)
    }

    private let password = String(repeating: "p", count: 32)

    @Test(
        arguments: [
            ("own", "carddav:\n  port: 23456\n", nil, true),
            ("all", "carddav:\n  port: 23456\n", "carddav:\n  port: \"\"\n", true),
            ("own", "carddav:\n  port: \"\"\n", "carddav:\n  port: \"\"\n", false),
        ] as [(String, String, String?, Bool)])
    func `show and disable know each file, and disable can be repeated`(
        folder: String, file: String, left: String?, isOn: Bool
    ) async throws {
        try write(file, to: "\(folder)/userd/config.yaml")
        try write(password + "\n", to: "own/userd/carddav-password")
        #expect(await run("show").code == (isOn ? 0 : 1))
        let disabled = await run("disable")
        #expect(disabled.code == 0)
        #expect(disabled.errors.contains(isOn ? "no longer served" : "there is no address book"))
        let own = text("own/userd/config.yaml")
        #expect(own == left || left == nil && own == "")
        #expect(text("own/userd/carddav-password") == nil)
        #expect(await run("show").code == 1)
        let again = await run("disable")
        #expect(again.code == 0 && again.errors == "userctl: there is no address book\n")
    }

    @Test(arguments: ["short\n", "", "sixteen characters\n", "\(String(repeating: "p", count: 16))\nmore\n"])
    func `enable says at once that userd would refuse the password's file`(password: String) async throws {
        try write(password, to: "own/userd/carddav-password")
        let ended = await run("enable", "--yes")
        #expect(ended.code == 1)
        #expect(
            ended.errors.contains("carddav-password is not a password of 16 or more visible ASCII characters")
        )
        #expect(text("own/userd/config.yaml") == nil)
    }

    @Test func `show prints a whole configuration for vdirsyncer`() async throws {
        try write("carddav:\n  port: 23456\n", to: "own/userd/config.yaml")
        try write(password + "\n", to: "own/userd/carddav-password")
        let lines = await run("show").output.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("vdirsyncer") })
        var sections: [Substring: [Substring]] = [:]
        var section: Substring = ""
        for line in lines[(start + 1)...].map({ $0.drop { $0 == " " } }) where !line.isEmpty {
            if line.hasPrefix("[") {
                section = line
            } else {
                sections[section, default: []].append(line.prefix { $0 != " " })
            }
        }
        #expect(
            sections == [
                "[general]": ["status_path"],
                "[pair company]": ["a", "b", "collections", "conflict_resolution"],
                "[storage company_files]": ["type", "path", "fileext"],
                "[storage company_userd]": ["type", "url", "username", "password.fetch", "read_only"],
            ])
        #expect(lines.contains("  a = \"company_files\"") && lines.contains("  b = \"company_userd\""))
    }
}
