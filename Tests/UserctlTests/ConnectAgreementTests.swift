import Foundation
import Model
import TestSupport
import Testing
import UserdAPI
import YAML

@testable import UserctlCommands

@Suite("What connect asks before it writes, and what it opens")
struct ConnectAgreementTests {
    private static let old = "users: {url: \"https://me:pw@old.test/Users?key=s3cret\", format: scim}\n"
    private static let nested =
        "users:\n  url: https://me:pw@old.test/Users?key=s3cret\n  format: scim\n  interval: 1h\n"

    private func plan(_ stage: ConnectStage) throws -> ConnectPlan {
        let session = try stage.session
        return try #require(try session.plan(ConnectTests.scim, session.file.read()))
    }

    @Test("Another directory is replaced after a yes that names both counts, and is the consent to removals")
    func replacing() async throws {
        let list = UserList(
            users: [], total: 12, next: nil,
            freshness: Freshness(phase: .loaded, syncedAt: noon, age: 0, stale: false))
        let userd = try StubDaemon(["ListUsers": .reply(String(decoding: try encoded(list), as: UTF8.self))])
        let interview = Interview("y", "", "n", hidden: "new")
        let stage = try ConnectStage(interview, Self.nested)
        stage.socket = userd.path
        let (session, plan) = (try stage.session, try plan(stage))
        try await session.agree(to: plan, total: 5)
        #expect(interview.questions.last == "replace it? the 12 users of now go, 5 users come [y/N] ")
        #expect(
            interview.said.last
                == "\(stage.path) names another directory, https://old.test/Users, and these go: users.url, "
                + "users.format")
        #expect(plan.consent == ["--accept-removals"])
        for _ in 0..<2 {
            await #expect(throws: ConnectDialog.declined) { try await session.agree(to: plan, total: nil) }
        }
        #expect(interview.questions.last?.hasSuffix("those of the other directory come [y/N] ") == true)
        // Without another directory, nobody goes.
        let first = try ConnectStage(Interview("", hidden: "new"))
        let added = try self.plan(first)
        try await first.session.agree(to: added, total: nil)
        #expect(added.consent == [])
        #expect(first.interview.questions.last == "write these lines to \(first.path)? [Y/n] ")
    }

    @Test("With a secret from standard input, another directory is declined with the question and the way on")
    func unasked() async throws {
        let interview = Interview(hidden: "new")
        interview.canAsk = false
        let stage = try ConnectStage(interview, Self.nested)
        let (session, plan) = (try stage.session, try plan(stage))
        let error = await #expect(throws: CommandError.self) { try await session.agree(to: plan, total: 1) }
        let words = "nothing was written, since nobody can be asked: replace it? "
        #expect(error?.message.hasPrefix(words) == true)
        #expect(error?.advice == ["run `userctl connect` on a terminal, without --with-token"])
        // What only adds lines is agreed to.
        let added = try ConnectStage(interview)
        interview.hidden = ["new"]
        try await added.session.agree(to: self.plan(added), total: nil)
    }

    @Test(
        "Where an administrator has named the directory, a secret is a person's own, in their own file",
        arguments: [
            ("", "users.token_file", "users-token"),
            ("  token_file: /none/token\n", "users.token_file", "users-token"),
            ("  basic: {user: ann}\n", "users.basic.password_file", "users-password"),
            ("  bind_dn: cn=ann\n", "users.password_file", "users-password"),
        ])
    func machine(more: String, setting: String, file: String) throws {
        let format = more.contains("bind_dn") ? "ldap" : "scim"
        let text = "users:\n  url: https://a.test/Users\n  format: \(format)\n" + more
        let machine = try Configuration(Array(text.utf8))
        let directory = try #require(DiscoveredDirectory(in: machine, path: "/etc/xdg/userd/config.yaml"))
        let interview = Interview(hidden: "new")
        interview.canAsk = false
        let stage = try ConnectStage(interview, "log_level: debug\n")
        let session = try stage.session
        let plan = try #require(try session.plan(directory, session.file.read(), machine: machine))
        #expect(plan.added.map(\.name) == [setting] && plan.replaced.isEmpty)
        var former = FormerFiles()
        try session.write(session.tried(plan).0, &former)
        #expect(stage.fed.calls.map(\.input) == ["new"] && stage.text(file) == "new\n")
        #expect(stage.text("config.yaml")?.contains("log_level: debug\n") == true)
        #expect(stage.text("config.yaml")?.contains("url:") == false)
        // Begun again, nothing is left to write.
        interview.canAsk = true
        let before = try session.file.read()
        let again = try #require(try stage.session.plan(directory, before, machine: machine))
        #expect(again.added.isEmpty && again.secret?.isNew == false)
    }

    @Test("A directory that turns out to want a token is asked for one")
    func wanting() throws {
        let text = "users:\n  url: https://a.test/Users\n  format: scim\n"
        let stage = try ConnectStage(Interview(hidden: "new"), text, trials: [refused(), foundUsers()])
        let session = try stage.session
        let named = try #require(DiscoveredDirectory(in: session.file.read(), path: stage.path))
        let tried = try session.tried(#require(try session.plan(named, session.file.read()))).0
        #expect(stage.fed.calls.map(\.input) == ["", "new"] && tried.secret?.isNew == true)
    }

    @Test("A secret that another program renews is opened by a drop-in with its folder")
    func dropIn() throws {
        let stage = try ConnectStage(Interview())
        let secret = GivenSecret(
            kind: token, text: [], path: "/srv/a b%:/\"key\"/token", origin: "https://a.test", isHidden: true)
        try stage.session.openSandbox(
            ConnectPlan(before: try Configuration([]), known: [], settings: [], secret: secret))
        let path = stage.home.file(".config/systemd/user/userd.service.d/users-token.conf")
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == #"""
                # Written by `userctl connect`.
                [Service]
                BindReadOnlyPaths="-/srv/a b%%\:/\"key\""

                """#)
    }

    @Test("The demo is one line, without a question or a trial, unless a directory is named")
    func demo() throws {
        let stage = try ConnectStage(Interview(), "log_level: debug\n")
        let session = try stage.session
        let plan = try session.demo(session.file.read())
        var former = FormerFiles()
        try session.write(session.tried(plan).0, &former)
        let text = stage.text("config.yaml")
        #expect(text?.contains("demo: true\n") == true && stage.fed.calls.isEmpty)
        let again = try session.demo(session.file.read())
        #expect(try session.candidate(again) == Array((text ?? "").utf8) && again.added.isEmpty)
        try stage.write(Self.old, "config.yaml")
        let error = #expect(throws: CommandError.self) { try session.demo(session.file.read()) }
        #expect(
            error?.message == "a directory is connected, https://old.test/Users (\(stage.path)), and stays")
    }
}
