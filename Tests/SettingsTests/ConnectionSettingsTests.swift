import HTTPClient
import Platform
import Testing
import Upstream

@testable import Daemon

struct OAuthSettingsTests {
    private let file = """
        users:
          url: https://users.example/
          oauth:
            token_url: https://idp.example/token
            client_id: userd
            client_secret_file: /secret
            auth: post

        """

    @Test func `settings of a section within a section are nested twice in the file`() throws {
        let loaded = try load(
            ["users.oauth.scope": "a b"], environment: ["USERD_USERS_OAUTH_CLIENT_ID": "other"], file: file)
        let oauth = loaded.settings.users.oauth
        #expect(oauth.tokenURL == "https://idp.example/token")
        #expect((oauth.clientID, oauth.scope) == ("other", "a b"))
        #expect(oauth.auth == .post)
        #expect(loaded.origins["users.oauth.token_url"] == .file(path: configPath, line: 4))
        #expect(loaded.settings.signInMistakes.isEmpty)
        let printed = try #require(loaded.printed().split(separator: "\n  oauth:\n").last)
        #expect(printed.contains("    client_id: \"other\"  # environment USERD_USERS_OAUTH_CLIENT_ID\n"))
        #expect(printed.contains("    token_url: \"https://idp.example/token\"  # file \(configPath):4\n"))
    }

    @Test(arguments: [
        ("users:\n  oauth.client_id: a\n", 2), ("users.oauth: {client_id: a}\n", 1),
        ("users.oauth.client_id: a\n", 1),
    ])
    func `one that is not nested is told how`(file: String, line: Int) throws {
        let told = try failure { try load(file: file) }
        #expect(told.hasPrefix("\(configPath):\(line): users.oauth"))
        #expect(told.contains("is written nested: users: on a line, and below it, indented, oauth:"))
    }

    @Test func `what a client needs is told where a part is missing, as is a token file beside it`() throws {
        func mistakes(_ texts: [String: String]) throws -> [SettingMistake] {
            try load(texts).settings.signInMistakes
        }
        #expect(try mistakes([:]).isEmpty)
        #expect(try mistakes(["users.oauth.scope": "a"]).count == 3)
        #expect(
            try mistakes(["users.oauth.client_id": "a", "users.oauth.client_secret_file": "/a"]).count == 1)
        let whole = [
            "users.oauth.token_url": "https://a.test/", "users.oauth.client_id": "a",
            "users.oauth.client_secret_file": "/a",
        ]
        #expect(try mistakes(whole).isEmpty)
        #expect(try mistakes(whole.merging(["users.token_file": "/t"]) { $1 }).count == 1)
    }

    @Test func `the credential users-client-secret is the secret's file where there is an endpoint`() throws {
        let path = "/run/credentials/userd.service/users-client-secret"
        func load(_ commandLine: [String: String]) throws -> LoadedSettings {
            try loader(
                commandLine, environment: ["CREDENTIALS_DIRECTORY": "/run/credentials/userd.service"],
                files: [path: "s3cret"]
            ).load()
        }
        let url = ["users.oauth.token_url": "https://a.test/"]
        #expect(try load(url).settings.users.oauth.clientSecretFile?.text == path)
        let other = url.merging(["users.oauth.client_secret_file": "/a"]) { $1 }
        #expect(try load(other).settings.users.oauth.clientSecretFile == "/a")
        let without = try load([:])
        #expect(without.settings.users.oauth.clientSecretFile == nil)
        #expect(without.warnings.contains { $0.hasPrefix("the credential users-client-secret is not used") })
    }

    @Test func `none of it is recorded`() {
        #expect(Setting.recorded(of: Settings()).keys.allSatisfy { !$0.hasPrefix("users.oauth") })
        let ways: Set = ["http.proxy", "http.no_proxy", "http.ca_file", "users.token_scheme"]
        #expect(ways.isDisjoint(with: Setting.recorded(of: Settings()).keys))
    }
}

struct ProxySettingsTests {
    private func proxies(
        _ environment: [String: String], _ commandLine: [String: String] = [:]
    ) throws -> Proxies {
        try load(commandLine, environment: environment).settings.proxies
    }

    @Test func `the usual variables are read, lower case before upper case, even where it is empty`() throws {
        let given = try proxies([
            "HTTPS_PROXY": "http://a:1", "https_proxy": "b:2", "ALL_PROXY": "socks5://c", "NO_PROXY": "x",
            "no_proxy": "y",
        ])
        let (b, c) = (try #require(ProxyAddress("http://b:2")), try #require(ProxyAddress("socks5://c")))
        #expect(given == Proxies(https: b, http: c, exceptions: "y"))
        let off = try proxies(["HTTPS_PROXY": "http://a:1", "https_proxy": "", "all_proxy": "http://c"])
        let http = try #require(ProxyAddress("http://c"))
        #expect(off == Proxies(http: http))
        // As GNOME exports it.
        let gnome = try proxies(["ALL_PROXY": "socks://127.0.0.1:1080/"])
        let socks = try #require(ProxyAddress("socks5://127.0.0.1:1080"))
        #expect(gnome.https == socks)
    }

    @Test func `where the proxy is a setting, variables say of it only which hosts go without`() throws {
        let given = try proxies(
            ["HTTPS_PROXY": "https://a:1", "NO_PROXY": "x"], ["http.proxy": "http://p:3128"])
        let proxy = try #require(ProxyAddress("http://p:3128"))
        #expect(given == Proxies(always: proxy, exceptions: "x"))
    }

    @Test(arguments: [
        ("https://p:1", "is an https:// proxy"), ("socks4://p:1", "is not an http://, socks5://"),
        ("socks5://ann:s3cret@p:1", "has a user or a password"), ("http://ann:s3cret@p:1/x", "more than"),
        ("p:3128", "is not an http://, socks5://"), ("http://", "has no host"),
        ("http://p:0", "has no valid port"),
        (
            "http://bücher.example:1",
            "has a host with letters beyond ASCII; write it as xn--bcher-kva.example"
        ),
    ])
    func `a setting that userd can't use is refused, a variable keeps why, without its password`(
        text: String, reason: String
    ) throws {
        let told = try failure { try load(["http.proxy": text]) }
        #expect(told.hasPrefix("--http-proxy: "))
        #expect(told.contains(reason))
        #expect(!told.contains("s3cret"))
        guard text.contains("://") else { return }
        let given = try proxies(["ALL_PROXY": text])
        #expect(given.all.isEmpty)
        let why = try #require(given.faults["https"])
        #expect(given.faults == ["http": why, "https": why])
        #expect(why.hasPrefix("ALL_PROXY ") && why.contains(reason), "\(why)")
        #expect(!why.contains("s3cret"))
        #expect(try load(["mock": "data"], environment: ["ALL_PROXY": text]).warnings.isEmpty)
    }

    @Test(arguments: ["Bearer t0ken", "", "a:b", String(repeating: "a", count: 41)])
    func `a scheme is one word, and what may be a token is not shown`(text: String) throws {
        let told = try failure { try load(["users.token_scheme": text]) }
        #expect(told.hasPrefix("--users-token-scheme: is not a scheme"))
    }
}
