import Model
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite struct DoctorSettingsTests {
    /// The check's words, with all of the advice.
    private func told(_ state: State, _ values: [String: String]) -> String {
        let daemon = DaemonState(states: [state], paused: false, version: version, startedAt: noon)
        guard let check = syncChecks(daemon, clock, settings: settings(values)).first else {
            return ""
        }
        return (["\(check.status): \(check.found)"] + check.advice).joined(separator: " > ")
    }

    private func settings(_ values: [String: String]) -> [SettingValue] {
        values.sorted { $0.key < $1.key }.map {
            SettingValue(name: $0.key, value: $0.value, origin: "file /c:2")
        }
    }

    @Test(
        arguments: [
            (["users.pages": "1", "users.page_size": "5000"], true),
            (["users.pages": "2", "users.page_size": "2501"], false),
            (["users.pages": "1", "users.page_size": "0"], false),
            (["users.pages": "", "users.page_size": "10"], false), (["users.page_size": "10"], false),
            ([:], false),
            (["users.pages": "9223372036854775807", "users.page_size": "9223372036854775807"], false),
        ] as [([String: String], Bool)])
    func `as many users as are asked for are a warning`(values: [String: String], isWarning: Bool) {
        let loaded = state(.users, .loaded, count: 5000, syncedAt: noon)
        let check = told(loaded, values)
        let words = "5,000 users, as many as users.pages × users.page_size ask for; upstream may have more"
        #expect(check.hasPrefix("warning: \(words)") == isWarning)
        #expect(check.contains("users.pages is 1 (file /c:2)") == isWarning)
    }

    @Test(arguments: [true, false])
    func `a configuration file in force that is gone fails a check`(isGone: Bool) throws {
        var probes = FakeManager { $0.programs = ["userd"] }.probes
        probes.file = { path, _ in
            path == "/home/anna/a:b.yaml" && !isGone ? .found(.file, owner: 1000, mode: 0o600) : .absent
        }
        probes.settings = { _ in
            [
                SettingValue(name: "paused", value: "true", origin: "file /home/anna/a:b.yaml:2"),
                SettingValue(name: "socket", value: "/s", origin: "default"),
            ]
        }
        let running = RunningUserd(socket: "/nonexistent", probes)
        let check = try #require(
            programChecks(.gather(places: [:], of: running, probes)).first { $0.name == "userd.settings" })
        #expect((check.status == .failed) == isGone)
        #expect(check.found.contains("/home/anna/a:b.yaml, which is gone") == isGone)
        #expect(check.advice.contains { $0.contains("put the file back") } == isGone)
    }

    @Test func `what upstream seems to have more is a warning that says which setting to look at`() {
        let loaded = state(.users, .loaded, count: 10, syncedAt: noon)
        let paging = SettingValue(
            name: "users.paging", value: nil, origin: "default", hint: "upstream seems to have more: a sign")
        let check = syncChecks(
            DaemonState(states: [loaded], paused: false, version: "1", startedAt: noon), clock,
            settings: [paging])[0]
        #expect(check.status == .warning)
        #expect(check.found.hasPrefix("10 users, upstream seems to have more: a sign; synced"))
        #expect(check.advice.first?.hasPrefix("set users.paging; `userd --check-upstream`") == true)
    }

    @Test func `advice that names settings is told with their values and places`() {
        let values = [
            "users.records": "/data", "users.recorder": "x", "users.fields": "{id: /id}",
            "users.token_file": "/t", "users.url": "https://idp.example.org",
        ]
        func check(_ kind: Failure.Kind, _ advice: Advice? = nil, status: Int? = nil) -> String {
            let failed = state(
                .users, .error,
                failure: Failure(
                    kind: kind, message: "users.recorder", retryable: false, httpStatus: status,
                    advice: advice))
            return told(failed, values)
        }
        #expect(
            check(.decode, Advice(.check, about: "users.records")).contains(
                " > users.records is /data (file /c:2)"))
        #expect(
            check(.decode, Advice(.check, about: "users.fields.id")).contains(
                " > users.fields is {id: /id} (file /c:2)"))
        #expect(!check(.decode, Advice(.check, about: "users.fields.id")).contains("users.records"))
        #expect(!check(.decode).contains("users.recorder is"), "upstream may have written the message")
        #expect(check(.http, status: 401).contains(" > put a new token into /t (users.token_file)"))
        #expect(check(.credentials).contains(" > put a new token into /t (users.token_file)"))
        #expect(!check(.http, status: 500).contains("users.token_file"))
    }
}
