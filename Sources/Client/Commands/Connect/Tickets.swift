import Model

extension Discovered {
    /// Where there is a ticket for the domain's realm, directories by ticket come first; otherwise they are left out.
    /// - Parameter domain: or an address within it.
    package mutating func offerTickets(of realm: String?, domain: String) {
        let wanted = (domain.split(separator: "@").last ?? "").lowercased()
        let byTicket = directories.filter { $0.settings.value(of: "users.sasl") != nil }
        let others = directories.filter { $0.settings.value(of: "users.sasl") == nil }
        directories = realm?.lowercased() == wanted ? byTicket + others : others
    }
}
