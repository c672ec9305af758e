import Testing

@testable import Daemon

struct DefaultConfigurationTests {
    private let text = defaultConfiguration()

    private var lines: [String] { text.split(separator: "\n").map(String.init) }

    @Test func `it begins with what it is, then explains each setting`() {
        let head = text.split(separator: "\n\n").prefix(3).dropFirst()
        #expect(
            Array(head) == [
                """
                # The Unix socket to serve.
                # A path of at most 107 bytes.
                # By default $XDG_RUNTIME_DIR/userd/userd.sock.
                #socket: ""
                """,
                """
                # The cache file.
                # A file's path.
                # By default $CACHE_DIRECTORY/userd.db, else $XDG_CACHE_HOME/userd/userd.db, else ~/.cache/userd/userd.db.
                #database: ""
                """,
            ])
        #expect(
            text.contains(
                """
                \n  # The time from one sync of users to the next.
                  # A number with ms, s, min, h or d (90s, 15min, 6h), from 100ms to 365d.
                  # By default 15min; 1h while a directory that says what changed is trusted.
                  #interval: 15min\n
                """))
        for setting in Setting.all { #expect(text.contains("# \(setting.help).\n")) }
    }

    @Test func `as it is, it changes nothing`() throws {
        let loaded = try load(file: text)
        #expect(loaded.settings == (try load()).settings)
        #expect(loaded.origins.values.allSatisfy { $0 == .default })
    }

    @Test func `with every # taken out, it gives each setting its default`() throws {
        // Most structured settings have no value as their default.
        let plain = lines.filter { $0.setting?.hasSuffix(":") != true }.map { $0.setting ?? $0 }
            .filter { !$0.hasPrefix("socket:") && !$0.hasPrefix("database:") }
        let loaded = try load(file: plain.joined(separator: "\n"))
        #expect(loaded.settings == (try load()).settings)
        // The defaults of these settings depend on the environment.
        let others =
            Setting.all.filter { $0.isStructured && $0.write(Settings()) == nil }.map(\.name) + [
                "database", "socket",
            ]
        #expect(loaded.origins.filter { $0.value == .default }.keys.sorted() == others.sorted())
    }

    @Test(arguments: ["socket", "database"])
    func `a setting whose default depends on the environment is refused until it has a value`(name: String)
        throws
    {
        let file = text.replacing("#\(name):", with: "\(name):")
        #expect(try failure { try load(file: file) }.contains("\(name): \"\" is empty"))
    }

    @Test func `a setting with structure says what it looks like, and is refused until it has a value`()
        throws
    {
        #expect(
            text.contains(
                """
                \n  # The member of a record that each field is read from.
                  # The name of a field and its pointer, or a list of them, such as {id: /id, email: [/mail, /emails/0]}.
                  # By default those of users.format, each of which can be replaced alone.
                  #fields:\n
                """))
        let file = text.replacing("#fields:", with: "fields:")
        #expect(
            try failure { try load(file: file) }.contains("users.fields: has no value; expected the name"))
    }
}

extension String {
    /// A commented setting without its `#`; nil for any other line.
    fileprivate var setting: String? {
        let content = drop { $0 == " " }
        guard content.hasPrefix("#"), !content.hasPrefix("# "), content != "#" else { return nil }
        return String(prefix(while: { $0 == " " })) + content.dropFirst()
    }
}
