import Model

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
