import Model

extension SignInAdvice {
    /// Text for the end of a message, with the names of settings and commands.
    package var words: String {
        switch self {
        case .signIn: "sign in: `userctl sign-in`"
        case .signInAgain: "`userctl sign-in` begins again"
        case .useBrowser:
            "sign in by the browser: `userctl sign-in`, or `userctl sign-in --paste` if it is on another machine"
        case .pasteOrUseCode:
            """
            if the browser showed an error, that says why; if there is no browser on this machine, use \
            `userctl sign-in --device` or `userctl sign-in --paste`
            """
        case .pasteWholeAddress:
            "paste the whole address from the browser's address bar, which has code= and state= in it"
        case .checkClient:
            "check users.oauth.client_id, and that it is registered at users.oauth.issuer"
        case .checkIssuer: "check users.oauth.issuer"
        case .setIssuer(let issuer): "if that is your provider, set users.oauth.issuer to \(issuer)"
        case .checkScope: "check users.oauth.scope"
        case .askForOfflineAccess:
            "add offline_access to users.oauth.scope, or what your provider calls it, and sign in again"
        case .nameEndpoint(.device):
            "set users.oauth.device_url, or sign in by the browser: `userctl sign-in`"
        case .nameEndpoint(let endpoint): "set users.oauth.\(endpoint)_url"
        case .registerAsNative:
            "register users.oauth.client_id as a desktop or native application, not for the web"
        case .allowPublicClient:
            "whoever registered users.oauth.client_id has to allow public client flows for it"
        case .nameSecret: "put the client's secret into a file, and name it in users.oauth.client_secret_file"
        case .registerRedirect:
            """
            whoever registered users.oauth.client_id has to register the address of users.oauth.redirect \
            (unless set, http://127.0.0.1/callback)
            """
        case .freePort: "end that program, or set another port in users.oauth.redirect"
        case .askForConsent:
            """
            ask an administrator to consent to users.oauth.scope for users.oauth.client_id, or set a scope \
            that you may consent to
            """
        case .askForAssignment: "ask an administrator to let you use users.oauth.client_id"
        case .askAboutPolicy: "ask an administrator which sign-ins are allowed"
        case .useOtherAccount: "`userctl sign-in` begins again: choose the account of the organisation"
        case .checkClock: "check this machine's clock: `timedatectl set-ntp true` sets it"
        case .checkTokenFolder: "check the folder's permissions and the space on its disk"
        }
    }
}
