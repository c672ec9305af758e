/// A server that DNS names for a domain (RFC 2782).
package struct LDAPServer: Hashable, Sendable {
    package var host: String
    package var port: Int
    /// The lowest comes first.
    package var priority: Int
    /// How often it comes before the others of its priority.
    package var weight: Int

    package init(host: String, port: Int, priority: Int = 0, weight: Int = 0) {
        (self.host, self.port, self.priority, self.weight) = (host, port, priority, weight)
    }
}

extension [LDAPServer] {
    /// In the order in which they are to be asked.
    ///
    /// - Parameters:
    ///   - first: the host that answered last, which is asked first.
    ///   - domain: servers outside it are left out, since DNS is not authenticated.
    func ordered(below domain: String, first: String?, random: (ClosedRange<Int>) -> Int) -> [LDAPServer] {
        var left = filter { ".\($0.host.lowercased())".hasSuffix("." + domain) }.sorted {
            ($0.priority, $0.weight, $0.host) < ($1.priority, $1.weight, $1.host)
        }
        var ordered: [LDAPServer] = []
        while let priority = left.first?.priority {
            // Those without a weight are at the beginning, so that they have a small chance.
            let same = left.prefix { $0.priority == priority }
            var draw = random(0...same.reduce(0) { $0 + $1.weight })
            let chosen = same.firstIndex { server in
                draw -= server.weight
                return draw <= 0
            }
            ordered.append(left.remove(at: chosen ?? 0))
        }
        guard let index = ordered.firstIndex(where: { $0.host == first }) else { return ordered }
        ordered.insert(ordered.remove(at: index), at: 0)
        return ordered
    }
}
