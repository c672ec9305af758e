import Foundation
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import UserctlCommands

/// Somebody who gives these answers, and then hangs up.
final class Interview {
    var answers: [String]
    /// The answers that are not shown.
    var hidden: [String]
    var said: [String] = []
    var questions: [String] = []
    /// The error in place of a certificate.
    var complaint: String?
    var asked: [String] = []
    var folder = "/home/ann/.config/userd"
    var home = "/home/ann"
    var isHidden: (String) -> Bool = { _ in false }
    var canAsk = true

    init(_ answers: String..., hidden: String...) { (self.answers, self.hidden) = (answers, hidden) }

    var dialog: ConnectDialog {
        ConnectDialog(
            ask: { [self] question in
                questions.append(question)
                return answers.isEmpty ? nil : answers.removeFirst()
            },
            askHidden: { [self] question in
                questions.append(question)
                return hidden.isEmpty ? nil : hidden.removeFirst()
            }, say: { [self] in said.append($0) },
            certificate: { [self] address in
                asked.append(address)
                if let complaint { throw CommandError(complaint, .failed) }
                return "certificate: idp.example.org, by R11"
            }, isHidden: isHidden, canAsk: canAsk, folder: folder, home: home)
    }
}

let token = SecretKind.token
private let password = SecretKind.password
private let clientSecret = SecretKind.clientSecret

@Suite("The secret that connect asks for")
struct ConnectSecretTests {
    @Test(
        "A secret is what a person pastes; what can't be one is asked again, with a reason",
        arguments: [
            (token, "abc.def-_~+/=", "abc.def-_~+/=", nil), (token, "  Bearer  abc ", "abc", nil),
            (token, "bearer abc", "abc", nil), (token, "", nil, "the token is empty"),
            (token, "a b", nil, "that is no token"), (token, "ä", nil, "that is no token"),
            (token, "a\u{1B}[A", nil, "that is no token"),
            (token, "/none/such", nil, "there is no file /none/such"),
            (token, "~/none", nil, "there is no file /home/ann/none"),
            (token, "/", nil, "/ is a directory"),
            (password, " Bearer ä ", " Bearer ä ", nil), (password, "a\u{7}", nil, "that is no password"),
            (clientSecret, "a b", "a b", nil), (clientSecret, "ä", nil, "that is no client secret"),
        ] as [(SecretKind, String, String?, String?)])
    func typed(kind: SecretKind, typed: String, secret: String?, reason: String?) throws {
        let interview = Interview(hidden: typed, "right")
        guard case .secret(let given) = try interview.dialog.secret(kind, ConnectTests.scim.settings) else {
            throw Outcome.failed
        }
        #expect(given.text == Array((secret ?? "right").utf8))
        #expect(given.isNew && given.path == "/home/ann/.config/userd/" + kind.file)
        #expect(interview.said.count == (reason == nil ? 1 : 2))
        if let reason { #expect(interview.said[1].hasPrefix(reason), "\(interview.said)") }
        #expect("\(given)" == "<\(kind.noun)>")
    }

    @Test("A secret has up to 64 KiB")
    func length() throws {
        let longest = String(repeating: "x", count: 64 << 10)
        let interview = Interview(hidden: longest + "x", longest)
        #expect(try interview.dialog.complete(ConnectTests.scim)?.secret?.text.count == 64 << 10)
        #expect(interview.said.last == "the token is longer than 64 KiB")
    }

    @Test("Who would get it is said first: the origin, and whose certificate it is")
    func recipient() throws {
        let settings =
            ConnectTests.scim.settings + [DiscoveredSetting("users.oauth.issuer", "https://login.test")]
        for (kind, address, origin) in [
            (token, "https://a.test/Users", "https://a.test"),
            (clientSecret, "https://login.test", "https://login.test"),
        ] {
            let interview = Interview(hidden: "abc")
            _ = try interview.dialog.secret(kind, settings)
            #expect(interview.asked == [address])
            let noun = kind.noun.prefix(1).uppercased() + kind.noun.dropFirst()
            #expect(
                interview.said == [
                    "\(noun) for \(origin) (certificate: idp.example.org, by R11)"
                ])
        }
    }

    @Test("A bad certificate is the only thing said, and nothing is asked")
    func certificate() throws {
        let interview = Interview(hidden: "abc")
        interview.complaint = "the certificate of idp.example.org has expired"
        let error = #expect(throws: CommandError.self) {
            try interview.dialog.secret(token, ConnectTests.scim.settings)
        }
        #expect(error?.lines == ["the certificate of idp.example.org has expired"])
        #expect(interview.said == [] && interview.questions == [])
    }

    @Test("Nobody is asked if the secret is on standard input, and what is missing is named")
    func input() throws {
        var ldap = ConnectTests.scim
        ldap.needed = ["users.bind_dn", "users.password_file"]
        let interview = Interview("cn=a", hidden: "/pass")
        interview.canAsk = false
        let error = #expect(throws: CommandError.self) { try interview.dialog.complete(ldap) }
        #expect(error?.message.contains("users.bind_dn") == true && interview.questions == [])
        // It is no path then.
        let given = try interview.dialog.complete(ConnectTests.scim)?.secret
        #expect(given?.text == Array("/pass".utf8) && given?.isNew == true)
    }

    @Test(
        "A path is used as it is, unless userd's service can't see it: then it is copied, or opened if it is renewed"
    )
    func paths() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("token")
        try "abc\r\n".write(toFile: path, atomically: true, encoding: .utf8)
        func given(_ interview: Interview) throws -> GivenSecret? {
            try interview.dialog.complete(ConnectTests.scim)?.secret
        }
        let seen = try #require(try given(Interview(hidden: path)))
        #expect(seen.path == path && !seen.isNew && !seen.isHidden && seen.text == Array("abc".utf8))
        func hiding(_ answer: String, _ more: String...) -> Interview {
            let interview = Interview(answer, hidden: path)
            interview.hidden += more
            interview.isHidden = { $0 == path }
            return interview
        }
        let copied = try #require(try given(hiding("n")))
        #expect(copied.isNew && copied.path == "/home/ann/.config/userd/users-token")
        let opened = try #require(try given(hiding("y")))
        #expect(opened.isHidden && !opened.isNew && opened.path == path)
        // Not with the whole home.
        let home = hiding("y", "abc")
        home.home = folder.path
        #expect(try given(home)?.isNew == true && home.said.last?.contains("a folder of its own") == true)
    }

    @Test(
        "The service sees no home and no temporary folder, but config.yaml's folder and the rest of the machine"
    )
    func sandbox() throws {
        let home = try TemporaryDirectory()
        let config = home.file(".config/userd")
        try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
        for name in ["token", ".config/userd/token"] {
            try "a".write(toFile: home.file(name), atomically: true, encoding: .utf8)
        }
        try FileManager.default.createSymbolicLink(
            atPath: config + "/link", withDestinationPath: home.file("token"))
        for (path, hidden) in [
            (home.file("token"), true), (config + "/token", false), (config + "/link", true),
            ("/run/user/1/t", true), ("/var/tmp/t", true), ("/home/b/t", true), ("/etc/hostname", false),
            ("/srv/token", false),
        ] {
            let sandbox = Sandbox(home: home.path, folder: config)
            #expect(sandbox.hides(path) == hidden, "\(path)")
            for folder in [home.path, "/run/user/1", "/"] { #expect(sandbox.holdsMuch(folder)) }
            for folder in [home.file("secrets"), "/srv"] { #expect(!sandbox.holdsMuch(folder)) }
        }
    }

    @Test("A secret's file is private, and another one of its name is kept beside, with its origin")
    func writing() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("users-token")
        func text(_ end: String) -> String? { try? String(contentsOfFile: path + end, encoding: .utf8) }
        func write(_ secret: String, _ origin: String) throws -> FormerFiles {
            var former = FormerFiles()
            try former.write(
                GivenSecret(
                    kind: token, text: Array(secret.utf8), path: path, origin: origin, isNew: true))
            return former
        }
        _ = try write("one", "https://a.test")
        #expect(text("") == "one\n" && text(".origin") == "https://a.test\n")
        _ = try write("one", "https://a.test")
        #expect(text(".before-userctl") == nil)
        let former = try write("two", "https://b.test")
        #expect(text("") == "two\n" && text(".origin") == "https://b.test\n")
        #expect(text(".before-userctl") == "one\n" && text(".before-userctl.origin") == "https://a.test\n")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions]
            #expect(mode as? Int == 0o600, "\(name)")
        }
        former.restore()
        #expect(text("") == "one\n" && text(".origin") == "https://a.test\n")
        #expect(text(".before-userctl") == nil && text(".before-userctl.origin") == nil)
        // Nothing that was kept is lost.
        for secret in ["two", "three", "four"] { _ = try write(secret, "https://\(secret).test") }
        let kept = ["", "-2", "-3"].map { ".before-userctl" + $0 }
        #expect(kept.map(text) == ["one\n", "two\n", "three\n"])
        #expect(text(kept[2] + ".origin") == "https://three.test\n")
        // Nothing is written beside a file of a person's own.
        var none = FormerFiles()
        try none.write(
            GivenSecret(kind: token, text: [], path: folder.file("own"), origin: "https://a.test"))
        #expect(none.isEmpty && !FileManager.default.fileExists(atPath: folder.file("own.origin")))
    }

    @Test("A question of yes or no is asked again until it is answered")
    func agreement() {
        let interview = Interview("perhaps", "YES", "", "n")
        let dialog = interview.dialog
        #expect(dialog.agrees("so?") && interview.said == ["please answer y or n"])
        #expect(dialog.agrees("so?") && !dialog.agrees("so?") && !dialog.agrees("so?"))
        #expect(interview.questions.allSatisfy { $0 == "so? [Y/n] " })
        interview.answers = [""]
        #expect(!interview.dialog.agrees("so?", usually: false))
    }
}
