import Platform
import Testing
import UserdAPI
import YAML

@testable import Daemon

/// The settings that are sent with requests for users.
struct RequestSettingsTests {
    private func load(_ users: String, files: [String: String] = [:]) throws -> LoadedSettings {
        try loader(files: files.merging([configPath: "users:\n" + users]) { $1 }).load()
    }

    @Test func `a header has a value, or a file with it, also below the home directory`() throws {
        let headers = try load("  headers: {OCS-APIRequest: true, x-api-key: {file: ~/key}, A: {file: /b}}\n")
            .settings.users.headers
        #expect(headers?.all.map(\.name) == ["OCS-APIRequest", "x-api-key", "A"])
        guard case .text("true")? = headers?["ocs-apirequest"] else {
            return #expect(Bool(false), "no text")
        }
        #expect(headers?.files == ["/home/ann/key", "/b"])
    }

    @Test(
        arguments: [
            ("Host: a", "Host", "can't be set"), ("cookie: a", "cookie", "can't be set"),
            ("Content-Length: 1", "Content-Length", "can't be set"),
            ("Transfer-Encoding: chunked", "Transfer-Encoding", "can't be set"),
            ("Proxy-Authorization: a", "Proxy-Authorization", "can't be set"),
            ("'a b': c", "a b", "is not the name of a header"), ("'': c", "", "is not the name of a header"),
            ("\"a\\r\\nb\": c", "a\\u000d\\u000ab", "is not the name of a header"),
            ("A: \"s3cret\\r\\nB: c\"", "A", "has a value that is not one line"),
            ("A: \"s3cret\\n\"", "A", "has a value that is not one line"), ("A: ''", "A", "has a value"),
            ("A: ü", "A", "has a value that is not one line"),
            ("A: [s3cret]", "A", "has a list that does not name a file"),
            ("A: {value: s3cret}", "A", "has a mapping that does not name a file"),
            ("A: {file: ''}", "A", "names no file"),
            ("A: b\n    a: c", "a", "is given twice"),
        ])
    func `a header that can't be sent is told with its line, and without its value`(
        header: String, name: String, problem: String
    ) throws {
        let told = try failure { try load("  headers:\n    X: y\n    \(header)\n") }
        let line = header.contains("\n") ? 5 : 4
        #expect(told.hasPrefix("\(configPath):\(line): users.headers.\(name): \(problem)"), "\(told)")
        #expect(!told.contains("s3cret"))
    }

    @Test func `values of headers and bodies are printed nowhere`() throws {
        let loaded = try load(
            """
              headers: {X-Api-Key: canary-1, Other: {file: /key}}
              body:
                query: canary-2
                variables: {first: 100, after: null, in: [canary-3]}

            """)
        let shown = loaded.listed().filter { ["users.headers", "users.body"].contains($0.name) }
        #expect(
            shown.compactMap(\.value) == [
                "{query: REDACTED, variables: {first: REDACTED, after: null, in: [REDACTED]}}",
                #"{"X-Api-Key": REDACTED, "Other": {file: "/key"}}"#,
            ])
        #expect(!loaded.printed().contains("canary"))
        let recorded = Setting.recorded(of: loaded.settings)
        #expect(recorded["users.headers"] == nil)
        #expect(recorded["users.body"] == shown.first?.value)
        for text in ["'{\"a\": \"canary\"}'", "'[\"canary\"]'", "a=canary&canary", "canary", "'{canary'"] {
            #expect(try !load("  body: \(text)\n").printed().contains("canary"), "\(text)")
        }
        #expect(try !failure { try load("  headers: 'canary: ['\n") }.contains("canary"))
    }

    @Test func `another value of a header or a body is a change`() throws {
        let old = try load("  headers: {A: b}\n  body: {a: 1}\n").settings
        let new = try load("  headers: {A: c}\n  body: {a: 2}\n").settings
        #expect(Setting.changes(from: old, to: new) == ["users.body", "users.headers"])
    }

    @Test func `a password is awaited beside config yaml where there is a user, and no token is used then`()
        throws
    {
        let folder = "/home/ann/.config/userd/"
        let secrets = [folder + "users-token": "t", folder + "users-password": "p"]
        func users(_ text: String) throws -> Settings.Users {
            try load("  url: https://users.example/\n  \(text)\n", files: secrets).settings.users
        }
        let basic = try users("basic: {user: ann@example.org/token}")
        #expect(basic.basic.passwordFile?.text == folder + "users-password")
        #expect((basic.tokenFile, basic.passwordFile) == (nil, nil))
        #expect(try users("basic: {password_file: /p}").tokenFile == nil)
        #expect(try users("headers: {authorization: a}").tokenFile == nil)
        #expect(try users("headers: {x-api-key: a}").tokenFile?.text == folder + "users-token")
        #expect(
            try failure { try users("basic: {user: 'a:s3cret'}") }.contains("users.basic.user: holds a colon")
        )
    }

    @Test func `who userd is, is said in one way`() throws {
        let ways = [
            "token_file: /t", "oauth: {token_url: 'https://a/', client_id: a, client_secret_file: /s}",
            "basic: {user: a, password_file: /p}", "headers: {Authorization: a}",
        ]
        for (index, way) in ways.enumerated() {
            #expect(try load("  url: 'https://b/'\n  \(way)\n").settings.signInMistakes.isEmpty)
            for other in ways[..<index] {
                let settings = try load("  url: 'https://b/'\n  \(other)\n  \(way)\n").settings
                #expect(settings.signInMistakes.count == 1, "\(other), \(way)")
            }
        }
    }

    @Test(arguments: ["basic: {password_file: /p}", "basic: {user: a}", "headers: {A: b}", "body: {a: b}"])
    func `what is sent needs an address of one's own`(text: String) throws {
        #expect(try load("  \(text)\n").settings.tokenMistakes { _ in false }.count == 1)
        #expect(try load("  \(text)\n").settings.tokenMistakes { $0 == "users.url" }.isEmpty)
    }

    @Test func `files of headers and passwords are secrets`() throws {
        let settings = try load(
            "  headers: {A: {file: /a}, B: {file: /b}}\n  basic: {user: u, password_file: /p}\n"
        )
        .settings
        #expect(settings.secretPaths.map(\.path) == ["/p", "/a", "/b"])
    }

    @Test func `lists in a query may have brackets`() throws {
        let query = "role[]=agent&role[]=admin"
        #expect(try load("  query: \(query)\n").settings.users.query == query)
        #expect(try failure { try load("  query: '?a=b'\n") }.contains("is not a query"))
    }
}
