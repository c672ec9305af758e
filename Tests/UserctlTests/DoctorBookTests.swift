import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("doctor's checks of the address book")
struct DoctorBookTests {
    private let settings = [
        SettingValue(name: "carddav.port", value: "25000", origin: "default"),
        SettingValue(name: "carddav.max_users", value: "10", origin: "default"),
    ]

    /// `status: found` of each check.
    private func told(
        file: FileFact = .found(.file, owner: 7, mode: 0o600), listener: String = "7", answers: Bool = true,
        refusal: String? = nil, size: Int? = 3
    ) -> [String] {
        var probes = DoctorProbes.live([:])
        probes.user = { (7, "me") }
        probes.file = { _, _ in file }
        // In hexadecimal, 25000 is 61A8.
        probes.listeners = {
            Listeners([
                "  sl  local_address …\n   0: 0100007F:61A8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  "
                    + "\(listener) 0 1 1\n"
            ])
        }
        probes.bookAnswer = { $0 == 25_000 && answers }
        probes.bookRefusal = { $0 == 25_000 ? refusal : nil }
        probes.bookSize = { _, _ in size }
        probes.find = { _ in nil }
        let checks = bookChecks(
            at: "/s", settings: settings, configFile: "/c/userd/config.yaml", probes)
        return checks.map { "\($0.status): \($0.found)" }
    }

    @Test func `without a port there is nothing to check`() {
        var probes = DoctorProbes.live([:])
        probes.find = { _ in nil }
        let none = [SettingValue(name: "carddav.port", value: "", origin: "default")]
        #expect(BookFacts(none) == nil)
        #expect(bookChecks(at: "/s", settings: none, configFile: "/c", probes).isEmpty)
    }

    @Test func `all is well`() {
        #expect(
            told() == [
                "ok: /c/userd/carddav-password is private to you", "ok: served at port 25000", "ok: 3 users",
            ])
        #expect(told(size: nil).count == 2)
    }

    @Test func `where people come from a directory, it counts as other people`() {
        #expect(directoriesOfPeople("passwd: files systemd\n") == [])
        #expect(
            directoriesOfPeople("# passwd: a\npasswd:\tfiles [!NOTFOUND=return] sss winbind # ldap\n") == [
                "sss", "winbind",
            ])
        #expect(directoriesOfPeople("") == [])
    }

    @Test func `the password's file is missing, another's or open`() {
        #expect(told(file: .absent)[0] == "failed: there is no file /c/userd/carddav-password")
        #expect(
            told(file: .found(.file, owner: 8, mode: 0o600))[0]
                == "failed: /c/userd/carddav-password belongs to user 8")
        #expect(
            told(file: .found(.file, owner: 7, mode: 0o644))[0]
                == "warning: others can look into /c/userd/carddav-password")
    }

    @Test func `nobody, another user or another program listens`() {
        #expect(told(listener: "x")[1] == "failed: nothing listens at port 25000")
        #expect(told(listener: "8")[1] == "failed: user 8 listens at port 25000")
        #expect(
            told(answers: false)[1]
                == "failed: another program listens at port 25000, or userd does not serve the book")
    }

    @Test func `userd listens and says why it serves no book`() {
        #expect(
            told(answers: false, refusal: "a reason")[1]
                == "failed: there is no address book at port 25000, where userd listens: a reason")
    }

    @Test func `userd refuses at another port, at which systemd listens`() {
        var probes = DoctorProbes.live([:])
        probes.find = { $0 }
        probes.run = { _, _, _, _ in
            ProgramRun(code: 0, output: "userd-carddav@25001.socket loaded active running …\n")
        }
        probes.bookRefusal = { $0 == 25_001 ? "a reason" : nil }
        let checks = bookChecks(at: nil, settings: nil, configFile: nil, probes)
        #expect(
            checks.map(\.found) == ["there is no address book at port 25001, where userd listens: a reason"])
    }

    @Test func `the book is too large`() {
        #expect(told(size: 10)[2] == "ok: 10 users")
        #expect(
            told(size: 11)[2] == "failed: 11 users, but carddav.max_users is 10, so the book is not served")
    }
}
