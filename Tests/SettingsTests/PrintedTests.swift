import Testing
import UserdAPI

@testable import Daemon

struct PrintedTests {
    @Test func `the defaults are printed as a file, each with its origin`() throws {
        #expect(
            try load().printed() == """
                socket: "/run/user/7/userd/userd.sock"  # default
                database: "/home/ann/.cache/userd/userd.db"  # default
                paused: false  # default
                demo: ""  # default
                log_level: info  # default
                record: ""  # default
                record_raw: false  # default
                replay: ""  # default
                replay_speed: 0.0  # default
                mock: ""  # default
                # columns: no value
                # me: no value
                # actions: no value
                # hyperlinks: no value
                desktop: true  # default
                notifications: true  # default
                users:
                  format: randomuser  # default
                  url: "https://randomuser.me/api/"  # default
                  sasl: ""  # default
                  bind_dn: ""  # default
                  password_file: ""  # default
                  starttls: false  # default
                  query: "nat=us&seed=999"  # default
                  # body: no value
                  page_size: 20  # default
                  pages: 1  # default
                  interval: 15min  # default
                  full_interval: 1d  # default
                  ids_interval: 6h  # default
                  removal_guard: 0.5  # default
                  token_file: ""  # default
                  token_scheme: Bearer  # default
                  # headers: no value
                  pictures: none  # default
                  # records: no value
                  # fields: no value
                  # skip: no value
                  kinds: person  # default
                  # kind_values: no value
                  omit: ""  # default
                  # paging: no value
                  basic:
                    user: ""  # default
                    password_file: ""  # default
                  oauth:
                    issuer: ""  # default
                    grant: ""  # default
                    client_id: ""  # default
                    client_secret_file: ""  # default
                    scope: ""  # default
                    # parameters: no value
                    redirect: ""  # default
                    authorization_url: ""  # default
                    token_url: ""  # default
                    device_url: ""  # default
                    revocation_url: ""  # default
                    auth: basic  # default
                facts:
                  format: catfact  # default
                  url: "https://catfact.ninja/facts"  # default
                  one_url: "https://catfact.ninja/fact"  # default
                  page_size: 100  # default
                  max_count: 10000  # default
                  interval: 6h  # default
                  # records: no value
                  # fields: no value
                  # paging: no value
                http:
                  connect_timeout: 10s  # default
                  deadline: 1min  # default
                  max_response_bytes: 64MiB  # default
                  proxy: ""  # default
                  no_proxy: ""  # default
                  ca_file: ""  # default
                retry:
                  base: 1s  # default
                  cap: 15min  # default
                limits:
                  connections: 256  # default
                  request_bytes: 1MiB  # default
                  request_depth: 32  # default
                  request_deadline: 10s  # default
                  watch_queue: 1024  # default
                  history: 10000  # default
                  requested_syncs: 10  # default
                carddav:
                  port: ""  # default
                  search: ""  # default
                  department: ""  # default
                  pictures: false  # default
                  max_users: 50000  # default
                  kinds: person  # default
                publish:
                  # kinds: no value

                """)
    }

    @Test func `of further parameters of the provider only the names are shown`() throws {
        let yaml = """
            users:
              oauth: {issuer: https://a.test, client_id: a, parameters: {audience: canary-1, "a b": canary-2, prompt: null}}
            """
        let loaded = try load(file: yaml)
        #expect(
            loaded.printed().contains(#"parameters: {"audience": REDACTED, "a b": REDACTED, "prompt": null}"#)
        )
        let listed = loaded.listed().map { $0.value ?? "" }
        #expect(!(loaded.printed() + listed.joined()).contains("canary"))
        #expect(!Setting.recorded(of: loaded.settings).values.contains { $0.contains("canary") })
        for wrong in ["{a: canary-1, scope: b}", "[canary-1]", "{a: {canary-1: b}}"] {
            let message = try failure { try load(file: "users:\n  oauth:\n    parameters: \(wrong)\n") }
            #expect(!message.contains("canary"), "\(message)")
        }
    }

    @Test func `each origin is shown`() throws {
        let printed = try load(
            ["users.pages": "3"], environment: ["USERD_PAUSED": "yes"], file: "http:\n  deadline: 2h"
        ).printed()
        #expect(printed.contains("\n  pages: 3  # command line\n"))
        #expect(printed.contains("\npaused: true  # environment USERD_PAUSED\n"))
        #expect(printed.contains("\n  deadline: 2h  # file \(configPath):2\n"))
    }

    @Test(arguments: Setting.texts.map(\.name))
    func `what is printed gives the same settings again`(name: String) throws {
        for sample in try #require(Setting.named[name]).samples {
            let loaded = try load([name: sample])
            let again = try loader(
                configFile: "/printed", environment: ["XDG_RUNTIME_DIR": ""],
                files: [
                    "/printed": loaded.printed()
                ]
            ).load()
            #expect(again.settings == loaded.settings)
            #expect(
                again.origins.filter { $0.value == .default }.keys.allSatisfy {
                    Setting.named[$0]?.isStructured == true
                })
        }
    }

    @Test(arguments: [
        ["database": "a\"b\\c: #\u{2028}\u{202E}é😀\u{10FFFF}"], ["database": "null"],
        ["users.removal_guard": "1e-05"],
        ["users.query": ""], ["http.deadline": "1500ms", "http.max_response_bytes": "1537"],
    ])
    func `odd values survive printing`(values: [String: String]) throws {
        let loaded = try load(values)
        #expect(try load(file: loaded.printed()).settings == loaded.settings)
    }

    @Test func `a socket without a default is printed as a comment`() throws {
        let loaded = try loader(environment: ["XDG_RUNTIME_DIR": "relative"]).load()
        #expect(loaded.printed().hasPrefix("# socket: no value\ndatabase: "))
        let again = try loader(
            environment: ["XDG_RUNTIME_DIR": ""], files: [configPath: loaded.printed()]
        ).load()
        #expect(again.settings == loaded.settings)
    }

    @Test func `a file's name cannot break out of its comment`() throws {
        let path = "/a\npaused: true\u{2029}"
        let loaded = try loader(configFile: path, files: [path: "log_level: debug"]).load()
        #expect(loaded.printed().contains("log_level: debug  # file /a\\u000apaused: true\\u2029:1\n"))
        #expect(try load(file: loaded.printed()).settings == loaded.settings)
    }
}
