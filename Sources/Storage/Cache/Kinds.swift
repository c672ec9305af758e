import Model
import SQLite

/// Conditions on the kinds of users. In a cache of persons alone, persons need none, so that its queries are read as if
/// there were no kinds.
enum Kinds {
    static func haveOthers(_ connection: Connection) throws -> Bool {
        try connection.firstInt("SELECT EXISTS (SELECT 1 FROM users WHERE kind IS NOT NULL)") == 1
    }

    /// `AND` and a condition for persons; empty if there is nobody else.
    static func andPerson(in table: String = "users", _ connection: Connection) throws -> String {
        try haveOthers(connection) ? "AND \(table).kind IS NULL" : ""
    }

    static func persons(_ connection: Connection) throws -> Filter {
        var filter = Filter()
        try filter.add([.person], connection)
        return filter
    }

    /// Those whom a query asks for.
    static func asked(_ kinds: [UserKind]?) -> Set<UserKind> {
        let asked = Set(kinds ?? [])
        return asked.isEmpty ? [.person] : asked
    }

    /// The condition, with a place for each of the values; nil for all kinds.
    /// - Parameter byIndex: whether the index on kinds may lead to the users. With other conditions, it would lead to too many.
    fileprivate static func condition(
        _ kinds: Set<UserKind>, byIndex: Bool
    ) -> (sql: String, values: [Value])? {
        if kinds.count == UserKind.allCases.count { return nil }
        let others = kinds.subtracting([.person]).map(\.rawValue).sorted()
        let places = Array(repeating: "?", count: others.count).joined(separator: ", ")
        let ofOthers = "\(byIndex ? "" : "+")users.kind IN (\(places))"
        let values = others.map(\.value)
        guard kinds.contains(.person) else { return (ofOthers, values) }
        return others.isEmpty
            ? ("users.kind IS NULL", []) : ("(users.kind IS NULL OR \(ofOthers))", values)
    }
}

extension Filter {
    /// Selects users of these kinds.
    mutating func add(_ kinds: Set<UserKind>, byIndex: Bool = true, _ connection: Connection) throws {
        guard let condition = Kinds.condition(kinds, byIndex: byIndex) else { return }
        if try kinds.contains(.person) && !Kinds.haveOthers(connection) { return }
        add(condition.sql, condition.values)
    }
}
