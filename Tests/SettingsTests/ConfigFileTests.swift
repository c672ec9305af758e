import Testing

@testable import Daemon

struct ConfigFileTests {
    @Test(arguments: [
        "", "\n", "# nothing\n", "---\n", "---\n...\n", "~\n", "users:\n", "users: {}\n", "\u{FEFF}# BOM\n",
    ])
    func `a file that gives nothing is fine`(yaml: String) throws {
        #expect(try load(file: yaml).settings == load().settings)
    }

    @Test(arguments: ["\n", "\r\n"])
    func `a byte order mark is no part of the file, and moves no line`(end: String) throws {
        for yaml in [
            "users:|  page_size: 7", "users:|  page_size: 7|http:|  deadline: 2h",
            "---|users: {page_size: 7}",
        ] {
            let text = "\u{FEFF}" + yaml.replacing("|", with: end) + end
            #expect(try load(file: text).settings.users.pageSize == 7)
            let wrong = text.replacing("page_size", with: "page_siz")
            let line = yaml.split(separator: "|").firstIndex { $0.contains("page_size") }! + 1
            #expect(
                try failure { try load(file: wrong) }.hasPrefix("\(configPath):\(line): users.page_siz: "))
        }
        #expect(
            try failure { try load(file: "\u{FEFF}" + String(repeating: "#", count: 1 << 20)) }.hasSuffix(
                "1 MiB"))
    }

    @Test func `settings are nested, in any of YAML's styles`() throws {
        let yaml = """
            # Comments are fine.
            "paused": yes   # here too
            users: {page_size: 7, interval: "2h"}
            facts:
                interval: 3h
            http:
                deadline: >-
                    3h
            """
        let settings = try load(file: yaml).settings
        #expect(settings.paused)
        #expect(settings.users.pageSize == 7)
        #expect(settings.users.interval == .seconds(7200))
        #expect(settings.facts.interval == .seconds(10_800))
        #expect(settings.http.deadline == .seconds(10_800))
    }

    @Test(arguments: [
        (
            "users:\n  intervall: 15min\n",
            "2: users.intervall: is not a setting; did you mean users.interval?"
        ),
        ("user:\n  interval: 15min\n", "1: user: is not a setting; did you mean users?"),
        (
            "\ninterval: 15min\n",
            "2: interval: is not a setting; did you mean users.interval or facts.interval?"
        ),
        ("pasued: true\n", "1: pasued: is not a setting; did you mean paused?"),
        ("users:\n  paused: true\n", "2: users.paused: is not a setting; did you mean paused?"),
        ("users:\n  Page-Size: 1\n", "2: users.Page-Size: is not a setting; did you mean users.page_size?"),
        ("zebra: 1\n", "1: zebra: is not a setting"),
        ("x: 1\n", "1: x: is not a setting"),
        (
            "users:\n  picture: none\n", "2: users.picture: is not a setting; did you mean users.pictures?"
        ),
        ("config: /a\n", "1: config: is not a setting"),
        ("<<: {paused: true}\n", "1: <<: is not a setting"),
        (
            "users.interval: 15min\n",
            "1: users.interval: is written nested: users: on a line, and below it, indented, interval:"
        ),
        (#""\e[2J": 1"#, "1: \\u001b[2J: is not a setting"),
    ])
    func `an unknown key is refused, with its line and what may have been meant`(yaml: String, error: String)
        throws
    {
        #expect(try failure { try load(file: yaml) } == "\(configPath):\(error)")
    }

    @Test func `an unknown key of any length makes a short message`() throws {
        let yaml = String(repeating: "k", count: 900) + ": 1"
        #expect(try failure { try load(file: yaml) }.count < 200)
    }

    @Test(arguments: [
        (
            "users:\n  pages: many\n",
            "2: users.pages: \"many\" is not a whole number; expected a whole number, from 1 to 10000, or empty for all"
        ),
        (
            "users: 5\n",
            "1: users: is a section, and has a single value for its settings; indent them below it"
        ),
        (
            "users: [a]\n",
            "1: users: is a section, and has a list for its settings; indent them below it, without the -"
        ),
        ("- paused\n", "1: is a list, not lines of the form name: value"),
        ("\nhello\n", "2: is a single value, not lines of the form name: value"),
        ("[a, b]: 1\n", "1: has a list where a name should be"),
        ("users:\n  ? {a: b}\n  : 1\n", "2: has a mapping where a name should be"),
        ("paused: true\nusers: {}\npaused: true\n", "3: has \"paused\" twice, first on line 1"),
        ("users:\n  pages: 1\n  pages: 2\n", "3: has \"pages\" twice, first on line 2"),
        ("paused: *yes\n", "1: has an alias (*yes), which is not supported"),
    ])
    func `a value of the wrong shape is refused with its line`(yaml: String, error: String) throws {
        #expect(try failure { try load(file: yaml) } == "\(configPath):\(error)")
    }

    @Test func `a bad value in the file is refused even where the command line gives another`() throws {
        #expect(
            try failure { try load(["users.pages": "2"], file: "users:\n  pages: many") }
                .hasPrefix("\(configPath):2: users.pages: \"many\" is not a whole number"))
    }

    @Test(arguments: [
        ("[1]", "a list"), ("{a: 1}", "a mapping"), ("", "no value"), ("~", "no value"), ("null", "no value"),
    ])
    func `a list, a mapping or nothing is no value`(yaml: String, noun: String) throws {
        #expect(
            try failure { try load(file: "users:\n  pages: \(yaml)\n") }
                == "\(configPath):2: users.pages: has \(noun); "
                + "expected a whole number, from 1 to 10000, or empty for all (for the default, remove the line)"
        )
    }

    @Test(arguments: [
        ("paused: true\nusers: [1, 2\n", ":3: is not valid YAML: "),
        ("paused: true\n\tusers:\n", ":2: is not valid YAML: found a tab"),
        ("users:\n\turl: http://a/\n", ":2: is not valid YAML: a tab, or another character that can't"),
        ("paused: \"true\n", ":2: is not valid YAML: "),
        ("a: b: c\n", ":1: is not valid YAML: "),
        ("paused: true\nusers: \u{1}\n", ":2: is not valid YAML: control characters are not allowed"),
        ("paused: true\n---\npaused: true\n", ":2: has a second YAML document"),
        ("paused: true\n%\n", ":2: is not valid YAML: "),
        ("paused: @x\n", ":1: is not valid YAML: "),
    ])
    func `what is no YAML is refused with its line`(yaml: String, error: String) throws {
        #expect(try failure { try load(file: yaml) }.hasPrefix(configPath + error))
    }

    @Test func `what is no UTF-8 is refused`() throws {
        let loader = SettingsLoader(
            commandLine: [:], environment: [:], homeDirectory: "/home/ann",
            readFile: { _ in [0x61, 0x3A, 0xFF] })
        #expect(try failure { try loader.load() } == "\(configPath): is not UTF-8 text")
    }

    @Test func `a file of 1 MiB is read, and no larger one`() throws {
        let line = "paused: true\n"
        let yaml = line + "#" + String(repeating: " ", count: (1 << 20) - line.utf8.count - 1)
        #expect(try load(file: yaml).settings.paused)
        #expect(try failure { try load(file: yaml + " ") } == "\(configPath): is larger than 1 MiB")
    }

    @Test func `a file of unknown keys only is refused soon`() throws {
        let yaml = (0..<60_000).map { "key\($0): 1\n" }.joined()
        #expect(try failure { try load(file: yaml) } == "\(configPath):1: key0: is not a setting")
    }

    @Test func `a file that --config names must exist`() throws {
        #expect(
            try failure { try loader(configFile: "/etc/userd.yaml").load() }
                == "--config: there is no file \"/etc/userd.yaml\"")
        #expect(try failure { try loader(configFile: "").load() } == "--config: there is no file \"\"")
    }

    @Test func `a file that --config names is read in place of the usual one`() throws {
        let files = ["/etc/userd.yaml": "log_level: debug", configPath: "paused: true"]
        let loaded = try loader(configFile: "/etc/userd.yaml", files: files).load()
        #expect(loaded.origins["log_level"] == .file(path: "/etc/userd.yaml", line: 1))
        #expect(!loaded.settings.paused)
    }

    @Test func `a file that cannot be read is an error that names it`() throws {
        struct Broken: Error {}
        let loader = SettingsLoader(
            commandLine: [:], environment: [:], homeDirectory: "/home/ann", readFile: { _ in throw Broken() })
        #expect(try failure { try loader.load() } == "\(configPath): cannot be read: Broken()")
    }
}
