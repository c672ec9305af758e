import ArgumentParser
import Testing
import UserdAPI
import YAML

@testable import Daemon

struct StructureTests {
    private static let yaml = """
        users:
          records: /Resources
          fields:
            id: /id
            email: ["/emails/[primary=true]/value", '/e mail"s\\/0', null]
            phones: {work: /work, "a: b": ~}
          skip: {/active: false, /kind: [-, "null", "", "\\u202e"]}
          paging: {style: offset, first: ""}
        facts:
          records: ""

        """

    private static let texts = [
        "users.records": "/Resources",
        "users.fields": """
        {id: /id, email: ["/emails/[primary=true]/value", "/e mail\\"s\\\\/0", null], \
        phones: {work: /work, "a: b": null}}
        """,
        "users.skip": """
        {/active: false, /kind: ["-", "null", "", "\\u202e"]}
        """,
        "users.paging": """
        {style: offset, first: ""}
        """,
        "facts.records": "\"\"",
    ]

    @Test func `structures are kept with their lines`() throws {
        let settings = try load(file: Self.yaml).settings
        #expect(settings.users.records?.line == 2)
        guard case .mapping(let members) = settings.users.fields?.content else {
            return #expect(Bool(false), "no mapping")
        }
        #expect(members.map(\.name) == ["id", "email", "phones"])
        #expect(members.map(\.line) == [4, 5, 6])
        #expect(settings.facts.records?.content == .scalar("", isPlain: false))
        #expect(settings.facts.paging == nil)
    }

    @Test func `their text is YAML on one line, which gives the same text again`() throws {
        let loaded = try load(file: Self.yaml)
        let listed = loaded.listed().filter { Setting.named[$0.name]?.isStructured == true }
        let texts = listed.filter { !["desktop", "notifications"].contains($0.name) }.compactMap { setting in
            setting.value.map { (setting.name, $0) }
        }
        #expect(Dictionary(uniqueKeysWithValues: texts) == Self.texts)
        let again = try load(file: loaded.printed())
        #expect(
            again.printed().split(separator: "\n").map { $0.split(separator: "  #")[0] }
                == loaded.printed().split(separator: "\n").map { $0.split(separator: "  #")[0] })
        #expect(again.settings == loaded.settings)
        #expect(Setting.recorded(of: again.settings).filter { Self.texts[$0.key] != nil } == Self.texts)
    }

    @Test func `one that is written otherwise and means the same has not changed`() throws {
        let a = try load(file: "users:\n  fields:\n    id: /id\n").settings
        let b = try load(file: "users: {fields: {\"id\": '/id'}}\n").settings
        #expect(Setting.changes(from: a, to: b) == [])
        let c = try load(file: "users: {fields: {id: /uid}}\n").settings
        #expect(Setting.changes(from: a, to: c) == ["users.fields"])
    }

    @Test func `they have neither option nor variable`() throws {
        #expect(throws: (any Error).self) { try SettingsOptions.parse(["--users-fields", "{id: /id}"]) }
        let loaded = try load(environment: ["USERD_USERS_FIELDS": "{id: /id}"])
        #expect(loaded.settings.users.fields == nil)
        #expect(loaded.warnings.count == 1)
    }

    @Test func `a recording brings its own, and undoes those of the file where it has none`() throws {
        var loader = loader(files: [configPath: "users: {fields: {id: /a}, skip: {/b: c}}"])
        loader.recorded = RecordedSettings(["users.fields": "{id: /id}", "users.skip": ""], path: "/a.har")
        let loaded = try loader.load()
        #expect(loaded.listed().first { $0.name == "users.fields" }?.value == "{id: /id}")
        #expect(loaded.settings.users.skip == nil)
        loader.recorded = RecordedSettings(["users.fields": "{id: "], path: "/a.har")
        #expect(
            try failure { try loader.load() }.contains("/a.har: users.fields: \"{id: \" is not valid YAML"))
    }

    @Test func `what whoever knows them finds wrong is told with the key's line, among the other mistakes`()
        throws
    {
        func check(_ file: String, recorded: [String: String] = [:]) -> [String] {
            var loader = SettingsLoader(
                commandLine: [:], environment: [:], homeDirectory: "/home/ann",
                readFile: { $0.hasPrefix("/home") ? Array(file.utf8) : nil },
                complete: { settings, isGiven in
                    #expect(!isGiven("users.pages"))
                    settings.users.pages = nil
                    return [
                        SettingMistake("users.fields", key: "users.fields.emial", line: 4, "is no field"),
                        SettingMistake("users.format", "is odd\u{1B}"),
                    ]
                })
            if !recorded.isEmpty { loader.recorded = RecordedSettings(recorded, path: "/a.har") }
            return loader.check().mistakes.map(\.description)
        }
        #expect(
            check("users:\n  fields:\n    id: /id\n    emial: /m\n  page_size: 0\n") == [
                "\(configPath):4: users.fields.emial: is no field",
                "\(configPath):5: users.page_size: \"0\" is out of range; expected a whole number, from 1 to 5000",
                "users.format: is odd\\u001b",
            ])
        #expect(
            check("", recorded: ["users.fields": "{emial: /m}"]) == [
                "/a.har: users.fields.emial: is no field", "users.format: is odd\\u001b",
            ])
    }

    @Test func `what stands for none is kept apart from a default`() throws {
        #expect(try load().settings.users.pages == 1)
        #expect(try load(["users.pages": ""]).settings.users.pages == nil)
        #expect(try load(["facts.one_url": ""]).settings.facts.oneURL == nil)
        #expect(try load(["users.pages": ""]).printed().contains("  pages: \"\"  # command line\n"))
    }
}
