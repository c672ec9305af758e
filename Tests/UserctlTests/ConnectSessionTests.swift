import Foundation
import Model
import TestSupport
import Testing
import UserdAPI
import YAML

@testable import UserctlCommands

func foundUsers() -> ProgramRun {
    var check = UpstreamCheck(
        setting: "users.url", address: "https://a.test", steps: [UpstreamStep(.answer, milliseconds: 1)])
    check.sample = UsersSample(records: 1, users: [anna])
    check.sample?.list = ListSample(pages: [1], total: 5000)
    return run(check, code: 0)
}

private func failed(_ kind: Failure.Kind, _ status: Int? = nil, _ advice: Advice.Kind? = nil) -> ProgramRun {
    let failure = Failure(
        kind: kind, message: "it failed", retryable: false, httpStatus: status,
        advice: advice.map { Advice($0) })
    let step = UpstreamStep(.answer, failure: failure, milliseconds: 1)
    return run(UpstreamCheck(setting: "users.url", address: "https://a.test", steps: [step]), code: 1)
}

private func run(_ check: UpstreamCheck, code: Int32) -> ProgramRun {
    let json = (try? encoded(UpstreamChecks(upstreams: [check]))) ?? []
    return ProgramRun(code: code, output: String(decoding: json, as: UTF8.self))
}

func refused() -> ProgramRun { failed(.http, 401) }

private let refusals = [
    failed(.http, 401), failed(.http, 403), failed(.credentials), failed(.ldap, nil, .checkPassword),
]
private let ldap = DiscoveredDirectory(
    name: "LDAP", certainty: .sure, because: "it says so",
    settings: [
        DiscoveredSetting("users.format", "ldap"), DiscoveredSetting("users.url", "ldaps://b.test/dc=b"),
    ], needed: ["users.bind_dn", "users.password_file"])

@Suite("userctl connect tries, writes and resumes")
struct ConnectSessionTests {
    @Test(
        "It is tried before it is written: the file in a private folder that is removed, the secret by a pipe"
    )
    func trial() throws {
        let stage = try ConnectStage(Interview(hidden: "s3cret"))
        try stage.connect(ConnectTests.scim)
        let text = """
            users:
              format: scim
              url: https://a.test/Users
              token_file: \(stage.tokenFile)

            """
        let fed = stage.fed.calls
        #expect(fed.map(\.text) == [text] && stage.text("config.yaml") == text)
        #expect(stage.text("users-token") == "s3cret\n")
        #expect(stage.text("users-token.origin") == "https://a.test\n")
        #expect(fed.count == 1 && fed[0].input == "s3cret")
        #expect(
            fed[0].arguments.enumerated().filter { $0.offset != 2 }.map(\.element) == [
                "--check-upstream", "--config", "--with-machine-config", "--secret-on-stdin",
                "users.token_file",
            ])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: stage.home.file(".config/userd")).sorted()
                == ["config.yaml", "users-token", "users-token.origin"])
    }

    @Test(
        "A file that exists is tried as it is, for userd to count",
        arguments: [nil, "https://a.test"])
    func existing(origin: String?) throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("token")
        for (end, text) in [("", "abc"), (".origin", origin)] {
            try text?.appending("\n").write(toFile: path + end, atomically: true, encoding: .utf8)
        }
        let stage = try ConnectStage(Interview(hidden: path))
        try stage.connect(ConnectTests.scim)
        #expect(stage.fed.calls.map(\.input) == [""])
        #expect(stage.fed.calls[0].arguments.contains("--secret-on-stdin") == false)
    }

    @Test("A refused token is asked for again, three times in all", arguments: refusals)
    func tokens(refusal: ProgramRun) throws {
        let stage = try ConnectStage(
            Interview(hidden: "one", "two", "three", "four"), trials: [refusal])
        #expect(throws: ConnectDialog.declined) { try stage.connect(ConnectTests.scim) }
        #expect(stage.fed.calls.map(\.input) == ["one", "two", "three"])
        #expect(stage.text("config.yaml") == nil && stage.text("users-token") == nil)
        let second = try ConnectStage(Interview(hidden: "one", "two"), trials: [refusal, foundUsers()])
        try second.connect(ConnectTests.scim)
        #expect(second.text("users-token") == "two\n")
    }

    @Test("A password is tried once; then a person decides whether to risk the account", arguments: refusals)
    func passwords(refusal: ProgramRun) throws {
        let careful = try ConnectStage(Interview("cn=a", "", "", hidden: "one", "two"), trials: [refusal])
        #expect(throws: ConnectDialog.declined) { try careful.connect(ldap) }
        #expect(careful.fed.calls.map(\.input) == ["one"])
        #expect(
            careful.interview.questions.last
                == "more tries may lock the account; try another password? [y/N] ")
        let bold = try ConnectStage(
            Interview("cn=a", "n", "y", hidden: "one", "two"), trials: [refusal, foundUsers()])
        try bold.connect(ldap)
        #expect(bold.text("users-password") == "two\n")
    }

    @Test(
        "A failure that is not about the secret is shown, and a person decides",
        arguments: [failed(.offline), failed(.tls), failed(.http, 404)])
    func failures(failure: ProgramRun) throws {
        let no = try ConnectStage(Interview("", hidden: "one"), trials: [failure])
        #expect(throws: ConnectDialog.declined) { try no.connect(ConnectTests.scim) }
        #expect(no.fed.calls.count == 1 && no.text("config.yaml") == nil)
        let yes = try ConnectStage(Interview("y", hidden: "one"), trials: [failure])
        try yes.connect(ConnectTests.scim)
        #expect(yes.text("users-token") == "one\n")
        // Without a secret, too.
        let open = try ConnectStage(Interview("", "", ""), trials: [failed(.credentials)])
        #expect(throws: ConnectDialog.declined) { try open.connect(ldap) }
        #expect(open.fed.calls.first?.arguments.count == 4)
    }

    @Test("A sign-in is not tried")
    func signIn() throws {
        let stage = try ConnectStage(Interview("id"))
        try stage.connect(ConnectTests.graph)
        #expect(
            stage.fed.calls.isEmpty && stage.text("config.yaml")?.contains("client_id: id") == true)
    }

    @Test("Begun again on its own lines, it asks for nothing that the file says", arguments: [true, false])
    func again(isNamed: Bool) throws {
        let stage = try ConnectStage(Interview(hidden: "one"))
        try stage.connect(ConnectTests.scim)
        let before = try #require(stage.text("config.yaml"))
        let file = try stage.session.file.read()
        let directory =
            isNamed ? ConnectTests.scim : try #require(DiscoveredDirectory(in: file, path: stage.path))
        let plan = try stage.connect(directory)
        #expect(!plan.known.isEmpty && plan.replaced.isEmpty)
        #expect(stage.text("config.yaml") == before && stage.text("users-token.before-userctl") == nil)
        // The file is there now.
        #expect(stage.fed.calls.map(\.input) == ["one", ""])
        // A secret whose file is gone is asked for.
        try FileManager.default.removeItem(atPath: stage.home.file(".config/userd/users-token"))
        stage.interview.hidden = ["two"]
        try stage.connect(directory)
        #expect(stage.text("users-token") == "two\n" && stage.text("config.yaml") == before)
    }

    @Test("Lines of a sign-in, of LDAP and of a token beside config.yaml are known, too")
    func known() throws {
        func plan(_ text: String, _ directory: DiscoveredDirectory? = nil, token: String? = nil) throws
            -> ConnectPlan
        {
            let stage = try ConnectStage(Interview(), text)
            if let token {
                try stage.write(token, "users-token")
                try stage.write("https://A.test:443/scim\n", "users-token.origin")
            }
            let (session, file) = (try stage.session, try stage.session.file.read())
            let named = try #require(directory ?? DiscoveredDirectory(in: file, path: stage.path))
            let plan = try #require(try session.plan(named, file))
            // A secret that was found is named, for the trial.
            let added = token == nil ? "" : "  token_file: \(stage.tokenFile)\n"
            let after = String(decoding: try session.candidate(plan), as: UTF8.self)
            #expect(Set(after.split(separator: "\n")) == Set((text + added).split(separator: "\n")))
            #expect(!plan.known.isEmpty)
            return plan
        }
        let scim = "users:\n  url: \"https://a.test/Users\" # ours\n  format: scim\n"
        let google =
            scim + "  oauth:\n    client_id: \"007\"\n    issuer: https://i.test\n    parameters: {a: b}\n"
        #expect(try plan(google, ConnectTests.scim).isSignIn)
        #expect(try plan(google).isSignIn)
        #expect(try plan("users: {format: ldap, url: \"ldaps://b.test/dc=b\"}\n").secret == nil)
        #expect(try plan(scim, token: "abc").secret?.text == Array("abc".utf8))
        #expect(try plan(scim, ConnectTests.scim, token: "abc").secret?.isNew == false)
    }

    @Test(
        "A secret for another origin is not sent without a question: of a setting, found, and a person's own",
        arguments: ["users-token", nil, "own"])
    func otherOrigin(named: String?) throws {
        let text = "users:\n  url: https://a.test/Users\n  format: scim\n"
        let stage = try ConnectStage(Interview(hidden: "new"))
        let path = stage.home.file(".config/userd/\(named ?? "users-token")")
        try stage.write(
            text + (named == nil ? "" : "  token_file: \(DiscoveredSetting("", path).yaml)\n"), "config.yaml")
        try stage.write("old", named ?? "users-token")
        // Without one, where a found file was first used is not known.
        for origin in ["https://old.test"] + (named == nil ? [nil] : []) {
            if let origin { try stage.write(origin, (named ?? "users-token") + ".origin") }
            let (session, file) = (try stage.session, try stage.session.file.read())
            let directory = try #require(DiscoveredDirectory(in: file, path: stage.path))
            stage.interview.hidden = ["new"]
            let plan = try #require(try session.plan(directory, file))
            #expect(!plan.known.isEmpty && plan.secret?.text == Array("new".utf8))
            if named != nil {
                #expect(stage.interview.said.last?.contains("is for https://old.test, as \(path)") == true)
            }
            // Named again, userd's own file becomes one for this origin; another one is left.
            stage.interview.hidden = [path]
            let again = try? session.plan(directory, file)?.secret
            #expect(again?.isNew == (named == "own" ? nil : true))
            try? FileManager.default.removeItem(atPath: path + ".origin")
        }
    }

    @Test("Users of another directory go with their secrets, after both were shown; all else stays")
    func replacing() throws {
        let old = """
            # mine
            log_level: debug
            users:
              # where
              url: https://old.test/Users?key=s3cret
              format: scim
              omit:
                - phone
                - picture
              headers: {X-Key: s3cret}
              skip:
                - a
                - b
              oauth:
                client_id: old
            demo: true
            carddav:
              port: 20000

            """
        let stage = try ConnectStage(Interview("cn=a", hidden: "new"), old)
        try stage.write("old", "users-token")
        try stage.write("https://old.test", "users-token.origin")
        let plan = try stage.connect(ldap)
        #expect(
            plan.replaced == [
                "users.url", "users.format", "users.headers", "users.skip", "users.oauth.client_id",
            ])
        let text = try #require(stage.text("config.yaml"))
        let values = try Configuration(Array(text.utf8))
        #expect(
            values.names(in: "users").sorted() == [
                "users.bind_dn", "users.format", "users.omit", "users.password_file", "users.url",
            ])
        #expect(values.text("carddav.port") == "20000" && values.text("demo") == nil)
        #expect(text.contains("# mine\nlog_level: debug\n") && text.contains("# where"))
        #expect(stage.text("users-token") == nil && stage.text("users-token.before-userctl") == "old")
        #expect(stage.text("users-token.before-userctl.origin") == "https://old.test")
        #expect(stage.text("config.yaml.before-userctl") == old)
    }

    @Test("Further kinds of LDAP are written if a person wants them, who is asked once")
    func kinds() throws {
        let stage = try ConnectStage(Interview("cn=a", "y", hidden: "one"))
        try stage.connect(ldap)
        #expect(stage.text("config.yaml")?.contains("kinds: \"person, group, room, mailbox\"\n") == true)
        stage.interview.questions = []
        try stage.connect(ldap)
        #expect(!stage.interview.questions.contains { $0.hasPrefix("groups") })
    }

    @Test("In a file whose settings are comments, lines are added")
    func comments() throws {
        let text = "users:\n  # The address.\n  #url: \"https://a.test\"\n\n  oauth:\n    #issuer: \"\"\n"
        let stage = try ConnectStage(Interview(hidden: "new"), text)
        #expect(try stage.connect(ConnectTests.scim).replaced == [])
        #expect(try stage.session.file.read().text("users.url") == "https://a.test/Users")
        #expect(stage.text("config.yaml")?.contains("  # The address.\n") == true)
    }

    @Test("A secret that was pasted in place of a path goes into a file, and is shown nowhere")
    func pasted() throws {
        let text = "users:\n  format: scim\n  url: https://a.test/Users\n  token_file: eyJh.b-c_d/e==\n"
        let stage = try ConnectStage(Interview(), text)
        try stage.write(text, "config.yaml.before-userctl")
        let plan = try stage.connect(ConnectTests.scim)
        #expect(stage.text("users-token") == "eyJh.b-c_d/e==\n")
        #expect(stage.text("users-token.origin") == "https://a.test\n")
        #expect(plan.settings.allSatisfy { !$0.value.contains("eyJh") } && plan.replaced.isEmpty)
        #expect(
            stage.text("config.yaml")
                == text.replacing("eyJh.b-c_d/e==", with: stage.tokenFile))
        #expect(stage.text("config.yaml.before-userctl") == nil)
        #expect((stage.interview.said + stage.interview.questions).allSatisfy { !$0.contains("eyJh") })
        // Nor is there a copy if it has escapes, and another directory replaces it.
        let escaped = "users:\n  url: https://old.test\n  token_file: \"eyJh.b-c_d\\x2fe==\"\n"
        let other = try ConnectStage(Interview(hidden: "new"), escaped)
        try other.connect(ConnectTests.scim)
        #expect(other.text("users-token") == "new\n" && other.text("config.yaml.before-userctl") == nil)
    }

    @Test("Settings that userd refuses, and a file that can't be changed, are left as they are")
    func refused() throws {
        let bad = try ConnectStage(
            Interview(hidden: "one"), trials: [ProgramRun(code: 64, errors: "userd: users.url: no\n")])
        let error = #expect(throws: CommandError.self) { try bad.connect(ConnectTests.scim) }
        #expect(error?.message == "users.url: no" && bad.text("users-token") == nil)
        let flow = try ConnectStage(Interview(hidden: "one"), "{users: {url: \"https://b.test\"}, x: 1}\n")
        let byHand = #expect(throws: CommandError.self) { try flow.connect(ConnectTests.scim) }
        #expect(byHand?.advice.first?.contains("the lines above") == true)
        #expect(
            flow.fed.calls.isEmpty && flow.text("config.yaml") == "{users: {url: \"https://b.test\"}, x: 1}\n"
        )
    }
}
