/// A person's Kerberos tickets, as klist(1) tells them.
struct Klist {
    /// Nil if klist is not installed.
    let hasValidTicket: Bool?
    /// The cache, in KRB5CCNAME's form; nil if unknown.
    let cache: String?
    /// The holder of the ticket, such as `anna@CORP.EXAMPLE`. Nil without a valid ticket.
    let principal: String?

    var realm: String? { principal?.split(separator: "@").last.map(String.init) }

    init(_ probes: DoctorProbes) {
        // Its words are translated.
        func run(_ arguments: [String]) -> ProgramRun? {
            probes.find("klist").flatMap {
                try? probes.run("/usr/bin/env", ["LC_ALL=C", $0] + arguments, [], .seconds(5))
            }
        }
        let lines = run([])?.output.split(separator: "\n") ?? []
        func value(_ name: String) -> String? {
            lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.utf8.count)) }
        }
        hasValidTicket = run(["-s"]).map { $0.code == 0 }
        cache = value("Ticket cache: ")
        principal = hasValidTicket == true ? value("Default principal: ") : nil
    }
}
