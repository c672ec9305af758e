import Model

/// A provider's own words, for `AdministratorLetter`. Directories.md says the same for whoever registers userd.
struct AdministratorTerms {
    /// How to register userd.
    let steps: [String]
    /// A permission that people may want, with what it adds.
    var notAsked: [String] = []
    let withdrawal: [String]
    /// The people of a page, as the format's file says.
    let pageSize: Int
    /// Whether the directory says what changed.
    var hasChanges = false

    /// - Parameter format: the setting `users.format`.
    static func of(_ format: String) -> AdministratorTerms { all[format] ?? others }

    /// A scope with what it is for, if that is known.
    static func scope(_ name: String) -> String {
        name.shown(upTo: 200) + (scopes[name].map { ": \($0)" } ?? "")
    }

    private static let scopes = [
        "openid": "says who signs in",
        "profile": "says that person's own name",
        "offline_access": "renews the sign-in, so that people sign in once",
        "User.ReadBasic.All": "names, email addresses, usernames and pictures of people",
        "User.Read.All":
            "also job titles, departments, offices, telephone numbers, addresses and managers",
        "https://www.googleapis.com/auth/directory.readonly":
            "the profiles and contacts that the domain shares",
        "okta.users.read": "the users that the person may list",
        "read_api": "reads what the person may read in GitLab; GitLab has no smaller one for a list of users",
    ]

    private static let all: [String: AdministratorTerms] = [
        "graph": AdministratorTerms(
            steps: [
                "Entra admin centre, App registrations, New registration, in this directory only",
                "Platform: “Mobile and desktop applications”; no secret",
                "API permissions: Microsoft Graph, delegated, the scope below; then “Grant admin consent”",
            ],
            notAsked: [
                "User.Read.All adds job titles, departments, offices, telephone numbers, addresses, managers,",
                "and which accounts are disabled. If people need these, consent to it and add it to the scope.",
            ],
            withdrawal: [
                "Entra admin centre, Enterprise applications, the application, Properties, Delete; tokens that",
                "were given before may last for another hour or so",
            ], pageSize: 999, hasChanges: true),
        "google-people": AdministratorTerms(
            steps: [
                "Google Cloud console, APIs & Services: enable the People API",
                "Consent screen: Internal; credentials of the type “Desktop app”, whose secret each machine has",
                "Admin console, Directory settings: directory sharing has to be on",
            ],
            withdrawal: ["Admin console, Security, API controls, App access control: block the application"],
            pageSize: 1_000, hasChanges: true),
        "okta": AdministratorTerms(
            steps: [
                "Admin console, Applications, Create App Integration: OIDC, native application",
                "Grants: authorization code and refresh token; PKCE instead of a secret",
                "Okta API Scopes: grant okta.users.read; Assignments: who may sign in",
                "Okta lists users for administrators alone; for other people, publish a list (Organisations.md)",
            ],
            withdrawal: ["Admin console, Applications, the application: Deactivate"], pageSize: 200),
        "keycloak": AdministratorTerms(
            steps: [
                "Admin console, Clients, Create client: OpenID Connect, client authentication off, standard flow",
                "Role view-users of realm-management, for whoever may list users",
                "Keycloak lists users for these alone; for other people, publish a list (Organisations.md)",
            ],
            withdrawal: ["Admin console, Clients, the client: turn Enabled off"], pageSize: 100),
        "gitlab": AdministratorTerms(
            steps: ["Admin area, Applications, New application: not confidential"],
            withdrawal: ["Admin area, Applications: Destroy; each person: Applications, Revoke"],
            pageSize: 100),
    ]

    private static let others = AdministratorTerms(
        steps: [
            "A native (desktop) program without a secret, for authorization code with PKCE and refresh token"
        ],
        withdrawal: ["disable or delete the client at the provider"], pageSize: 100)
}
