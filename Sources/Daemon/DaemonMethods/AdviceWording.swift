import Model

extension Advice {
    /// Text for the end of a message, with the names of settings and commands.
    package var words: String {
        switch self {
        case .acceptRemovals(.otherSource): "`userctl sync users --accept-removals` accepts the new ones"
        case .acceptRemovals(.many):
            "`userctl sync users --accept-removals` removes them; users.removal_guard is the limit"
        case .acceptRemovals(.manyWithNewIDs):
            """
            most ids are new, so upstream may give the same users other ids (see users.fields.id); \
            `userctl sync users --accept-removals` removes them; users.removal_guard is the limit
            """
        case .checkIDs(let resource): "see \(resource).fields.id"
        case .checkPaging(let resource): "see \(resource).paging"
        case .checkPagingAndIDs(let resource):
            "see \(resource).paging, and \(resource).fields.id if the ids are not unique"
        case .askForOnePage(.users): "if it has no pages, set users.pages to 1"
        case .askForOnePage(.facts): "if it has no pages, set facts.format to json"
        case .nameAddressOfOneFact: "set facts.one_url to an address that returns one fact"
        case .tryFormat(let name): "it looks like \(name): set users.format to that"
        case .useHTTPS: "set users.url to an https:// address"
        case .raiseResponseLimit: "http.max_response_bytes is the limit"
        case .identifyToProxy(hasUser: false): "set user and password in http.proxy"
        case .identifyToProxy(hasUser: true): "check user and password in http.proxy"
        case .checkClient: "check users.oauth.client_id and its secret"
        case .changeTokenScheme: "if that is right, set users.token_scheme to it"
        case .signIn(let advice): advice.words
        case .trustAuthority: "name it in http.ca_file if you trust it"
        case .checkBind:
            "check users.bind_dn, users.password_file and users.starttls"
        case .checkPassword: "check users.bind_dn and users.password_file"
        case .changeServer: "the base in users.url is on another server"
        case .checkBase: "the base in users.url does not exist, or users.bind_dn may not see it"
        case .checkNames: "the base in users.url, or users.bind_dn, is not a valid DN"
        case .raiseServerSizeLimit:
            """
            the limit is the server's, for users.bind_dn: sizelimit and limits in OpenLDAP, nsslapd-sizelimit in 389 Directory \
            Server, MaxPageSize in Active Directory
            """
        case .raiseServerLookThroughLimit:
            """
            the limit is the server's: nsslapd-lookthroughlimit in 389 Directory Server, or nsLookThroughLimit and \
            nsPagedLookThroughLimit of the entry of users.bind_dn; in OpenLDAP size.pr, which users.page_size may not exceed
            """
        case .tryLDAPS: "the port may speak TLS from the start: try an ldaps:// address"
        case .tryStartTLS: "the port may speak StartTLS: try an ldap:// address with users.starttls"
        }
    }
}
