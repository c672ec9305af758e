import Foundation
import Model
import Testing
import Upstream

@testable import Daemon

/// Tests `users.kinds` and `users.kind_values`.
struct UserKindTests {
    @Test(arguments: [
        "users:\n  kinds: [room, person]\n", "users:\n  kinds: person, room\n",
        "users:\n  kinds:\n    - room\n    - person\n    - room\n",
    ])
    func `kinds are a list or a text, in any order`(yaml: String) throws {
        let loaded = try load(file: yaml)
        #expect(loaded.settings.users.kinds == [.person, .room])
        #expect(loaded.printed().contains("  kinds: person, room  # file \(configPath):"))
        #expect(loaded.settings == (try load(["users.kinds": "room person"])).settings)
        #expect(loaded.settings == (try load(environment: ["USERD_USERS_KINDS": "room,person"])).settings)
        #expect(try load().settings.users.kinds == [.person])
    }

    @Test(arguments: [
        ("kinds: [person, rom]", "2: users.kinds: \"rom\" is not a kind", "; did you mean room?"),
        ("kinds: []", "2: users.kinds: names no kind", "contact, all"),
        ("kinds: [[room]]", "2: users.kinds: is not a list of words", "contact, all"),
        ("kinds: {room: true}", "2: users.kinds: has a mapping", "(for the default, remove the line)"),
    ])
    func `another word is a mistake, with the words that are kinds`(
        line: String, beginning: String, end: String
    ) throws {
        let message = try failure { try load(file: "users:\n  \(line)\n") }
        #expect(message.hasPrefix("\(configPath):\(beginning)"), "\(message)")
        #expect(message.contains("expected kinds, separated by commas or blanks: person, group, room,"))
        #expect(message.hasSuffix(end), "\(message)")
    }

    private func formats(_ users: String) throws -> Formats {
        let lines = users.split(separator: "\n").map { "  \($0)\n" }.joined()
        return Formats(try load(file: "users:\n  url: https://a.test/\n" + lines).settings)
    }

    @Test func `a format keeps the kinds that the settings name, by the upstream's words`() throws {
        let fields = "format: json\nfields: {id: /id, kind: /type}\n"
        let both = try formats(fields + "kinds: [person, group]\nkind_values: {List: group}")
        #expect(both.mistakes.isEmpty && both.users?.kinds == [.person, .group])
        #expect(both.users?.kind("LIST") == .group && both.users?.kind("list ") == .group)
        #expect(both.users?.kind("robot") == nil && both.users?.kind(nil) == .person)
        #expect(try formats(fields).users?.kinds == [.person])
        // A page or a list that is known with other kinds is read again.
        let one = try formats(fields + "kinds: [person, group]")
        let prints = [both, one, try formats(fields)].map { $0.users?.fingerprint }
        #expect(Set(prints).count == 3)
    }

    @Test(arguments: [
        ("format: scim\nkinds: [group]", "users.kinds", "needs the place of a record's kind"),
        ("format: scim\nkind_values: {a: group}", "users.kind_values", "needs the place of a record's kind"),
        ("kinds: [group]", "users.kinds", "has no meaning where users.format is randomuser"),
        (
            "format: json\nfields: {id: /id, kind: /k}\nkind_values: {a: grup}", "users.kind_values.a",
            "did you mean group?"
        ),
    ])
    func `kinds that no record can have are a mistake`(users: String, key: String, reason: String) throws {
        let mistakes = try formats(users).mistakes
        #expect(mistakes.map { $0.key ?? $0.setting } == [key])
        #expect(mistakes.first?.reason.contains(reason) == true, "\(mistakes)")
    }

    @Test func `LDAP and a published list need no place of the kind`() throws {
        for format in ["ldap", "userd"] {
            #expect(try formats("format: \(format)\nkinds: [person, group]").mistakes.isEmpty)
        }
    }

    @Test(arguments: [
        ("carddav:\n  kinds: [person, group]", "carddav.kinds has group"),
        (
            "publish:\n  kinds: [room, contact, group]\nusers:\n  kinds: [group]",
            "publish.kinds has room, contact"
        ),
        ("carddav:\n  kinds: [group]\nusers:\n  kinds: [group]", ""), ("carddav:\n  kinds: all", ""),
        ("mock: data\ncarddav:\n  kinds: [group]", ""), ("users:\n  kinds: [group]", ""),
    ])
    func `a kind that goes out and is never fetched is a warning`(yaml: String, words: String) {
        let check = loader(files: [configPath: yaml + "\n"]).check()
        let warnings = check.warnings.filter { $0.contains("which userd does not fetch") }
        #expect(warnings.count == (words.isEmpty ? 0 : 1) && check.mistakes.isEmpty, "\(check)")
        #expect(warnings.first?.hasPrefix(words + ", which") ?? true, "\(warnings)")
    }

    @Test func `the examples of the article about directories are valid`() throws {
        let root = #filePath.prefix(#filePath.count - "Tests/SettingsTests/UserKindTests.swift".count)
        let article = try String(
            contentsOfFile: root + "Sources/Daemon/userd/userd.docc/Directories.md", encoding: .utf8)
        let examples = article.components(separatedBy: "```yaml\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }.filter { $0.contains("  kinds: ") }
        #expect(examples.count == 3)
        for example in examples {
            let loader = loader(files: [configPath: example], complete: SettingsLoader.completing)
            #expect(loader.check().mistakes.map(\.description) == [], "\(example)")
        }
    }
}
