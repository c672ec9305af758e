/// Advice to a person about a failure. The code that finds failures knows no settings or commands, so the
/// daemon words the advice and adds it to the message before the message is stored or shown.
package enum Advice: Hashable, Sendable {
    /// A sync would remove rows, which a person has to accept.
    case acceptRemovals(Removals)
    /// Several records have the same id.
    case checkIDs(Resource)
    /// The pages do not follow each other as the settings say.
    case checkPaging(Resource)
    /// Like `checkPaging`, or several records have the same id.
    case checkPagingAndIDs(Resource)
    /// The list seems to have a single page.
    case askForOnePage(Resource)
    /// The address for a single fact is missing.
    case nameAddressOfOneFact
    /// The answer looks like another format of this name.
    case tryFormat(String)
    /// A secret would be sent without encryption.
    case useHTTPS
    /// An answer is larger than the limit.
    case raiseResponseLimit
    /// - Parameter hasUser: whether the settings have a user and a password for the proxy.
    case identifyToProxy(hasUser: Bool)
    /// A token endpoint refused the client's id or secret.
    case checkClient
    /// A token endpoint gives tokens of another type.
    case changeTokenScheme
    /// Signing in failed, or is necessary.
    case signIn(SignInAdvice)
    /// A certificate is from an unknown authority.
    case trustAuthority
    /// An LDAP server refused a request of the identity that userd has there.
    case checkBind
    /// An LDAP server refused the name or the password.
    case checkPassword
    /// The LDAP base is on another server.
    case changeServer
    /// The LDAP base is missing or hidden.
    case checkBase
    /// The LDAP base or the bind DN is malformed.
    case checkNames
    /// An LDAP server ended a list at its limit of entries.
    case raiseServerSizeLimit
    /// An LDAP server refused to look through more entries.
    case raiseServerLookThroughLimit
    /// The LDAP port may speak TLS from the start.
    case tryLDAPS
    /// The LDAP port may speak StartTLS.
    case tryStartTLS

    package enum Removals: Sendable {
        /// The rows are from another upstream than the new records.
        case otherSource
        /// More rows would be removed than the guard allows.
        case many
        /// Like `many`, and most of the new ids are unknown.
        case manyWithNewIDs
    }
}

extension UpstreamError {
    /// The error with its advice, in words, at the end of the message.
    package func worded(_ words: (Advice) -> String) -> UpstreamError {
        guard let advice else { return self }
        var error = self
        error.failure.message += "; " + words(advice)
        error.advice = nil
        return error
    }
}
