import Model

extension Discovered {
    /// Leaves out directories by ticket unless there is one of the domain's realm.
    /// - Parameter domain: or an address within it.
    mutating func offerTickets(of realm: String?, domain: String) {
        guard realm?.lowercased() != (domain.split(separator: "@").last ?? "").lowercased() else { return }
        directories.removeAll { $0.settings.value(of: "users.sasl") != nil }
    }
}
