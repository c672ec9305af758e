import Model
import SQLite

/// Values that users are filtered by. Shells complete the beginnings of departments and cities.
package enum FilterValue: String, Sendable, CaseIterable {
    case department, city, country, company, title, manager

    /// Maximum number of results.
    private static let few = 100
    private static let nearest = 5

    private var member: String {
        switch self {
        case .city, .country: "$.address.\(rawValue)"
        case .title: "$.job_title"
        case .manager: "$.manager.name"
        case .department, .company: "$.\(rawValue)"
        }
    }

    private var parameter: WritableKeyPath<UserQuery, String?> {
        switch self {
        case .department: \.department
        case .city: \.city
        case .country: \.country
        case .company: \.company
        case .title: \.title
        case .manager: \.manager
        }
    }

    /// Opens the cache file, read-only.
    package func beginning(with prefix: String, path: String) throws -> [String] {
        try beginning(with: prefix, CacheFile.openToRead(path, busyTimeout: .zero))
    }

    /// The values with this prefix, without regard to case and accents, as the first of their users spells
    /// them.
    package func beginning(with prefix: String, _ connection: Connection) throws -> [String] {
        let key = UserRow.key(prefix)
        return try connection.rows(
            """
            SELECT record ->> '\(member)' FROM (
                SELECT min(number) AS number FROM users WHERE \(rawValue)_key >= ?1 AND \(rawValue)_key < ?2
                GROUP BY \(rawValue)_key ORDER BY \(rawValue)_key LIMIT \(Self.few)
            ) JOIN user_records USING (number) WHERE record ->> '\(member)' IS NOT NULL
            """, [key.value, (key + "\u{10FFFF}").value]
        ) { try $0.text(0) }
    }

    /// The values nearest to the query's, if nobody has that. Nil if somebody has, or the query has none.
    func near(_ query: UserQuery, _ connection: Connection) throws -> Near? {
        guard let wanted = query[keyPath: parameter] else { return nil }
        var alone = UserQuery { $0.beginnings = query.beginnings }
        alone[keyPath: parameter] = wanted
        guard try alone.filter(connection).count(in: "users", upTo: 1, connection) == 0 else { return nil }
        var values = self == .manager ? try managers(near: wanted, connection) : []
        let nearness = TextNearness(to: UserRow.key(wanted))
        var found: [(nearness: Double, count: Int, number: Int)] = []
        try connection.forEach(
            """
            SELECT \(rawValue)_key, count(*), min(number) FROM users WHERE \(rawValue)_key IS NOT NULL
            GROUP BY \(rawValue)_key
            """
        ) { row in
            guard let near = nearness.of(try row.text(0)) else { return }
            found.append((near, try row.int(1), try row.int(2)))
        }
        found.sort { ($1.nearness, $1.count) < ($0.nearness, $0.count) }
        for near in found.prefix(Self.nearest) {
            let value = try connection.first(
                "SELECT ifnull(record ->> '\(member)', record ->> '$.manager.id') FROM user_records WHERE number = ?",
                [near.number.value]
            ) { try $0.textOrNil(0) }
            guard var value = value.flatMap(\.self) else { continue }
            if self == .manager { value = ManagerKey.name(value) }
            if values.contains(where: { $0.value == value }) { continue }
            values.append(Near.Value(value, count: near.count))
        }
        return Near(field: rawValue, values: Array(values.prefix(Self.nearest)))
    }

    /// Users with names near to this who are somebody's manager: upstream may name managers by their ids.
    private func managers(near name: String, _ connection: Connection) throws -> [Near.Value] {
        let near =
            try NearUsers(to: name, connection)?.found(Filter(), most: Self.few, connection).users ?? []
        return try ManagerKey.managers(
            among: near.compactMap { try UserRows.user($0, connection) }, connection
        ).map { Near.Value($0.wholeName, count: $1) }
    }
}
