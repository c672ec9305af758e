import Model

/// Errors of providers whose own words do not say what a person can do. The first that fits counts. It adds a sentence
/// to those words, which are shown in any case.
struct KnownRefusal: Sendable {
    /// The error's code; nil for any.
    var code: String?
    /// A part of the description, in lower case; empty for any. A number at its end is a whole one.
    var words = ""
    let reason: String
    let advice: Advice.Kind

    func fits(_ refusal: OAuthRefusal) -> Bool {
        code.map { $0 == refusal.code } ?? true && (words.isEmpty || refusal.says(words))
    }

    /// The advice if userd asks for itself; nil if the refusal is about a person, a browser or a redirect.
    var clientAdvice: Advice.Kind? {
        switch advice {
        case .checkClient, .nameSecret: .checkClientSecret
        case .checkScope, .askForConsent, .askAboutPolicy: advice
        default: nil
        }
    }

    static let all = microsoft + google + others + standard

    /// Microsoft Entra: https://learn.microsoft.com/entra/identity-platform/reference-error-codes
    private static let microsoft: [KnownRefusal] = [
        .init("aadsts65001", "nobody has consented to the scope yet", .askForConsent),
        .init("aadsts90094", "an administrator has to consent to the scope", .askForConsent),
        .init("aadsts900941", "an administrator has to consent, as it seems risky", .askForConsent),
        .init("aadsts90095", "an administrator has to consent, and can be asked there", .askForConsent),
        .init("aadsts65004", "you did not consent", .signInAgain),
        .init("aadsts50105", "you are not assigned to the application", .askForAssignment),
        .init("aadsts700016", "the tenant does not know the application", .checkClient),
        .init("aadsts700038", "the client id is not an application's", .checkClient),
        .init("aadsts90002", "there is no such tenant", .checkIssuer),
        .init("aadsts900023", "that is no name of a tenant", .checkIssuer),
        .init("aadsts90008", "the application asks for too little", .checkScope),
        .init("aadsts70011", "the scope is not valid", .checkScope),
        .init("aadsts650053", "the scope does not exist", .checkScope),
        .init("aadsts7000218", "the application is not registered for public clients", .allowPublicClient),
        .init("aadsts700025", "the application is a public client, which has no secret", .allowPublicClient),
        .init("aadsts7000215", "the client's secret is wrong", .nameSecret),
        .init("aadsts7000222", "the client's secret has expired", .nameSecret),
        .init("aadsts9002327", "the redirect address is registered for a web page", .registerAsNative),
        .init("aadsts9002326", "the redirect address is registered for a web page", .registerAsNative),
        .init("aadsts50011", "the redirect address is not registered", .registerRedirect),
        .init("aadsts500113", "no redirect address is registered", .registerRedirect),
        .init("aadsts50020", "the account belongs to another organisation", .useOtherAccount),
        .init("aadsts50034", "the account is not in the tenant", .useOtherAccount),
        .init("aadsts500341", "the account was deleted", .useOtherAccount),
        .init("aadsts530036", "the tenant does not allow device codes", .useBrowser),
        .init("aadsts50097", "the tenant wants to know the device", .useBrowser),
        .init("aadsts53000", "the tenant wants a device that it manages", .askAboutPolicy),
        .init("aadsts53001", "the tenant wants a device that belongs to its domain", .askAboutPolicy),
        .init("aadsts53003", "a policy of the tenant blocks this sign-in", .askAboutPolicy),
        .init("aadsts530003", "the tenant wants a device that it manages", .askAboutPolicy),
        .init("aadsts53011", "the tenant blocks the account as risky", .askAboutPolicy),
        .init("aadsts50057", "the account is disabled", .askAboutPolicy),
        .init("aadsts500571", "the guest's account is disabled", .askAboutPolicy),
        .init("aadsts50076", "the tenant wants a second factor", .signIn),
        .init("aadsts50079", "the tenant wants a second factor", .signIn),
        .init("aadsts70043", "the tenant wants you to sign in again from time to time", .signIn),
        .init("aadsts700082", "the sign-in ended because it was not used for long", .signIn),
        .init("aadsts700081", "the sign-in has reached its longest duration", .signIn),
        .init("aadsts700084", "the sign-in has reached its longest duration", .signIn),
        .init("aadsts50173", "the password was changed, or the sign-in revoked", .signIn),
        .init("aadsts70008", "the sign-in has expired", .signIn),
    ]

    /// Google: https://developers.google.com/identity/protocols/oauth2/native-app#errors and
    /// https://developers.google.com/identity/protocols/oauth2/limited-input-device
    private static let google: [KnownRefusal] = [
        .init(
            code: "admin_policy_enforced", "", "the organisation does not let people use the application",
            .askAboutPolicy),
        .init(
            code: "org_internal", "", "only accounts of the client's organisation may sign in",
            .useOtherAccount),
        .init(code: "deleted_client", "", "the client was deleted", .checkClient),
        .init(code: "redirect_uri_mismatch", "", "the redirect address is not registered", .registerRedirect),
        .init(
            code: "invalid_scope", "device flow", "Google gives this scope only to sign-ins by the browser",
            .useBrowser),
        .init(
            code: "invalid_grant", "expired or revoked",
            "the sign-in has ended; of clients in testing it does so after 7 days", .signIn),
        .init(code: "invalid_request", "client_secret is missing", "the client has a secret", .nameSecret),
    ]

    private static let others: [KnownRefusal] = [
        // Keycloak: services of org.keycloak.protocol.oidc, grants and device.
        .init(
            code: "unauthorized_client", "device authorization grant", "the client may not use device codes",
            .useBrowser),
        .init(code: "invalid_grant", "session not active", "the session has ended", .signIn),
        .init(code: "invalid_client", "client secret not provided", "the client has a secret", .nameSecret),
        // GitHub: https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
        .init(code: "device_flow_disabled", "", "the client may not use device codes", .useBrowser),
        .init(code: "bad_refresh_token", "", "the sign-in has ended", .signIn),
        .init(code: "incorrect_client_credentials", "", "the client's id or secret is wrong", .checkClient),
        // Okta: https://developer.okta.com/docs/reference/api/oidc/
        .init(
            code: "access_denied", "not assigned to the client", "you are not assigned to the application",
            .askForAssignment),
        .init(
            code: "access_denied", "policy evaluation failed", "a policy blocks this sign-in", .askAboutPolicy
        ),
    ]

    /// RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5; OpenID Connect Core 1.0, section 3.1.2.6.
    private static let standard: [KnownRefusal] = [
        .init(code: "access_denied", "", "it was denied", .signInAgain),
        .init(code: "expired_token", "", "nobody entered the code in time", .signInAgain),
        .init(code: "invalid_client", "", "the client is unknown, or its secret is wrong", .checkClient),
        .init(code: "unauthorized_client", "", "the client may not sign in this way", .registerAsNative),
        .init(
            code: "unsupported_grant_type", "", "the provider does not offer this way to sign in", .useBrowser
        ),
        .init(code: "invalid_scope", "", "the provider does not give this scope", .checkScope),
        .init(code: "consent_required", "", "somebody has to consent", .askForConsent),
        .init(code: "interaction_required", "", "the provider wants to ask you something", .signIn),
        .init(
            code: "account_selection_required", "", "it does not let you choose an account", .leaveOutPrompt),
        .init(code: "invalid_request", "prompt", "it does not support the prompt", .leaveOutPrompt),
        .init(code: "login_required", "", "the session has ended", .signIn),
    ]

    private init(_ words: String, _ reason: String, _ advice: Advice.Kind) {
        (self.words, self.reason, self.advice) = (words, reason, advice)
    }

    private init(code: String, _ words: String, _ reason: String, _ advice: Advice.Kind) {
        (self.code, self.words, self.reason, self.advice) = (code, words, reason, advice)
    }
}
