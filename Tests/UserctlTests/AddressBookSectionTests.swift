import CommandSupport
import Testing

@Suite("The section carddav of config.yaml")
struct AddressBookSectionTests {
    private func setting(_ text: String) -> String? {
        AddressBookSection(Array(text.utf8)).setting(port: 25_000).map { String(decoding: $0, as: UTF8.self) }
    }

    private func removing(_ text: String) -> String? {
        AddressBookSection(Array(text.utf8)).removingPort().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "The port is added or replaced, and all other lines stay",
        arguments: [
            ("", "carddav:\n  port: 25000\n"), ("paused: true", "paused: true\ncarddav:\n  port: 25000\n"),
            ("paused: true\n", "paused: true\ncarddav:\n  port: 25000\n"),
            ("carddav:\nusers: {}\n", "carddav:\n  port: 25000\nusers: {}\n"),
            ("carddav:\n    search: a\n", "carddav:\n    port: 25000\n    search: a\n"),
            ("carddav: \n\n  # b\n  search: a\n", "carddav: \n  port: 25000\n\n  # b\n  search: a\n"),
            ("carddav:\n  search: a\n  port: 20001\n", "carddav:\n  search: a\n  port: 25000\n"),
        ])
    func set(before: String, after: String) { #expect(setting(before) == after) }

    @Test(
        "What is written in another way is left to a person",
        arguments: ["carddav: {port: 20001}\n", "carddav: {search: a}\n", "carddav:\n  port: 20001 # mine\n"])
    func others(text: String) {
        #expect(setting(text) == nil)
        #expect(removing(text) == nil || AddressBookSection(Array(text.utf8)).port == nil)
    }

    @Test(
        "The port is removed, with an empty section",
        arguments: [
            ("a: 1\ncarddav:\n  port: 20001\n", "a: 1\n"),
            ("carddav:\n  port: 20001\n  search: a\n", "carddav:\n  search: a\n"),
            ("carddav:\n  search: a\n", "carddav:\n  search: a\n"), ("a: 1\n", "a: 1\n"),
        ])
    func remove(before: String, after: String) {
        #expect(removing(before) == after)
    }

    @Test func `the port is read; a damaged file has none`() {
        #expect(AddressBookSection(Array("carddav:\n  port: 20001\n".utf8)).port == 20_001)
        #expect(AddressBookSection(Array("carddav:\n  port: \"\"\n".utf8)).port == nil)
        #expect(AddressBookSection(Array("carddav: [".utf8)).port == nil)
    }
}
