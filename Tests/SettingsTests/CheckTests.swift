import Platform
import TestSupport
import Testing

@testable import Daemon

struct CheckTests {
    private func mistakes(_ check: SettingsCheck) -> [String] { check.mistakes.map(\.description) }

    @Test func `all mistakes are found at once, those of the file in its order and first`() throws {
        let check = loader(
            ["users.pages": "many"], environment: ["USERD_HTTP_DEADLINE": "soon", "USERD_PAUSD": "1"],
            files: [
                configPath: """
                log_level: loud
                users:
                  intervall: 5min
                  page_size: 0
                  pages: none
                paused: [yes]
                colour: red

                """
            ]
        ).check()
        let beginnings = [
            "\(configPath):1: log_level: \"loud\" is not a log level",
            "\(configPath):3: users.intervall: is not a setting; did you mean users.interval?",
            "\(configPath):4: users.page_size: \"0\" is out of range",
            "\(configPath):5: users.pages: \"none\" is not a whole number",
            "\(configPath):6: paused: has a list",
            "\(configPath):7: colour: is not a setting",
            "--users-pages: \"many\" is not a whole number",
            "USERD_HTTP_DEADLINE: \"soon\" is not a duration",
        ]
        #expect(check.mistakes.count == beginnings.count)
        for (mistake, beginning) in zip(mistakes(check), beginnings) {
            #expect(mistake.hasPrefix(beginning))
        }
        #expect(check.warnings.count == 1)
        #expect(check.warnings.first?.contains("USERD_PAUSD") == true)
    }

    @Test(arguments: [
        ("users:\n  format:scim\n  url: https://a.test/\n", "2: \"format:\" needs a space after its colon"),
        ("users:\n  format:scim\n", "2: \"format:\" needs a space after its colon"),
        ("paused:true\n", "1: \"paused:\" needs a space after its colon"),
        (
            "users:\n  token: hunter2\n",
            "2: users.token: is not a setting; put it into a file, and name the file in users.token_file"
        ),
        (
            "token: hunter2\n",
            "1: token: is not a setting; put it into a file, and name the file in users.token_file"
        ),
        (
            "users:\n  password: hunter2\n",
            "2: users.password: is not a setting; put it into a file, and name the file in users.password_file"
        ),
        (
            "users:\n  oauth: {client_secret: hunter2}\n",
            "2: users.oauth.client_secret: is not a setting; put it into a file, and name the file in users.oauth.client_secret_file"
        ),
        (
            "users:\n- format: scim\n",
            "1: users: is a section, and has a list for its settings; indent them below it, without the -"
        ),
    ])
    func `a slip of the pen is told with what to write`(yaml: String, mistake: String) throws {
        let found = mistakes(loader(files: [configPath: yaml]).check())
        #expect(found == ["\(configPath):\(mistake)"])
    }

    @Test func `a number without a unit is no duration`() throws {
        let check = loader(files: [configPath: "users:\n  interval: 15\n"]).check()
        #expect(mistakes(check).first?.contains("users.interval: \"15\" is not a duration") == true)
    }

    @Test(arguments: [
        (["users.url": "https://a.test/scim/v2/Users"], true), (["users.url": "https://a.test/api/"], false),
        (["users.url": "https://a.test/Users", "users.format": "randomuser"], false), ([:], false),
        (["users.url": "https://a.test/Users", "mock": "data"], false),
    ])
    func `an address of another kind with the default's format is a warning`(
        settings: [String: String], isWarned: Bool
    ) {
        let warnings = loader(settings).check().warnings
        #expect(warnings.contains { $0.hasPrefix("users.format is not set") } == isWarned)
    }

    @Test(
        arguments: [
            (["users.url": "http://a.test/", "users.query": "key=s3cret"], "users.query"),
            (["users.url": "http://a.test/?key=s3cret", "users.query": ""], "users.url"),
            (["users.url": "http://x.localhost/?key=s3cret", "users.query": ""], "users.url"),
            (["users.url": "https://a.test/", "users.query": "key=s3cret"], nil),
            (["users.url": "http://localhost/", "users.query": "key=s3cret"], nil),
            (["users.url": "http://a.test/"], nil), (["users.url": "ldap://a.test/dc=test?uid"], nil),
        ] as [([String: String], String?)])
    func `a query that may have a key is a warning where it goes without encryption`(
        settings: [String: String], named: String?
    ) {
        let warnings = loader(settings).check().warnings.filter { $0.contains("is not encrypted on its way") }
        #expect(warnings.count == (named == nil ? 0 : 1))
        #expect(warnings.first?.hasPrefix("the query of \(named ?? "")") ?? true)
        #expect(!warnings.contains { $0.contains("s3cret") })
    }

    @Test func `a mistake is told once, wherever the value that holds comes from`() throws {
        let check = loader(files: [configPath: "users:\n  pages: none\n"]).check()
        #expect(check.mistakes.count == 1)
    }

    @Test func `of a file that is no YAML the place is told, and the other sources are checked`() throws {
        let check = loader(["users.pages": "0"], files: [configPath: "users:\n\tpages: 1\n"]).check()
        #expect(check.mistakes.count == 2)
        #expect(mistakes(check)[0].hasPrefix("\(configPath):2: is not valid YAML"))
        #expect(mistakes(check)[1].hasPrefix("--users-pages"))
    }

    @Test func `there are no more mistakes than somebody would read`() throws {
        let text = (1...10_000).map { "a\($0): 1\n" }.joined()
        #expect(loader(files: [configPath: text]).check().mistakes.count == 50)
    }

    @Test func `a valid file is named with the number of its settings, and none is none`() throws {
        let check = loader(files: [configPath: "paused: true\nusers: { pages: 2, page_size: 3 }\n"]).check()
        #expect(mistakes(check) == [])
        #expect(check.files.map(\.path) == [configPath])
        #expect(check.files.map(\.count) == [3])
        #expect(loader().check().files.isEmpty)
    }

    @Test func `neither a runtime directory nor a socket is needed`() throws {
        let loader = SettingsLoader(
            commandLine: [:], environment: [:], homeDirectory: "/home/ann", readFile: { _ in nil })
        #expect(mistakes(loader.check()) == [])
    }

    @Test func `a token that can't be read is a warning`() throws {
        let check = loader(["users.token_file": "/nowhere/token"]).check()
        #expect(mistakes(check) == [])
        #expect(check.warnings.count == 1)
        #expect(check.warnings.first?.contains("/nowhere/token") == true)
    }
}

struct CredentialTests {
    private let environment = ["CREDENTIALS_DIRECTORY": "/run/credentials/userd.service"]
    private let path = "/run/credentials/userd.service/users-token"

    private func load(
        _ commandLine: [String: String] = [:], _ variables: [String: String] = [:], file: String? = nil
    )
        throws -> LoadedSettings
    {
        try loader(
            commandLine, environment: environment.merging(variables) { $1 },
            files: [path: "t0ken", configPath: file ?? "users: { url: 'https://users.example/' }"]
        ).load()
    }

    @Test func `the credential users-token is the token's file where no source names one`() throws {
        let loaded = try load()
        #expect(loaded.settings.users.tokenFile?.text == path)
        #expect(loaded.printed().contains("  token_file: \"\(path)\"  # credential users-token\n"))
        #expect(!loaded.printed().contains("t0ken\n"))
    }

    @Test func `the upstream of the defaults does not get it, which a warning says`() throws {
        let loaded = try load(file: "")
        #expect(loaded.settings.users.tokenFile == nil)
        #expect(loaded.origins["users.token_file"] == .default)
        #expect(loaded.warnings.contains { $0.hasPrefix("the credential users-token is not used") })
    }

    @Test func `every source goes before it, and may say that there is no token`() throws {
        #expect(try load(["users.token_file": "/a"]).settings.users.tokenFile == "/a")
        #expect(try load([:], ["USERD_USERS_TOKEN_FILE": "/b"]).settings.users.tokenFile == "/b")
        #expect(try load(file: "users: { token_file: /c }").settings.users.tokenFile == "/c")
        #expect(try load(file: "users: { token_file: '' }").settings.users.tokenFile == nil)
    }

    @Test(arguments: ["/elsewhere", "relative", ""])
    func `a directory without it changes nothing`(directory: String) throws {
        let loaded = try load([:], ["CREDENTIALS_DIRECTORY": directory])
        #expect(loaded.settings.users.tokenFile == nil)
        #expect(loaded.origins["users.token_file"] == .default)
    }

    @Test func `a credential that can't be read is named nevertheless, so that the sync says why`() throws {
        struct Refused: Error {}
        let loader = SettingsLoader(
            commandLine: ["users.url": "https://users.example/"], environment: environment,
            homeDirectory: "/home/ann",
            readFile: { [path] in
                if $0 == path { throw Refused() }
                return nil
            })
        #expect(try loader.load().settings.users.tokenFile?.text == path)
    }
}
