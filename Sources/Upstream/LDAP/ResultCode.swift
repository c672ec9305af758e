import Model

/// A result code of LDAP. It prints with its name (RFC 4511, appendix A).
struct ResultCode: Hashable, CustomStringConvertible {
    let value: CInt

    var description: String { "\(Self.names[value] ?? "result") (\(value))" }

    /// Whether the server may succeed later.
    var isPassing: Bool { [3, 51, 52].contains(value) }

    var isOfSize: Bool { value == 4 }

    /// Whether a login was refused because the password is wrong, or was wrong too often.
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

    var advice: Advice.Kind? {
        switch value {
        case 1, 8, 13, 48, 50: .checkBind
        case 4: .raiseServerSizeLimit
        case 10: .changeServer
        case 11: .raiseServerLookThroughLimit
        case 32: .checkBase
        case 34: .checkNames
        case 19, 49: .checkPassword
        default: nil
        }
    }
}
