import Cache
import Model
import TerminalViews
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite struct DoctorUpstreamTests {
    private func checks(
        _ steps: [UpstreamStep], clocks: Duration?..., address: String = "https://a.example/api/"
    ) -> [Check] {
        let clocks = clocks.map { $0.map { ClockComparison(here: noon + $0, upstream: noon) } }
        var upstreams = [UpstreamCheck(setting: "users.url", address: address, steps: steps)]
        upstreams[0].clock = clocks.first ?? nil
        for clock in clocks.dropFirst() {
            upstreams.append(UpstreamCheck(setting: "facts.url", address: address, steps: [], clock: clock))
        }
        return upstreamChecks(.checked(UpstreamChecks(upstreams: upstreams)))
    }

    private func step(
        _ name: UpstreamStep.Name, _ kind: Failure.Kind, _ message: String, advice: Advice? = nil
    ) -> UpstreamStep {
        UpstreamStep(
            name, failure: Failure(kind: kind, message: message, retryable: true, advice: advice),
            milliseconds: 1)
    }

    @Test func `each step is a check; the steps after a failure are skipped`() {
        let lookup = UpstreamStep(.lookup, found: "a.example has the address ::1", milliseconds: 3)
        let checks = checks([lookup, step(.connection, .offline, "[::1]:443: connection refused")])
        #expect(
            checks.map { "\($0.name) \($0.status): \($0.found)" } == [
                "upstream.users.url.lookup ok: a.example has the address ::1 (3 ms)",
                "upstream.users.url.connection failed: [::1]:443: connection refused",
                "upstream.users.url.tls skipped: an earlier step failed",
                "upstream.users.url.answer skipped: an earlier step failed",
                "clock skipped: no upstream reported the time",
            ])
    }

    @Test func `plain HTTP skips the TLS step, and the answer names its address`() {
        let steps = [UpstreamStep.Name.lookup, .connection, .answer].map {
            UpstreamStep($0, found: "answered 200", milliseconds: 1)
        }
        let checks = checks(steps, clocks: .zero, address: "http://a.example/api/")
        #expect(checks.map(\.status) == [.ok, .ok, .skipped, .ok, .ok])
        #expect(checks[1].found == "answered 200")
        #expect(checks[2].found == "the address is plain http://")
        #expect(checks[3].found == "http://a.example/api/ answered 200 (1 ms)")
        let failed = self.checks(
            steps.dropLast() + [step(.answer, .timeout, "no answer")], address: "http://a.example/api/")
        #expect(failed[2].found == "the address is plain http://")
    }

    @Test(
        arguments: [
            (
                [("id", "/id", 3), ("email", "/a", 0), ("email", "/b", 1)],
                "ok: 2 of them are found in 3 users"
            ),
            (
                [("id", "/id", 3), ("email", "/a", 0), ("cell", "/c", 0)],
                "warning: email: /a, cell: /c finds nothing in 3 users"
            ),
        ] as [([(String, String, Int)], String)])
    func `fields of the configuration that lead to nothing are a warning`(
        fields: [(String, String, Int)], expected: String
    ) throws {
        var upstream = UpstreamCheck(setting: "users.url", address: "http://a/")
        upstream.sample = UsersSample(
            records: 3,
            fields: fields.map {
                .init(name: $0.0, pointer: $0.1, found: $0.2, isConfigured: true)
            } + [.init(name: "city", pointer: "/city", found: 0, isConfigured: false)], unread: ["/mail"])
        let checks = upstreamChecks(.checked(UpstreamChecks(upstreams: [upstream])))
        let check = try #require(checks.first { $0.name == "upstream.users.fields" })
        #expect("\(check.status): \(check.found)" == expected)
        #expect(check.advice.joined().contains("/mail") == (check.status == .warning))
    }

    @Test func `fields that are there and can't be read are told apart from those that lead to nothing`() {
        var upstream = UpstreamCheck(setting: "users.url", address: "http://a/")
        upstream.sample = UsersSample(
            records: 3,
            fields: [
                .init(name: "id", pointer: "/id", found: 3, isConfigured: true),
                .init(name: "born_at", pointer: "/born", found: 1, unreadable: 2, isConfigured: true),
                .init(name: "updated_at", pointer: "/at", found: 0, unreadable: 3, isConfigured: true),
                .init(name: "city", pointer: "/city", found: 0, isConfigured: true),
                .init(name: "age", pointer: "/age", found: 0, unreadable: 1, isConfigured: false),
            ])
        let checks = upstreamChecks(.checked(UpstreamChecks(upstreams: [upstream])))
        #expect(
            checks.first { $0.name == "upstream.users.fields" }?.found == """
                born_at: /born can't be read in 2 of 3 users; updated_at: /at can't be read in 3 of 3 users; \
                city: /city finds nothing in 3 users
                """)
    }

    @Test func `what keeps a list from ending well is a warning`() throws {
        var upstream = UpstreamCheck(setting: "users.url", address: "http://a/")
        upstream.sample = UsersSample(records: 3)
        func paging() -> Check? {
            upstreamChecks(.checked(UpstreamChecks(upstreams: [upstream]))).first {
                $0.name == "upstream.users.paging"
            }
        }
        #expect(paging() == nil)
        var list = ListSample(pages: [3])
        list.end = "page 1, which is empty"
        upstream.sample?.list = list
        #expect(paging()?.found == "the list ends with page 1, which is empty")
        #expect(paging()?.status == .ok)
        upstream.sample?.list?.more = ["a", "b"]
        #expect(paging()?.found == "a; b")
        #expect(paging()?.status == .warning)
    }

    @Test(
        arguments: [
            (Advice(.check, about: "users.records"), ["see users.records", "`userd --print-format NAME`"]),
            (Advice(.tryFormat, about: "okta"), ["it looks like okta: set users.format to that"]),
            (nil, []),
        ] as [(Advice?, [String])])
    func `only the code of a failure leads to advice, whatever the message says`(
        advice: Advice?, beginnings: [String]
    ) throws {
        let message = "Kerberos is disabled for this API; see users.url, `userctl sign-in`"
        let failed = try #require(
            checks([step(.answer, .decode, message, advice: advice)]).first { $0.status == .failed })
        #expect(failed.found == message)
        #expect(failed.advice.count == beginnings.count)
        #expect(zip(failed.advice, beginnings).allSatisfy { $0.hasPrefix($1) }, "\(failed.advice)")
    }

    @Test(
        arguments: [
            ([.seconds(60)], Check.Status.ok, "it agrees with upstream"),
            ([.seconds(61)], .warning, "it is 1 min ahead of upstream"),
            ([.seconds(-7300)], .warning, "it is 2 h 2 min behind upstream"),
            // One upstream's clock may be wrong.
            ([.seconds(-7300), .seconds(2)], .ok, "it agrees with upstream"),
            ([.seconds(-7300), .seconds(-7200)], .warning, "it is 2 h behind upstream"),
            ([nil, .seconds(100_000)], .warning, "it is 28 h ahead of upstream"),
            // The clock was read some milliseconds after the answer.
            ([.milliseconds(-10_799_700)], .warning, "it is 3 h behind upstream"),
            ([nil], .skipped, "no upstream reported the time"),
        ] as [([Duration?], Check.Status, String)])
    func `the clock is held against upstream's`(
        clocks: [Duration?], status: Check.Status, words: String
    ) throws {
        let all = clocks.count > 1 ? checks([], clocks: clocks[0], clocks[1]) : checks([], clocks: clocks[0])
        let clock = try #require(all.last)
        #expect(clock.name == "clock")
        #expect(clock.status == status)
        #expect(clock.found == words)
        #expect(clock.advice.isEmpty == (status != .warning))
    }

    /// A machine with only a userd program that gives these answers.
    private func probes(_ answers: [String: ProgramRun]) -> DoctorProbes {
        var probes = DoctorProbes.live([:])
        probes.find = { answers.isEmpty ? nil : "/bin/\($0)" }
        probes.run = { _, arguments, _, _ in
            guard let run = answers[arguments.joined()] else { throw ProgramRunError.late(.seconds(1)) }
            return run
        }
        return probes
    }

    @Test func `a bad setting is shown in userd's words, and upstream is not tried`() {
        let probes = probes([
            "--print-config": ProgramRun(code: 64, errors: "userd: users.pages: 0 is too small\n")
        ])
        let facts = UserdFacts.gather(places: [:], probes)
        #expect(
            programChecks(facts).map { "\($0.name) \($0.status): \($0.found)" } == [
                "userd.program ok: /bin/userd",
                "userd.settings failed: users.pages: 0 is too small",
                "userd.places skipped: the settings can't be read",
            ])
        #expect(
            upstreamChecks(facts.upstreams(probes)).map(\.found) == [
                "not tried: the settings have to be fixed first", "only an upstream reports the time",
            ])
    }

    @Test(
        arguments: [
            (
                ProgramRun(code: 64, errors: "\nError: Unknown option '--check-upstream'\nUsage: userd\n"),
                "Error: Unknown option '--check-upstream'"
            ),
            (
                ProgramRun(code: 0, output: "{}"),
                "unrecognised output of /bin/userd: version mismatch?"
            ),
            (nil, "/bin/userd: it did not end within 1.0 seconds"),
        ] as [(ProgramRun?, String)])
    func `a userd that can't try upstream is said to be so`(run: ProgramRun?, words: String) {
        var answers = ["--print-config": ProgramRun(code: 0)]
        answers["--check-upstream"] = run
        let probes = probes(answers)
        let facts = UserdFacts.gather(places: [:], probes)
        #expect(programChecks(facts).allSatisfy { $0.status == .ok })
        #expect(upstreamChecks(facts.upstreams(probes)).first?.found == words)
    }

    @Test func `userd's warnings are shown, and upstream is tried`() throws {
        let probes = probes([
            "--print-config": ProgramRun(code: 0),
            "--check-config": ProgramRun(
                code: 0, output: "configuration is valid: no file\n",
                errors: "userd: warning: A is not a setting\nuserd: warning: no file\n"),
            "--check-upstream": ProgramRun(code: 0, output: "{}"),
        ])
        let facts = UserdFacts.gather(places: [:], probes)
        let check = try #require(programChecks(facts).first { $0.name == "userd.settings" })
        #expect(check.status == .warning && check.found == "A is not a setting; no file")
        #expect(check.advice.first?.hasPrefix("fix that; `userd --print-config`") == true)
        #expect(upstreamChecks(facts.upstreams(probes)).first?.found.contains("output of /bin/userd") == true)
    }

    @Test func `different paths in userd's settings are a warning`() throws {
        let printed = "# log_level: no value\nsocket: \"/a b\"  # file\ndatabase: \"/c\"  # default\n"
        let probes = probes(["--print-config": ProgramRun(code: 0, output: printed)])
        func check(_ places: [String: String]) throws -> Check {
            try #require(programChecks(.gather(places: places, probes)).first { $0.name == "userd.places" })
        }
        #expect(try check(["socket": "/a b", "database": "/c"]).status == .ok)
        let differing = try check(["socket": "/s", "database": "/d"])
        #expect(differing.status == .warning)
        #expect(
            differing.found == "database is /c, but userctl uses /d; socket is /a b, but userctl uses /s")
        #expect(
            differing.advice.dropFirst() == ["  export USERD_DATABASE=/c", "  export USERD_SOCKET='/a b'"])
        #expect(try check([:]).status == .ok)
    }

    @Test func `without the program userd its checks are skipped`() {
        let facts = UserdFacts.gather(places: [:], probes([:]))
        #expect(programChecks(facts).map(\.status) == [.warning, .skipped, .skipped])
        #expect(upstreamChecks(facts.upstreams(probes([:]))).allSatisfy { $0.status == .skipped })
    }

    @Test func `checks have words and marks, skipped ones share a line, hostile text is escaped`() {
        let failed = step(
            .lookup, .offline, "no \u{1B}[31mhost\u{202E}", advice: Advice(.checkNetwork, about: "users.url"))
        let view = CheckList(checks([failed], clocks: .seconds(3600)))
        #expect(
            render(view, width: 60, colour: false) == #"""
                ✗ failed  users.url name: no \u{1B}[31mhost\u{202E}
                          check the network, and the host in the setting
                          users.url
                - skipped users.url connection, users.url TLS, users.url
                          answer: an earlier step failed
                ! warning Clock: it is 1 h ahead of upstream
                          `timedatectl set-ntp true` sets it

                """#)
    }
}
