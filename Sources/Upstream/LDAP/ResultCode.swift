/// A result of LDAP by its name (RFC 4511, appendix A).
struct ResultCode: Hashable, CustomStringConvertible {
    let value: CInt

    var description: String { "\(Self.names[value] ?? "result") (\(value))" }

    /// Whether the server may be able to later.
    var isPassing: Bool { [3, 51, 52].contains(value) }

    var isOfSize: Bool { value == 4 }

    /// Of a login: the password is wrong, or was too often.
    var isRefusal: Bool { [19, 49].contains(value) }

    private static let names: [CInt: String] = [
        0: "success", 1: "operationsError", 2: "protocolError", 3: "timeLimitExceeded",
        4: "sizeLimitExceeded",
        7: "authMethodNotSupported", 8: "strongerAuthRequired", 10: "referral", 11: "adminLimitExceeded",
        12: "unavailableCriticalExtension", 13: "confidentialityRequired", 14: "saslBindInProgress",
        16: "noSuchAttribute", 17: "undefinedAttributeType", 18: "inappropriateMatching",
        19: "constraintViolation",
        21: "invalidAttributeSyntax", 32: "noSuchObject", 33: "aliasProblem", 34: "invalidDNSyntax",
        36: "aliasDereferencingProblem", 48: "inappropriateAuthentication", 49: "invalidCredentials",
        50: "insufficientAccessRights", 51: "busy", 52: "unavailable", 53: "unwillingToPerform",
        54: "loopDetect", 80: "other",
    ]

    /// What a person can do about it.
    /// - Parameter entries: how many had come.
    func advice(entries: Int) -> String {
        switch value {
        case 1, 8, 13, 48, 50:
            "; users.bind_dn, users.password_file and users.starttls say who userd is, and how it connects"
        case 4:
            """
             after \(entries) entries, so the list is not complete; the limit is the server's, for users.bind_dn: sizelimit and \
            limits in OpenLDAP, nsslapd-sizelimit in 389 Directory Server, MaxPageSize in Active Directory
            """
        case 10: "; users.url names a part of the directory that another server has"
        case 11:
            """
            ; the limit is the server's: nsslapd-lookthroughlimit in 389 Directory Server, or nsLookThroughLimit and \
            nsPagedLookThroughLimit of the entry of users.bind_dn; in OpenLDAP size.pr, which users.page_size may not exceed
            """
        case 32: "; the base in users.url is not there, or not for users.bind_dn to see"
        case 34: "; the base in users.url, or users.bind_dn, is no name of an entry"
        case 49: "; check users.bind_dn and users.password_file"
        default: ""
        }
    }
}
