import Platform
import UserdAPI

extension CheckSubject {
    fileprivate static let ticket = CheckSubject(name: "kerberos.ticket", title: "Kerberos ticket")
    fileprivate static let sandbox = CheckSubject(name: "kerberos.sandbox", title: "Tickets in the service")
}

/// The checks of Kerberos; none unless users.sasl is set.
/// - Parameter variable: reads an environment variable of this program.
func ticketChecks(
    _ running: RunningUserd?, _ variable: (String) -> String?, _ probes: DoctorProbes
) -> [Check] {
    guard let running, running.settings?.value(of: "users.sasl") == "gssapi" else { return [] }
    let cache = probes.ticketCache(variable("KRB5CCNAME"))
    return [ticketCheck(cache, Klist(probes)), sandboxCheck(cache, running.start?.environment)]
}

private func ticketCheck(_ cache: TicketCache, _ klist: Klist) -> Check {
    switch klist.hasValidTicket {
    case true?: CheckSubject.ticket.ok("valid, in \(cache)")
    case false?: CheckSubject.ticket.failed("there is no valid ticket in \(cache)", "`kinit` gets one")
    case nil: CheckSubject.ticket.skipped("klist is not installed (krb5-user)")
    }
}

/// - Parameter environment: the running userd's; nil if unknown.
private func sandboxCheck(_ cache: TicketCache, _ environment: [String: String]?) -> Check {
    guard let environment else { return CheckSubject.sandbox.skipped("userd's environment can't be read") }
    // Of a service of systemd.
    guard environment["INVOCATION_ID"] != nil else {
        return CheckSubject.sandbox.ok("userd was started by hand, and sees them")
    }
    guard let theirs = environment["KRB5CCNAME"].map(TicketCache.init) else {
        return CheckSubject.sandbox.failed(
            "hidden: the service may not look for tickets",
            "`userctl service enable --kerberos` opens its sandbox for them")
    }
    return theirs == cache
        ? CheckSubject.sandbox.ok("visible in \(theirs)")
        : CheckSubject.sandbox.warning(
            "the service looks in \(theirs), but your tickets are in \(cache)",
            "`userctl service enable --kerberos` changes that")
}
