import Testing
import Upstream

@testable import Daemon

struct SignInSettingsTests {
    @Test("A person signs in by the browser where a provider is named; grant names another way")
    func way() throws {
        func way(_ texts: [String: String]) throws -> Settings.Grant? {
            try load(texts).settings.users.oauth.grantInForce
        }
        #expect(try way([:]) == nil)
        #expect(try way(["users.oauth.issuer": "https://a.test"]) == .browser)
        #expect(try way(["users.oauth.token_url": "https://a.test/"]) == .clientCredentials)
        let both = ["users.oauth.issuer": "https://a.test", "users.oauth.token_url": "https://a.test/"]
        #expect(try way(both) == .browser)
        #expect(try way(both.merging(["users.oauth.grant": "device"]) { $1 }) == .device)
    }

    @Test(
        "What is missing for a way is named",
        arguments: [
            (["issuer": "https://a.test"], ["client_id"]),
            (["issuer": "https://a.test", "client_id": "a"], []),
            (["grant": "browser", "client_id": "a"], ["authorization_url", "token_url"]),
            (["grant": "device", "client_id": "a", "token_url": "https://a.test/"], ["device_url"]),
            (["grant": "client_credentials", "issuer": "https://a.test", "client_id": "a"], ["token_url"]),
        ])
    func needed(given: [String: String], missing: [String]) throws {
        let texts = given.map { ("users.oauth.\($0)", $1) }
        let settings = try load(Dictionary(uniqueKeysWithValues: texts)).settings
        #expect(
            settings.signInMistakes.map(\.reason).sorted()
                == missing.map { "also needs users.oauth.\($0)" }.sorted())
    }

    @Test("The client id that comes with a format is for people who name none, and not for codes")
    func builtInClient() throws {
        let format = try DirectoryFormat(
            name: "graph", yaml: Array("client_id: 0a0b\n".utf8), fields: [])
        func settings(_ texts: [String: String]) throws -> Settings {
            var settings = try load(texts).settings
            settings.users.oauth.takeClientID(of: format)
            return settings
        }
        let microsoft = ["users.oauth.issuer": "https://login.microsoftonline.com/0f/v2.0"]
        let taken = try settings(microsoft)
        #expect(taken.users.oauth.clientID == "0a0b" && taken.users.oauth.hasBuiltInClient)
        #expect(taken.signInMistakes.isEmpty)
        let own = try settings(microsoft.merging(["users.oauth.client_id": "a"]) { $1 })
        #expect(own.users.oauth.clientID == "a" && !own.users.oauth.hasBuiltInClient)
        let device = try settings(microsoft.merging(["users.oauth.grant": "device"]) { $1 })
        #expect(device.signInMistakes.map(\.setting) == ["users.oauth.grant"])
        for other in ["users.oauth.issuer", "users.oauth.token_url"] {
            #expect(try settings([other: "https://idp.test/"]).users.oauth.clientID == nil)
        }
    }

    @Test("A person's token goes to users.url alone, and excludes other tokens")
    func exclusive() throws {
        let texts = ["users.oauth.issuer": "https://a.test", "users.oauth.client_id": "a"]
        let settings = try load(texts.merging(["users.token_file": "/t"]) { $1 }).settings
        #expect(settings.signInMistakes.count == 1)
        #expect(settings.tokenMistakes { _ in false }.map(\.setting) == ["users.token_file"])
        #expect(
            try load(texts).settings.tokenMistakes { _ in false }.map(\.setting) == ["users.oauth.issuer"])
        #expect(try load(texts).settings.tokenMistakes { $0 == "users.url" }.isEmpty)
    }

    @Test(
        "The redirect is an http address of this machine",
        arguments: ["https://localhost/", "http://example.org/", "http://localhost/?a=b", "localhost"])
    func redirect(text: String) {
        #expect(throws: SettingsError.self) { try load(["users.oauth.redirect": text]) }
    }

    @Test("Parameters are texts, and not those that userd sets")
    func parameters() throws {
        func oauth(_ text: String) throws -> Settings.OAuth {
            try load(file: "users:\n  oauth:\n    parameters: \(text)\n").settings.users.oauth
        }
        let all = try oauth("{audience: https://api.test, resource: 'a b'}").parameters?.all ?? []
        #expect(
            all.map(\.name) == ["audience", "resource"] && all.map(\.value) == ["https://api.test", "a b"])
        #expect(try oauth("{}").parameters == nil)
        // The one parameter that userd would send by itself.
        #expect(try oauth("{prompt: null}").parameters?.all.map(\.value) == [""])
        #expect(try oauth("{prompt: ~}").parameters?.all.map(\.value) == [""])
        let own = try failure { try oauth("{scope: a}") }
        #expect(
            own.contains("users.oauth.parameters.scope: can't be set, since userd sets it"),
            "\(own)")
        for wrong in ["[a]", "{a: [b]}", "{a: ''}", "{a: ä}", "{a: null}"] {
            #expect(throws: SettingsError.self) { try oauth(wrong) }
        }
    }

    @Test("Tokens are in the folder of the service, also for programs in a terminal")
    func folder() throws {
        func folder(_ environment: [String: String]) throws -> String? {
            try load(environment: environment).settings.tokenFolder
        }
        #expect(try folder(["STATE_DIRECTORY": "/s/userd-tokens:/t"]) == "/s/userd-tokens")
        #expect(try folder(["XDG_CONFIG_HOME": "/c"]) == "/home/ann/.local/state/userd-tokens")
        #expect(try folder(["XDG_STATE_HOME": "/s"]) == "/s/userd-tokens")
    }
}
