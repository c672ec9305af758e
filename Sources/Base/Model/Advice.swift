/// Advice about a failure: a code for programs, and words that tell a person what to do. In JSON, it is the code.
/// Failure.swift names the places of reasons.
package struct Advice: Hashable, Sendable, Codable {
    /// Nil for a code that this version does not know.
    package let kind: Kind?
    /// A name from the table, and what it is about after a colon, if it is about something: `try-format:okta`.
    package let code: String
    /// Nil if they are unknown, or if the message says it in other words.
    package var words: String?

    package init(_ kind: Kind, about parameter: String = "") {
        self.kind = kind
        code = kind.row.code.replacing("…", with: parameter)
        words = kind.row.words.replacing("…", with: parameter)
    }

    package init(from decoder: any Decoder) throws {
        code = try decoder.singleValueContainer().decode(String.self)
        let parts = code.split(separator: ":", maxSplits: 1)
        kind = parts.first.flatMap { Kind.named[String($0)] }
        words = kind.flatMap { Advice($0, about: parts.dropFirst().first.map(String.init) ?? "").words }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(code)
    }
}

extension Advice {
    /// The table. A row is the code, which never changes, and the words, which name settings and commands; `…` is what the
    /// advice is about. Failures.md has the same table.
    package enum Kind: String, Sendable, CaseIterable {
        /// A setting does not fit the answer.
        case check = "check:… | see …"
        /// The pages do not follow each other as the settings say, or several records have the same id.
        case checkPagingAndIDs =
            "check-paging-and-ids:… | see ….paging, and ….fields.id if the ids are not unique"
        /// The list seems to have a single page.
        case askForOnePage = "ask-for-one-page | if it has no pages, set users.pages to 1"
        case readOnePage = "read-one-page | if it has no pages, set facts.format to json"
        case nameAddressOfOneFact =
            "name-address-of-one-fact | set facts.one_url to an address that returns one fact"
        /// The answer looks like another format of this name.
        case tryFormat = "try-format:… | it looks like …: set users.format to that"

        // A sync would remove rows, which a person has to accept.
        /// The rows are from another upstream than the new records.
        case acceptOtherSource =
            "accept-other-source | `userctl sync users --accept-removals` accepts the new ones"
        case acceptRemovals =
            "accept-removals | `userctl sync users --accept-removals` removes them; users.removal_guard is the limit"
        case acceptNewIDs = """
            accept-new-ids | most ids are new, so upstream may give the same users other ids (see users.fields.id); \
            `userctl sync users --accept-removals` removes them; users.removal_guard is the limit
            """

        /// A secret would be sent without encryption.
        case useHTTPS = "use-https | set users.url to an https:// address"
        /// The next page is on another server.
        case changeOrigin = "change-origin:… | if that is right, set users.url to an address on …"
        case raiseResponseLimit = "raise-response-limit | http.max_response_bytes is the limit"
        case nameProxyUser = "name-proxy-user | set user and password in http.proxy"
        case checkProxyUser = "check-proxy-user | check user and password in http.proxy"
        /// A token endpoint refused the client's id or secret.
        case checkClientSecret = "check-client-secret | check users.oauth.client_id and its secret"
        /// A token endpoint gives tokens of another type.
        case changeTokenScheme = "change-token-scheme | if that is right, set users.token_scheme to it"
        /// A certificate is from an unknown authority.
        case trustAuthority = "trust-authority | name it in http.ca_file if you trust it"

        /// An LDAP server refused a request of the identity that userd has there.
        case checkBind = "check-bind | check users.bind_dn, users.password_file and users.starttls"
        case checkPassword = "check-password | check users.bind_dn and users.password_file"
        case changeServer = "change-server | the base in users.url is on another server"
        case checkBase =
            "check-base | the base in users.url does not exist, or users.bind_dn may not see it"
        case checkNames = "check-names | the base in users.url, or users.bind_dn, is not a valid DN"
        /// An LDAP server ended a list at its limit of entries.
        case raiseServerSizeLimit = """
            raise-server-size-limit | the limit is the server's, for users.bind_dn: sizelimit and limits in OpenLDAP, \
            nsslapd-sizelimit in 389 Directory Server, MaxPageSize in Active Directory
            """
        /// An LDAP server refused to look through more entries.
        case raiseServerLookThroughLimit = """
            raise-server-look-through-limit | the limit is the server's: nsslapd-lookthroughlimit in 389 Directory Server, \
            or nsLookThroughLimit and nsPagedLookThroughLimit of the entry of users.bind_dn; in OpenLDAP size.pr, which \
            users.page_size may not exceed
            """
        case tryLDAPS = "try-ldaps | the port may speak TLS from the start: try an ldaps:// address"
        case tryStartTLS =
            "try-starttls | the port may speak StartTLS: try an ldap:// address with users.starttls"

        case getTicket = "get-ticket | run `kinit`"
        case checkTicket = "check-ticket | `klist` shows your Kerberos tickets"
        case installGSSAPI = "install-gssapi | install the package libsasl2-modules-gssapi-mit"
        case nameServer =
            "name-server | users.url needs the server's own name, not an address, an alias or a load balancer"
        case checkKDC = "check-kdc | check the network, and the realm's servers in krb5.conf or DNS"
        /// A server refuses a ticket inside TLS.
        case tryPlainLDAP =
            "try-plain-ldap | try an ldap:// address, where the ticket encrypts the connection"

        // Sign-ins at a provider.
        /// Nobody is signed in, or no longer.
        case signIn = "sign-in | sign in: `userctl sign-in`"
        /// The person said no, or waited too long.
        case signInAgain = "sign-in-again | `userctl sign-in` begins again"
        /// The provider does not want this person to sign in with a code.
        case useBrowser =
            "use-browser | sign in by the browser: `userctl sign-in`, or `userctl sign-in --paste` if it is on another machine"
        /// No browser answered at this machine.
        case pasteOrUseCode = """
            paste-or-use-code | if the browser showed an error, that says why; if there is no browser on this machine, use \
            `userctl sign-in --device` or `userctl sign-in --paste`
            """
        case pasteWholeAddress =
            "paste-whole-address | paste the whole address from the browser's address bar, which has code= and state= in it"
        case checkClient =
            "check-client | check users.oauth.client_id, and that it is registered at users.oauth.issuer"
        case checkIssuer = "check-issuer | check users.oauth.issuer"
        /// The provider calls itself by this name.
        case setIssuer = "set-issuer:… | if that is your provider, set users.oauth.issuer to …"
        case checkScope = "check-scope | check users.oauth.scope"
        /// The provider gives no refresh token.
        case askForOfflineAccess =
            "ask-for-offline-access | add offline_access to users.oauth.scope, or what your provider calls it, and sign in again"
        /// The provider's document does not name an endpoint.
        case nameEndpoint = "name-endpoint:… | set users.oauth.…_url"
        case nameDeviceEndpoint =
            "name-device-endpoint | set users.oauth.device_url, or sign in by the browser: `userctl sign-in`"
        case registerAsNative =
            "register-as-native | register users.oauth.client_id as a desktop or native application, not for the web"
        /// The registration does not let the client use codes and public redirects.
        case allowPublicClient =
            "allow-public-client | whoever registered users.oauth.client_id has to allow public client flows for it"
        case nameSecret =
            "name-secret | put the client's secret into a file, and name it in users.oauth.client_secret_file"
        case registerRedirect = """
            register-redirect | whoever registered users.oauth.client_id has to register the address of \
            users.oauth.redirect (unless set, http://127.0.0.1/callback)
            """
        /// Another program listens at the port of the redirect address.
        case freePort = "free-port | end that program, or set another port in users.oauth.redirect"
        case askForConsent = """
            ask-for-consent | ask an administrator to consent to users.oauth.scope for users.oauth.client_id, with the text that \
            `userctl connect DOMAIN --for-administrator` prints, or set a scope that you may consent to
            """
        case askForAssignment =
            "ask-for-assignment | ask an administrator to let you use users.oauth.client_id"
        case askAboutPolicy = "ask-about-policy | ask an administrator which sign-ins are allowed"
        /// The provider does not know the value of `prompt`.
        case leaveOutPrompt =
            "leave-out-prompt | set prompt to null in users.oauth.parameters: {prompt: null}"
        /// The other person's account is the right one, perhaps.
        case useOtherAccount =
            "use-other-account | `userctl sign-in` begins again: choose the account of the organisation"
        case checkClock = "check-clock | check this machine's clock: `timedatectl set-ntp true` sets it"
        case checkTokenFolder =
            "check-token-folder | check the folder's permissions and the space on its disk"

        // General advice of `userd --check-upstream` for a failure that has none.
        case checkNetwork = "check-network:… | check the network, and the host in the setting …"
        case checkHost =
            "check-host:… | check that upstream is up, that no firewall blocks it, and the host and port in the setting …"
        case checkCertificate = """
            check-certificate | if this machine's clock is wrong, `timedatectl set-ntp true` sets it; to trust your own \
            certificate authority, put it into /usr/local/share/ca-certificates and run `update-ca-certificates`; upstream's \
            operator has to fix other errors
            """
        case checkToken =
            "check-token | upstream rejected the credentials: check the setting users.token_file"
        case checkTokenOrigin = """
            check-token-origin | upstream rejected the request; the token of users.token_file is sent only to the origin of \
            users.url
            """
        case wait = "wait | userd waits as long as upstream asks; a longer interval sends fewer requests"
        case waitForOperator =
            "wait-for-operator | upstream's operator has to fix this; userd tries again automatically"
        case checkAddress = "check-address:… | check the address in the setting …"
        case allowMoreTime =
            "allow-more-time | upstream is slow: the setting http.deadline gives it more time"
        case checkSecrets = """
            check-secrets | check the settings users.token_file, users.oauth, users.basic, users.headers and \
            users.password_file, and the files that they name
            """
        case checkLogin = "check-login:… | check the settings …, users.bind_dn and users.password_file"
        case checkUpstream =
            "check-upstream:… | check that the setting … is the address of an upstream for userd"
        case tryAgain = "try-again:… | `userctl retry` tries again; the setting … has the address"

        package var row: (code: String, words: String) {
            let parts = rawValue.split(separator: " | ", maxSplits: 1)
            return (String(parts[0]), String(parts[1]))
        }

        fileprivate static let named = Dictionary(
            uniqueKeysWithValues: allCases.map { ($0.row.code.replacing(":…", with: ""), $0) })
    }
}

extension Failure {
    /// The general advice for an answer.
    /// - Parameter setting: the one with the address that was asked.
    package func adviceOnAnswer(from setting: String) -> Advice {
        let advice: Advice.Kind =
            switch (kind, httpStatus) {
            case (.redirect, _): .checkAddress
            case (_, 401?), (_, 403?): setting == "users.url" ? .checkToken : .checkTokenOrigin
            case (.rateLimited, 503?): .waitForOperator
            case (.rateLimited, _): .wait
            case (_, let status?) where status >= 500: .waitForOperator
            case (_, _?): .checkAddress
            case (.timeout, _): .allowMoreTime
            case (.credentials, _): .checkSecrets
            case (.ldap, _): .checkLogin
            case (.decode, _): setting.contains(".oauth.") ? .checkAddress : .checkUpstream
            default: .tryAgain
            }
        return Advice(advice, about: setting)
    }
}
