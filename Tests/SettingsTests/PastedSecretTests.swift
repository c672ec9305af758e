import Platform
import TestSupport
import Testing
import UserdAPI
import YAML

@testable import Daemon

private let canary = "eyJhbGciOiJI.c4nary/of-the+t0ken"
private let settings = [
    "users.token_file", "users.password_file", "users.basic.password_file", "users.oauth.client_secret_file",
]

@Suite("Secrets in place of their paths")
struct PastedSecretTests {
    @Test("Only what begins as a path, or is in a folder that exists, is shown")
    func paths() throws {
        let folder = try TemporaryDirectory()
        for shown in ["/a", "~/a", "~", "./a", "../a", "/dev/../a"] {
            #expect("\(SecretPath(shown))" == shown)
        }
        for hidden in ["users-token-none", canary, "a b", "c4nary/", "\u{1b}[1m", ".hidden-none", ""] {
            #expect("\(SecretPath(hidden))" == "<not a path>", "\(hidden)")
        }
        // A relative path in a folder that exists.
        let steps = String(repeating: "../", count: 40)
        #expect(SecretPath("x/\(steps)\(folder.path.dropFirst())/none").isShown == false)
        #expect(SecretPath("\(steps)\(folder.path.dropFirst())/none").isShown)
    }

    @Test(
        "A secret in place of a path is in no message, print-out or recording",
        arguments: settings,
        [canary, canary + "\u{7}", canary + String(repeating: "x", count: 5000), "-c4nary"])
    func nowhere(setting: String, value: String) throws {
        let name = try #require(Setting.named[setting])
        let yaml = "users:\n  url: https://a.test/\n" + nested(setting, value.quotedForYAML)
        var texts: [String] = []
        for source in [
            loader([setting: value, "users.url": "https://a.test/"]),
            loader(["users.url": "https://a.test/"], environment: [name.environmentName: value]),
            loader(files: [configPath: yaml]),
        ] {
            let check = source.check()
            texts += check.mistakes.map(\.description) + check.warnings
            do {
                let loaded = try source.load()
                texts += [loaded.printed()] + loaded.warnings + loaded.listed().compactMap(\.value)
                texts += Setting.recorded(of: loaded.settings).values
                #expect(loaded.settings.pastedTexts.contains { value.hasPrefix($0) })
                for (use, path) in loaded.settings.secretPaths where use.rawValue == setting {
                    texts.append(try failure { try Secret.read(use, fromFile: path) })
                    texts.append(Secret.fault(ofFile: path) ?? "")
                    #expect(texts.contains { $0.hasPrefix("\(setting): there is no file <not a path>: ") })
                }
            } catch { texts.append("\(error)") }
        }
        #expect(texts.contains { $0.contains(setting) })
        for text in texts { #expect(!text.contains("c4nary"), "\(text)") }
    }

    @Test("The same in users.headers, whose other values are hidden anyway")
    func headers() throws {
        let yaml = """
            users:
              url: https://a.test/
              headers: {x-a: {file: "\(canary)"}, x-b: {file: /run/key}}
            """
        let loaded = try load(file: yaml)
        let value = try #require(loaded.listed().first { $0.name == "users.headers" }?.value)
        #expect(value == #"{"x-a": {file: "<not a path>"}, "x-b": {file: "/run/key"}}"#)
        #expect(!loaded.printed().contains("c4nary"))
        #expect(loader(files: [configPath: yaml]).check().warnings.filter { $0.contains("c4nary") } == [])
        #expect(loaded.settings.pastedTexts.first == canary)
    }

    @Test("A path keeps its messages, and is no pasted text")
    func real() throws {
        let loaded = try load(["users.url": "https://a.test/", "users.token_file": "/nowhere/token"])
        #expect(loaded.settings.pastedTexts == [])
        let message = try failure { try Secret.read(.token, fromFile: "/nowhere/token") }
        #expect(message == #"users.token_file: there is no file "/nowhere/token""#)
        #expect(Secret.fault(ofFile: "/nowhere/token") == #"there is no file "/nowhere/token""#)
        #expect(Secret.fault(ofFile: "/etc/passwd") == nil)
        #expect(loaded.listed().contains { $0.name == "users.token_file" && $0.value == "/nowhere/token" })
    }

    private func nested(_ setting: String, _ value: String) -> String {
        let keys = setting.split(separator: ".").dropFirst()
        return keys.enumerated().map { String(repeating: "  ", count: $0 + 1) + $1 + ":" }.joined(
            separator: "\n")
            + " \(value)\n"
    }
}

extension String {
    fileprivate var quotedForYAML: String { "\"" + replacing("\u{7}", with: "\\a") + "\"" }
}

@Suite("A secret on standard input")
struct GivenSecretTests {
    private static let here = "https://idp.example/Users"

    private func given(
        _ use: Secret.Use, _ content: String, _ commandLine: [String: String] = [:],
        files: [String: String] = [:]
    ) -> SettingsLoader {
        var given = loader(commandLine, files: files)
        given.secret = (use, Array(content.utf8))
        return given
    }

    @Test(
        "It takes the place of the file that is named or found, wherever the address is set, and an .origin does not count"
    )
    func place() throws {
        let folder = "/home/ann/.config/userd"
        let yaml = "users: {url: '\(Self.here)', format: scim, token_file: /t}"
        let files = [
            configPath: yaml, "/t": "old", "/t.origin": "https://other.example",
            folder + "/users-token": "old",
            folder + "/users-token.origin": "https://other.example",
        ]
        for text in [yaml, yaml.replacing(", token_file: /t", with: "")] {
            for commandLine in [[:], ["users.url": Self.here]] {
                let all = files.merging([configPath: text]) { $1 }
                #expect(try given(.token, "n3w", commandLine, files: all).load().settings.secretFiles.isEmpty)
                let settings = try given(.token, "n3w", commandLine, files: all).load().settings
                #expect(settings.misdirection == nil)
                let path = try #require(settings.users.tokenFile)
                #expect(try Secret.read(.token, fromFile: path).secret.value == "n3w")
            }
        }
        // Without it, the file's own origin counts.
        #expect(
            try loader(files: files).load().settings.secretFiles.map(\.written) == ["https://other.example"])
    }

    @Test(
        "The rules of its kind hold, and errors name the setting and not the secret",
        arguments: [
            (.token, "", "is empty"), (.token, "c4nary two", "holds more than a token"),
            (.token, String(repeating: "c", count: 64 << 10) + "4nary", "is larger than 64 KiB"),
            (.clientSecret, "c4naryé", "holds more than a secret"),
            (.password, "c4nary\nand more", "holds more than a password"),
            (.basic, "c4nary\u{7}", "holds more than a password"),
        ] as [(Secret.Use, String, String)])
    func rules(use: Secret.Use, content: String, words: String) throws {
        let path = SecretPath(content: Array(content.utf8))
        let message = try failure { try Secret.read(use, fromFile: path) }
        #expect(message.hasPrefix("\(use.rawValue): standard input \(words)"), "\(message)")
        #expect(!message.contains("4nary"))
        let right = SecretPath(content: Array("\u{FEFF}s3cret\r\n".utf8))
        #expect(try Secret.read(use, fromFile: right).secret.value == "s3cret")
    }
}
