import Model
import Testing

@testable import Daemon

/// Tests `actions` and `hyperlinks`, which userctl uses and userd only checks.
struct ActionsTests {
    @Test func `actions are addresses by name, and an empty one removes an action`() throws {
        let loaded = try load(
            file: "actions:\n  chat: https://chat.example.org/{username}\n  call: ''\n  mail: \"\"\n")
        let actions = loaded.settings.actions ?? []
        #expect(actions.map(\.name) == ["chat", "call", "mail"])
        #expect(actions.map { $0.template?.text } == ["https://chat.example.org/{username}", nil, nil])
        #expect(try load(file: loaded.printed()).settings == loaded.settings)
        #expect(try load().settings.actions == nil)
    }

    @Test(arguments: [
        (
            "actions:\n  chat: javascript:alert({name})\n",
            "2: actions.chat: does not begin with one of the schemes"
        ),
        (
            "actions:\n  mail: mailto:{email}\n  chat: https://{city}/\n",
            "3: actions.chat: has no literal host"
        ),
        ("actions:\n  chat: \"xmpp:{emial}\"\n", "2: actions.chat: has {emial}, which is not a column"),
        ("actions:\n  chat: [a]\n", "2: actions.chat: has no address; \"\" removes the action"),
        ("actions:\n  call:\n", "2: actions.call: has no address; \"\" removes the action"),
        ("actions:\n  call: tel:{email}\n", "2: actions.call: has a column that is no telephone number"),
        ("actions:\n  \"a b\": xmpp:x\n", "2: actions.a b: is not the name of an action"),
        ("actions: [mail]\n", "1: actions: is not a mapping of at most 16 actions"),
    ])
    func `a mistake has its line and its name`(file: String, beginning: String) throws {
        let message = try failure { try load(file: file) }
        #expect(message.hasPrefix("\(configPath):\(beginning)"), "\(message)")
    }

    @Test func `all mistakes are found, each with its line`() {
        let file = "actions:\n  a: ftp://x\n  mail: mailto:{email}\n  b: \"xmpp:{emial}\"\n  call:\n"
        let mistakes = loader(files: [configPath: file]).check().mistakes
        #expect(mistakes.map(\.line) == [2, 4, 5])
        #expect(
            mistakes.map(\.subject) == [
                "\(configPath):2: actions.a", "\(configPath):4: actions.b", "\(configPath):5: actions.call",
            ])
    }

    @Test func `links are drawn by one of three words`() throws {
        #expect(try load(file: "hyperlinks: never\n").settings.hyperlinks == .never)
        #expect(try load().settings.hyperlinks == nil)
        let message = try failure { try load(file: "paused: true\nhyperlinks: maybe\n") }
        #expect(
            message.hasPrefix(
                "\(configPath):2: hyperlinks: \"maybe\" is invalid; expected auto, never or always"))
        #expect(try failure { try load(file: "hyperlinks: [auto]\n") }.contains("is not one text"))
        let loaded = try load(file: "hyperlinks: always\n")
        #expect(try load(file: loaded.printed()).settings == loaded.settings)
    }
}
