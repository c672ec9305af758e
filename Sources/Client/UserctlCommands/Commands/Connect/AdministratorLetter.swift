import HTTP
import Model
import TerminalViews

/// A text for whoever decides where people may sign in: what to check, how to let them, what it costs the directory, and where
/// data is kept.
struct AdministratorLetter {
    let directory: DiscoveredDirectory
    /// Those that would have userd.
    var machines = AdministratorLetter.machines

    static let machines = 100

    private func text(_ setting: String) -> String? { settings.value(of: "users.\(setting)") }
    /// The settings of the configuration, and after them those that `connect` would add.
    private var settings: [DiscoveredSetting] {
        let given = directory.settings
        let format = given.value(of: "users.format") ?? ""
        return given + DiscoveredDirectory.signIn(format, at: given.value(of: "users.oauth.issuer") ?? "")
    }
    private var issuer: String? { text("oauth.issuer") }
    private var redirect: String { text("oauth.redirect") ?? "http://127.0.0.1/callback" }
    private var scopes: [String] { (text("oauth.scope") ?? "").split(separator: " ").map(String.init) }
    private var clientID: String? { text("oauth.client_id") ?? directory.clientID }
    private var terms: AdministratorTerms { .of(text("format") ?? "") }

    func lines() throws -> [String] {
        var lines = Self.request + ["", "What to check", ""]
        for (title, values) in checks { lines += row(title, values) }
        lines += ["", "How to let them", ""] + (try registration())
        if let link = consentLink { lines += consent(link) }
        lines += ["", "What it costs the directory", ""] + costs
        return lines + ["", "Where data is kept", ""] + Self.data
    }

    private static let request = [
        "Please let the people here sign in to userd. It keeps the organisation's directory on their own",
        "machines, so that they find colleagues at once, also offline. Each person signs in as themselves, and",
        "userd sees nothing that their own account may not see.",
    ]

    // MARK: What to check

    private var checks: [(title: String, values: [String])] {
        let publisher =
            if clientID == nil {
                "your organisation, which registers it"
            } else if clientID == directory.clientID {
                "userd's own registration; the page of consent has to show a verified publisher"
            } else {
                "as the page of consent says; your organisation, if it was registered there"
            }
        let id = clientID?.shown(upTo: 200) ?? "none yet; the registration (step 1) gives it"
        var checks: [(title: String, values: [String])] = [
            ("Application id", [id]), ("Publisher", [publisher]),
            ("Sign-in at", [issuer?.shown(upTo: 200) ?? directory.name]),
            ("Permissions", ["delegated to each person who signs in; none of the application's own"]),
            ("", scopes.isEmpty ? [Self.noScope] : scopes.prefix(20).map { AdministratorTerms.scope($0) }),
        ]
        if !terms.notAsked.isEmpty { checks.append(("Not asked for", terms.notAsked)) }
        return checks + [("To withdraw it", terms.withdrawal)]
    }

    private static let noScope = "not set: users.oauth.scope in config.yaml has to name it"

    private func row(_ title: String, _ lines: [String]) -> [String] {
        lines.enumerated().map { index, line in
            let title = index == 0 ? title : ""
            return "  " + title + String(repeating: " ", count: 16 - title.count) + line
        }
    }

    // MARK: How to let them

    private static let shared =
        ["users.format", "users.url"]
        + ["issuer", "redirect", "scope", "parameters"].map { "users.oauth.\($0)" }

    private func registration() throws -> [String] {
        // Others may be secret, or a person's own.
        let shared = Self.shared.compactMap { name in
            settings.value(of: name).map {
                DiscoveredSetting(name, name == "users.url" ? shownAddress($0) : $0)
            }
        }
        let id = DiscoveredSetting("users.oauth.client_id", "the id that the registration gives")
        let scope = scopes.isEmpty ? Self.noScope : scopes.joined(separator: " ").shown(upTo: 500)
        let steps = terms.steps + ["Redirect address: \(redirect.shown(upTo: 200))", "Scope: \(scope)"]
        var lines = [
            "1. Register userd in your own organisation. Then nobody else's application is needed.", "",
        ]
        lines += steps.map { "   - " + $0 }
        lines += [
            "", "   With these lines in /etc/xdg/userd/config.yaml, nobody here has to set anything:", "",
        ]
        return lines + (try configurationLines(shared + [id])).map { "     " + $0 }
    }

    private func consent(_ link: String) -> [String] {
        [
            "", "2. Or consent for everybody to the application above, on this page:", "", "   \(link)", "",
            "   The last page can't be loaded, since it leads to a program on your own machine that does not run.",
            "   That is all right: once you have accepted, the consent is given.",
        ]
    }

    /// Microsoft's page on which an administrator consents for everybody; nil without a client id:
    /// https://learn.microsoft.com/entra/identity-platform/v2-admin-consent
    var consentLink: String? {
        guard text("format") == "graph", let clientID, let issuer, issuer.hasSuffix("/v2.0"),
            issuer.hasPrefix(microsoftSignIn),
            issuer.utf8.allSatisfy({ isUnreserved($0) || "/:".utf8.contains($0) })
        else { return nil }
        let full = scopes.map { scope in
            scope.contains(".") && !scope.contains("://") ? "https://graph.microsoft.com/\(scope)" : scope
        }
        let fields = [
            ("client_id", clientID), ("scope", full.joined(separator: " ")), ("redirect_uri", redirect),
        ]
        let query = fields.map { "\($0)=\($1.percentEncoded(keeping: isUnreserved))" }.joined(separator: "&")
        return "\(issuer)/adminconsent?\(query)"
    }

    // MARK: What it costs

    /// A thousand people, whose records have 600 bytes each, and a day.
    private var costs: [String] {
        let pages = (1_000 + terms.pageSize - 1) / terms.pageSize
        let list = "\(counted(pages, "request")) and 0.6 MB for 1,000 people"
        let (requests, kilobytes) = terms.hasChanges ? (24 + pages, 24 * 2 + 600) : (96 * pages, 96 * 600)
        let changing = [
            "A machine asks what has changed once an hour (one request, 2 KB), and reads the list once a day",
            "(\(list)). In its first two days, until userd trusts the changes,",
            "it asks every 15 minutes, and reads the list whenever somebody has changed.",
        ]
        let whole = [
            "A machine reads the list every 15 minutes (\(list)),",
            "or as often as users.interval says. One machine can read it for all others: Organisations.md.",
        ]
        let sum = machines * kilobytes
        let size = sum < 1_000 ? "\(sum) kB" : "\(grouped(sum / 1_000)) MB"
        let lines =
            (terms.hasChanges ? changing : whole) + [
                "", "For 1,000 people on \(counted(machines, "machine")), that is about",
                "\(counted(machines * requests, "request")) and \(size) a day, "
                    + "before compression. A picture is one more request,",
                "when somebody looks at it.",
            ]
        return lines + share
    }

    /// The part of Microsoft's limits that all machines would take in the same moment:
    /// https://learn.microsoft.com/graph/throttling-limits
    private var share: [String] {
        guard text("format") == "graph" else { return [] }
        let sizes = [("fewer than 50 people", 3_500), ("50 to 500 people", 5_000), ("more than 500", 8_000)]
        var lines = [
            "",
            "Microsoft lets an application use so many units in 10 seconds; a page costs one. If all machines",
            "asked in the same 10 seconds, that would be:", "",
        ]
        for (size, units) in sizes {
            let tenths = (machines * 1_000 + units / 2) / units
            lines.append(
                "  \(grouped(tenths / 10)).\(tenths % 10) % of \(grouped(units)) units, with \(size)")
        }
        return lines + ["", "A machine that Microsoft asks to wait does so, for as long as it says."]
    }

    private static let data = [
        "Only on each person's machine, in ~/.cache/userd/userd.db, which only that person can read (mode 0600);",
        "the sign-in is in a file of its own (0600), too. userd sends nothing to anyone else, changes nothing in the",
        "directory, and does not record who looked at whom. Its article Privacy.md says what is kept, for how long,",
        "and how to keep less or remove it.",
    ]
}
