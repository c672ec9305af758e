import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("doctor's checks of secrets' files")
struct DoctorSecretTests {
    /// `status: found` of each check, and all advice.
    private func told(
        _ settings: [SettingValue]?, warnings: [String] = [],
        file: FileFact = .found(.file, owner: 7, mode: 0o600)
    ) -> (found: [String], advice: String) {
        var probes = DoctorProbes.live([:])
        probes.user = { (7, "me") }
        probes.file = { _, _ in file }
        let checks = secretChecks(
            settings, warnings: warnings, configFile: "/home/ann/.config/userd/config.yaml", probes)
        return (
            checks.map { "\($0.status) \($0.name): \($0.found)" },
            checks.flatMap(\.advice).joined(separator: "\n")
        )
    }

    private func setting(_ name: String, _ value: String, hint: String? = nil) -> SettingValue {
        SettingValue(name: name, value: value, origin: "file /c/config.yaml:3", hint: hint)
    }

    @Test(
        "Where a path should be, something else fails one check, without the value, and says how to be rid of it"
    )
    func pasted() {
        let settings = [setting("users.token_file", "<not a path>", hint: "the value is no path")]
        let warnings = ["users.token_file", "users.headers"].map { "\($0): there is no file <not a path>: a" }
        // No userd runs, one does, or one that shows the value.
        for settings in [nil, settings, [setting("users.token_file", "c4nary")]] {
            let (found, advice) = told(settings, warnings: warnings + ["b"])
            let words = "is no path; it may be the secret itself"
            #expect(
                found == [
                    "failed secrets.paths: users.token_file \(words)",
                    "failed secrets.paths: users.headers \(words)",
                ])
            #expect(
                advice.contains("`userctl connect ADDRESS` moves it")
                    && advice.contains("journalctl --vacuum-time"))
        }
    }

    @Test("It is said once: the settings' own warning about it is left out")
    func once() throws {
        var facts = UserdFacts()
        facts.program = "/usr/bin/userd"
        facts.warnings = ["users.token_file: there is no file <not a path>: a"]
        #expect(programChecks(facts).first { $0.name == "userd.settings" }?.status == .ok)
        facts.warnings.append("b")
        #expect(programChecks(facts).first { $0.name == "userd.settings" }?.found == "b")
    }

    @Test(
        "A file that is there, and that userd can't open, fails a check with both ways",
        arguments: [
            ("users.token_file", "/home/ann/a b%:/key"),
            ("users.oauth.client_secret_file", "/home/ann/a b%:/key"),
            ("users.password_file", "/home/ann/a b%:/key"),
            ("users.headers", #"{"x-b": "REDACTED", "x-a": {file: "/home/ann/a b%:/key"}}"#),
        ])
    func hidden(name: String, value: String) {
        let (found, advice) = told([setting(name, value, hint: "there is no file")])
        let path = "/home/ann/a b%:/key"
        #expect(
            found == [
                "failed secrets.files: \(name): \(path) is there, but userd can't open it: the service's sandbox hides it"
            ])
        for way in name == "users.headers"
            ? [#"BindReadOnlyPaths="-/home/ann/a b%%\:""#, "copy it to /home/ann/.config/userd"]
            : ["`userctl connect` lets the service see its folder", "copies it to /home/ann/.config/userd"]
        {
            #expect(advice.contains(way), "\(advice)")
        }
    }

    @Test("Where userd sees the file, where nobody does, and without secrets, nothing is wrong")
    func fine() {
        let token = setting("users.token_file", "/t")
        #expect(told([token]).found == ["ok secrets.files: userd can open them"])
        let missing = setting("users.token_file", "/t", hint: "there is no file")
        for file in [
            FileFact.absent, .found(.folder, owner: 7, mode: 0o700), .found(.file, owner: 7, mode: 0),
        ] {
            // The sync says so.
            #expect(told([missing], file: file).found == [], "\(file)")
        }
        #expect(told([setting("users.token_file", "")]).found == [] && told(nil).found == [])
    }
}
