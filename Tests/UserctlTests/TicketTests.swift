import Model
import Platform
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("Kerberos tickets and the service")
struct TicketTests {
    private let places = ["/home/ann"]
    private let runtime = "/run/user/7"

    @Test(
        "A drop-in opens what the tickets need, and no more",
        arguments: [
            ("FILE:/tmp/krb5cc_7", "FILE:/tmp/krb5cc_7", "PrivateTmp=no\n", true),
            ("/tmp/krb5cc_7", "FILE:/tmp/krb5cc_7", "PrivateTmp=no\n", true),
            ("DIR:/tmp/tickets", "DIR:/tmp/tickets", "PrivateTmp=no\n", true),
            (
                "FILE:/home/a b/100%/t", "FILE:/home/a b/100%%/t", "BindReadOnlyPaths=\"-/home/a b/100%%\"\n",
                false
            ),
            (
                "DIR:/run/user/7/krb5cc", "DIR:/run/user/7/krb5cc",
                "BindReadOnlyPaths=\"-/run/user/7/krb5cc\"\n", false
            ),
            ("/home/ann/t", "FILE:/home/ann/t", "BindReadOnlyPaths=\"-/home/ann\"\n", true),
            ("/home/t", "FILE:/home/t", "BindReadOnlyPaths=\"-/home\"\n", true),
            ("KCM:", "KCM:", "", false),
        ])
    func dropIn(cache: String, named: String, lines: String, asks: Bool) throws {
        let dropIn = try #require(KerberosDropIn(TicketCache(cache), places: places, runtime: runtime))
        #expect(
            dropIn.text
                == "# Written by `userctl service enable --kerberos`.\n[Service]\nEnvironment=\"KRB5CCNAME=\(named)\"\n"
                + lines)
        #expect((dropIn.question != nil) == asks)
        if let question = dropIn.question {
            #expect(question.contains("may connect to the sockets there") && question.contains("KCM:"))
        }
    }

    @Test func `the runtime directory, with the sockets of the session, is never opened`() {
        for cache in ["/run/user/7/t", "DIR:/run/user/7", "/run/user/t", "/run/t", "/t", "DIR:/"] {
            #expect(KerberosDropIn(TicketCache(cache), places: places, runtime: runtime) == nil, "\(cache)")
        }
        #expect(KerberosDropIn(TicketCache("/run/user/70/t"), places: places, runtime: runtime) != nil)
    }

    @Test func `keyrings and others can't be had`() {
        for kind in ["KEYRING", "MEMORY", "API"] {
            #expect(KerberosDropIn(TicketCache(kind + ":a:b"), places: places, runtime: runtime) == nil)
        }
    }

    @Test func `the cache is the environment's, klist's or the usual one`() {
        func cache(_ variable: String?, klist: String?) -> String {
            var probes = DoctorProbes.live([:])
            probes.user = { (7, "me") }
            probes.find = { klist == nil ? nil : "/usr/bin/" + $0 }
            // Translated, unless told not to.
            probes.run = { _, arguments, _, _ in
                ProgramRun(code: 0, output: arguments.first == "LC_ALL=C" ? klist ?? "" : "Ticketspeicher: A")
            }
            return probes.ticketCache(variable).description
        }
        let klist = "Ticket cache: KCM:7\nDefault principal: a@B\n"
        #expect(cache("DIR:/a", klist: klist) == "DIR:/a")
        #expect(cache("", klist: klist) == "KCM:7")
        #expect(cache(nil, klist: nil) == "FILE:/tmp/krb5cc_7")
    }

    private func told(valid: Bool, environment: [String: String]?, mine: String? = "KCM:") -> [String] {
        var probes = DoctorProbes.live([:])
        probes.user = { (7, "me") }
        probes.find = { "/usr/bin/" + $0 }
        probes.run = { _, _, _, _ in ProgramRun(code: valid ? 0 : 1) }
        let sasl = SettingValue(name: "users.sasl", value: "gssapi", origin: "default")
        let start = environment.map {
            DaemonProcess.Start(program: "", arguments: [], environment: $0, directory: "")
        }
        return ticketChecks(RunningUserd(settings: [sasl], start: start), { _ in mine }, probes).map {
            "\($0.status): \($0.found)"
        }
    }

    @Test func `doctor tells a missing ticket and a closed sandbox`() {
        let service = ["INVOCATION_ID": "1", "KRB5CCNAME": "KCM:"]
        #expect(told(valid: true, environment: service) == ["ok: valid, in KCM:", "ok: visible in KCM:"])
        #expect(told(valid: false, environment: [:])[0] == "failed: there is no valid ticket in KCM:")
        #expect(told(valid: true, environment: [:])[1] == "ok: userd was started by hand, and sees them")
        #expect(
            told(valid: true, environment: ["INVOCATION_ID": "1"])[1]
                == "failed: hidden: the service may not look for tickets")
        #expect(
            told(valid: true, environment: service, mine: "/tmp/a")[1]
                == "warning: the service looks in KCM:, but your tickets are in FILE:/tmp/a")
        #expect(told(valid: true, environment: nil)[1].hasPrefix("skipped"))
    }

    @Test func `connect offers a ticket where it is of the domain's realm, else not at all`() {
        let byTicket = DiscoveredDirectory(
            name: "t", certainty: .likely, because: "", settings: [DiscoveredSetting("users.sasl", "gssapi")],
            needed: [])
        let other = DiscoveredDirectory(name: "o", certainty: .sure, because: "", settings: [], needed: [])
        func offered(_ realm: String?, _ domain: String) -> [String] {
            var found = Discovered(directories: [byTicket, other], complaints: [])
            found.offerTickets(of: realm, domain: domain)
            return found.directories.map(\.name)
        }
        #expect(offered("CORP.EXAMPLE", "ann@corp.example") == ["t", "o"])
        #expect(offered("CORP.EXAMPLE", "other.example") == ["o"])
        #expect(offered(nil, "corp.example") == ["o"])
    }
}
