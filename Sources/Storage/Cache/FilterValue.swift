import Model
import SQLite

/// Values that users are filtered by. Shells complete the beginnings of departments and cities.
package enum FilterValue: String, Sendable, CaseIterable {
    case department, city, country, company, title, manager

    /// Maximum number of results.
    private static let few = 100
    private static let nearest = 5

    /// What a query asks for, and what a user has.
    private var member: (asked: WritableKeyPath<UserQuery, String?>, value: KeyPath<User, String?>) {
        switch self {
        case .department: (\.department, \.department)
        case .city: (\.city, \.address.city)
        case .country: (\.country, \.address.country)
        case .company: (\.company, \.company)
        case .title: (\.title, \.jobTitle)
        case .manager: (\.manager, \.managerName)
        }
    }

    /// The field's value, as a user spells it.
    private func value(of number: Int, _ connection: Connection) throws -> String? {
        try UserRows.user(number, connection)?[keyPath: member.value]
    }

    /// Opens the cache file, read-only.
    package func beginning(with prefix: String, path: String) throws -> [String] {
        try beginning(with: prefix, CacheFile.openToRead(path, busyTimeout: .zero))
    }

    /// The values with this prefix, without regard to case and accents, as the first of their users spells
    /// them.
    package func beginning(with prefix: String, _ connection: Connection) throws -> [String] {
        // A cache of an earlier version, whose userd still runs, has persons alone.
        let (key, isPerson) = (UserRow.key(prefix), (try? Kinds.andPerson(connection)) ?? "")
        return try connection.rows(
            """
            SELECT min(number) FROM users WHERE \(rawValue)_key >= ? AND \(rawValue)_key < ? \(isPerson)
            GROUP BY \(rawValue)_key ORDER BY \(rawValue)_key LIMIT \(Self.few)
            """, [key.value, (key + "\u{10FFFF}").value]
        ) { try $0.int(0) }.compactMap { try value(of: $0, connection) }
    }

    /// The values nearest to the query's, if nobody has that. Nil if somebody has, or the query has none.
    func near(_ query: UserQuery, _ connection: Connection) throws -> Near? {
        guard let wanted = query[keyPath: member.asked] else { return nil }
        var alone = UserQuery {
            ($0.beginnings, $0.kinds) = (query.beginnings, query.kinds)
        }
        alone[keyPath: member.asked] = wanted
        guard try alone.filter(connection).count(in: "users", upTo: 1, connection) == 0 else { return nil }
        var values = self == .manager ? try managers(near: wanted, connection) : []
        let nearness = TextNearness(to: UserRow.key(wanted))
        var found: [(nearness: Double, count: Int, number: Int)] = []
        var having = Filter()
        having.add("\(rawValue)_key IS NOT NULL", [])
        try having.add(Kinds.asked(query.kinds), connection)
        try connection.forEach(
            """
            SELECT \(rawValue)_key, count(*), min(number) FROM users \(having.clause) GROUP BY \(rawValue)_key
            """, having.bindings
        ) { row in
            guard let near = nearness.of(try row.text(0)) else { return }
            found.append((near, try row.int(1), try row.int(2)))
        }
        found.sort { ($1.nearness, $1.count) < ($0.nearness, $0.count) }
        for near in found.prefix(Self.nearest) {
            guard let value = try value(of: near.number, connection),
                !values.contains(where: { $0.value == value })
            else { continue }
            values.append(Near.Value(value, count: near.count))
        }
        return Near(field: rawValue, values: Array(values.prefix(Self.nearest)))
    }

    /// Users with names near to this who are somebody's manager: upstream may name managers by their ids.
    private func managers(near name: String, _ connection: Connection) throws -> [Near.Value] {
        let near =
            try NearUsers(to: name, connection)?.found(
                Kinds.persons(connection), most: Self.few, connection
            ).users ?? []
        return try ManagerKey.managers(
            among: near.compactMap { try UserRows.user($0, connection) }, connection
        ).map { Near.Value($0.wholeName, count: $1) }
    }
}

extension User {
    fileprivate var managerName: String? { (manager?.name ?? manager?.id).map(ManagerKey.name) }
}
