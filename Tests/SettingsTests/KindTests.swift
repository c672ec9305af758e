import Logging
import Platform
import Testing

@testable import Daemon

/// Each kind of value, tested with one setting of that kind.
struct KindTests {
    @Test(arguments: [
        ("90s", 90_000), ("15min", 900_000), ("15m", 900_000), ("6h", 21_600_000),
        ("1d", 86_400_000), ("500ms", 500), ("0090s", 90_000),
    ])
    func `a duration is a number and a unit`(text: String, milliseconds: Int) throws {
        let settings = try load(["users.interval": text]).settings
        #expect(settings.users.interval == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "s", "90", "0", "15 min", "1.5h", "-1s", "+1s", "1h30min", "15MIN", "1w", "٣s",
        "9223372036854775807h",
        "99999999999999999999s",
    ])
    func `what is no duration is refused, and the error says what one is`(text: String) throws {
        let message = try failure { try load(["users.interval": text]) }
        #expect(message.hasPrefix("--users-interval: \"\(text)\" is not a duration"))
        #expect(
            message.hasSuffix(
                "; expected a number with ms, s, min, h or d (90s, 15min, 6h), from 100ms to 365d"))
    }

    @Test(arguments: ["0s", "99ms", "366d"])
    func `a duration out of its range is refused`(text: String) throws {
        #expect(try failure { try load(["users.interval": text]) }.contains("\"\(text)\" is out of range"))
    }

    @Test(arguments: [
        ("1048576", 1 << 20), ("64MiB", 64 << 20), ("64M", 64 << 20), ("1GiB", 1 << 30), ("1G", 1 << 30),
        ("3KiB", 3072), ("3K", 3072), ("1", 1),
    ])
    func `a size is a number of bytes, or of binary multiples`(text: String, bytes: Int) throws {
        #expect(try load(["http.max_response_bytes": text]).settings.http.maxResponseBytes == bytes)
    }

    @Test(arguments: ["", "64MB", "64 MiB", "1.5G", "-1", "1TiB", "9223372036854775807K", "0", "2G"])
    func `what is no size is refused`(text: String) throws {
        let message = try failure { try load(["http.max_response_bytes": text]) }
        #expect(message.hasPrefix("--http-max-response-bytes: \"\(text)\" is "))
        #expect(message.hasSuffix("(64MiB), from 1 to 1GiB"))
    }

    @Test func `a whole number keeps within its range`() throws {
        #expect(try load(["users.page_size": "1"]).settings.users.pageSize == 1)
        #expect(try load(["users.page_size": "5000"]).settings.users.pageSize == 5000)
        for text in ["0", "5001"] {
            #expect(
                try failure { try load(["users.page_size": text]) }
                    == "--users-page-size: \"\(text)\" is out of range; expected a whole number, from 1 to 5000"
            )
        }
    }

    @Test(arguments: [
        " ", "-1", "+1", "1.0", "0x10", "1_000", "1e3", "twenty", "10s", "99999999999999999999",
    ])
    func `what is no whole number is refused`(text: String) throws {
        #expect(
            try failure { try load(["users.pages": text]) }.contains("\"\(text)\" is not a whole number"))
    }

    @Test(arguments: [("0", 0), ("1", 1), ("0.5", 0.5), ("1.0", 1), ("1e-05", 0.00001)])
    func `a fraction is from 0 to 1`(text: String, value: Double) throws {
        #expect(try load(["users.removal_guard": text]).settings.users.removalGuard == value)
    }

    @Test(arguments: ["", "-0.1", "-0", "1.01", "50%", "nan", "inf", "0x1p-1", "half", ".5.", "1e999", "1e"])
    func `what is no fraction is refused`(text: String) throws {
        #expect(
            try failure { try load(["users.removal_guard": text]) }
                .hasSuffix("expected a fraction such as 0.5, from 0.0 to 1.0"))
    }

    @Test(arguments: ["true", "True", "yes", "on", "1"])
    func `what means true is true`(text: String) throws {
        #expect(try load(["paused": text]).settings.paused)
    }

    @Test(arguments: ["false", "FALSE", "no", "off", "0"])
    func `what means false is false`(text: String) throws {
        #expect(try !load(["paused": text]).settings.paused)
    }

    @Test(arguments: ["", "2", "t", "truee"])
    func `what is neither true nor false is refused`(text: String) throws {
        #expect(
            try failure { try load(["paused": text]) }
                == "--paused: \"\(text)\" is neither true nor false; expected true or false")
    }

    @Test func `a log level is one of the logger's`() throws {
        #expect(try load(["log_level": "notice"]).settings.logLevel == .notice)
        #expect(
            try failure { try load(["log_level": "verbose"]) }
                == "--log-level: \"verbose\" is not a log level; "
                + "expected one of trace, debug, info, notice, warning, error, critical")
    }

    @Test(arguments: zip(["none", "thumbnail", "all"], Settings.Pictures.allCases))
    func `pictures are fetched ahead or not`(text: String, pictures: Settings.Pictures) throws {
        #expect(try load(["users.pictures": text]).settings.users.pictures == pictures)
        #expect(try load(file: "users:\n  pictures: \(text)\n").settings.users.pictures == pictures)
    }

    @Test(arguments: ["", "large", "None", "thumbnails", "true"])
    func `what says neither is refused`(text: String) throws {
        #expect(
            try failure { try load(["users.pictures": text]) }
                == "--users-pictures: \"\(text)\" is invalid; expected none, thumbnail or all")
    }

    @Test(arguments: [
        "https://example.org", "http://127.0.0.1:8080/api/?a=b", "HTTPS://example.org/a@b?c=d@e",
        "http://[::1]:80/", "https://example.org/%C3%A9",
    ])
    func `a URL is http or https with a host`(text: String) throws {
        #expect(try load(["users.url": text]).settings.users.url == text)
    }

    @Test(arguments: [
        ("", "is not an http or https URL"), ("example.org", "is not an http or https URL"),
        ("ftp://example.org", "is not an http or https URL"),
        ("file:///etc/passwd", "is not an http or https URL"),
        ("/api", "is not an http or https URL"), ("http://", "has no host"), ("https:///api", "has no host"),
        ("https:example.org", "has no host"), ("http://h:0/", "has no valid port"),
        ("http://h:99999999999999999999/", "has no valid port"),
        ("http://127%2e0%2e0%2e1/", "has a host that is neither a name nor an address"),
        ("http://h:65536/", "has no valid port"), ("http://h/#a", "has a fragment"),
        ("http://h/a b", "is not a URL"), ("http://h/\u{0}", "is not a URL"), ("http://h/é", "is not a URL"),
        ("http://h/%zz", "is not a URL"), ("http://h\r\nX: y/", "is not a URL"),
        ("http://[::1/", "is not a URL"),
        (
            "https://bücher.example/a",
            "has a host with letters beyond ASCII; write it as xn--bcher-kva.example"
        ),
        ("https://ann@bücher.example:8/é", "write it as xn--bcher-kva.example"),
        ("http://h/" + String(repeating: "a", count: 2048), "is longer than 2048 bytes"),
    ])
    func `what is no such URL is refused`(text: String, problem: String) throws {
        #expect(try failure { try load(["facts.url": text]) }.contains(problem))
    }

    @Test(arguments: [
        "https://ann:hunter2@example.org/", "https://hunter2@example.org/", "ftp://ann:hunter2@example.org",
        "ann:hunter2@example.org", "https://ann:hunter2@exa mple.org/", "//ann:hunter2@h",
        "ftp://example.org/?api_key=hunter2", "https://example.org/?api_key=hunter2#a", "http://h:0/?hunter2",
        "api_key=hunter2",
    ])
    func `a URL with a password or a key that is refused is not shown`(text: String) throws {
        for source in [["USERD_USERS_URL": text], ["USERD_FACTS_ONE_URL": text]] {
            let message = try failure { try load(environment: source) }
            #expect(!message.contains("hunter2"))
        }
    }

    @Test func `a URL with a user name points to the token file`() throws {
        #expect(
            try failure { try load(["users.url": "https://ann:x@example.org/"]) }
                .contains("put a bearer token into a file, and name the file in users.token_file"))
    }

    @Test(arguments: [
        "", "a=b", "nat=us,gb&seed=%C3%A9", "a=b?c/d:e@f", "a b", "a=b#c", "é", "a=%", "a=%z1",
        #"filter=name sw "Ä""#,
    ])
    func `a query may be empty, and need not be encoded`(text: String) throws {
        #expect(try load(["users.query": text]).settings.users.query == text)
    }

    @Test(arguments: ["?a=b", "a\n", "\u{0}", "a=b\tc", #"{"a": "b=c"}"#, #""a=b""#])
    func `what is no query is refused`(text: String) throws {
        #expect(try failure { try load(["users.query": text]) }.contains("is not a query"))
    }

    @Test(arguments: [
        ("", "is empty"), ("~ada/userd.db", "begins with ~"), ("/a\u{0}b", "holds a control character"),
        ("/a\nb", "holds a control character"),
        ("/" + String(repeating: "a", count: 4095), "is longer than 4095 bytes"),
    ])
    func `what is no path is refused`(text: String, problem: String) throws {
        #expect(try failure { try load(["database": text]) }.contains(problem))
    }

    @Test func `a path below the home directory may begin with a tilde`() throws {
        let file = "database: ~/userd.db\nusers:\n  token_file: ~/.config/token\n"
        let settings = try load(file: file).settings
        #expect(settings.database == "/home/ann/userd.db")
        #expect(settings.users.tokenFile == "/home/ann/.config/token")
    }

    @Test func `a socket's path fits into an address`() throws {
        let longest = "/" + String(repeating: "a", count: 106)
        #expect(try load(["socket": longest]).settings.socket == longest)
        #expect(try failure { try load(["socket": longest + "a"]) }.contains("is longer than 107 bytes"))
    }

    @Test func `an empty token file is none`() throws {
        let yaml = "users:\n  token_file: /run/token\n"
        #expect(try load(file: yaml).settings.users.tokenFile == "/run/token")
        #expect(try load(["users.token_file": ""], file: yaml).settings.users.tokenFile == nil)
    }

    @Test func `an error shows a value on one line, without control characters, and not all of a long one`()
        throws
    {
        let message = try failure {
            try load(["users.pages": "\u{1B}[2J\n\u{202E}\"\\" + String(repeating: "9", count: 500)])
        }
        #expect(message.hasPrefix(#"--users-pages: "\u001b[2J\u000a\u202e\"\\999"#))
        #expect(message.count < 300)
        #expect(message.contains("…"))
    }
}
