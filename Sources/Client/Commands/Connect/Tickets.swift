import Diagnostics
import Model

extension DoctorProbes {
    /// The realm of the Kerberos ticket, from klist(1); nil without a valid one.
    func ticketRealm() -> String? {
        guard let klist = find("klist"), (try? run(klist, ["-s"], .seconds(5)))?.code == 0,
            let told = try? run(klist, [], .seconds(5)),
            let line = told.output.split(separator: "\n").first(where: { $0.hasPrefix("Default principal: ") }
            )
        else { return nil }
        return line.split(separator: "@").last.map(String.init)
    }
}

extension Discovered {
    /// Where there is a ticket for the domain's realm, directories by ticket come first; otherwise they are left out.
    /// - Parameter domain: or an address within it.
    package mutating func offerTickets(of realm: String?, domain: String) {
        let wanted = (domain.split(separator: "@").last ?? "").lowercased()
        let (byTicket, others) = (directories.filter(\.isByTicket), directories.filter { !$0.isByTicket })
        directories = realm?.lowercased() == wanted ? byTicket + others : others
    }
}

extension DiscoveredDirectory {
    fileprivate var isByTicket: Bool { settings.contains { $0.name == "users.sasl" } }
}
