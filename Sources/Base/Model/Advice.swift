/// What a person can do about a failure. The parts that find one know no settings and no commands: the daemon puts this into words
/// and adds them to the message, before anything stores or shows it.
package enum Advice: Hashable, Sendable {
    /// A sync would remove rows that a person has to let go.
    case acceptRemovals(Removals)
    /// Several records have one id.
    case checkIDs(Resource)
    /// Pages do not follow each other as the settings say.
    case checkPaging(Resource)
    /// As `checkPaging`, or several records have one id.
    case checkPagingAndIDs(Resource)
    /// The list seems to have a single page.
    case askForOnePage(Resource)
    /// There is no address to ask for a single fact.
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
    /// A certificate is from an unknown authority.
    case trustAuthority
    /// An LDAP server refused to do what the one it takes userd for asked.
    case checkBind
    /// An LDAP server refused name or password.
    case checkPassword
    /// The LDAP base is on another server.
    case changeServer
    /// The LDAP base is not there, or hidden.
    case checkBase
    /// The LDAP base or the bind DN is malformed.
    case checkNames
    /// An LDAP server ended a list at its limit of entries.
    case raiseServerSizeLimit
    /// An LDAP server looks through no more entries.
    case raiseServerLookThroughLimit
    /// The LDAP port may speak TLS from the start.
    case tryLDAPS
    /// The LDAP port may speak StartTLS.
    case tryStartTLS

    package enum Removals: Sendable {
        /// The rows are from another source than the new records.
        case otherSource
        /// More rows would go than the guard allows.
        case many
        /// As `many`, and most of the new ids are unknown.
        case manyWithNewIDs
    }
}

extension UpstreamError {
    /// The error with its advice in words at the end of its message.
    package func worded(_ words: (Advice) -> String) -> UpstreamError {
        guard let advice else { return self }
        var error = self
        error.failure.message += "; " + words(advice)
        error.advice = nil
        return error
    }
}
