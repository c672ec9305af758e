import Model
import SQLite
import StrictJSON

/// The managers of cached users, and their reports.
struct Organisation {
    /// Whether upstream names anybody's manager.
    let isNamed: Bool
    /// Whether managers are named by what identifies them. If so, a name alone is that of somebody who is not among the users.
    let isByID: Bool
    private let connection: Connection

    /// Managers, from both ends of their order, who show how they are named.
    private static let sample = 50
    private static let mostManagers = 100
    /// Records of a tree in bytes, far below the 16 MiB of a reply that clients accept.
    private static let mostBytes = 8 << 20

    init(_ connection: Connection) throws {
        let isPerson = try Kinds.andPerson(connection)
        let ids = try ["ASC", "DESC"].flatMap { order in
            try connection.rows(
                """
                SELECT record ->> '$.manager.id' FROM (
                    SELECT min(number) AS number FROM users WHERE manager_key IS NOT NULL \(isPerson)
                    GROUP BY manager_key ORDER BY manager_key \(order) LIMIT \(Self.sample)
                ) JOIN user_records USING (number)
                """
            ) { try $0.textOrNil(0) }
        }
        self.connection = connection
        isNamed = !ids.isEmpty
        isByID = ids.contains { $0.map { ManagerKey.name($0) == $0 } ?? false }
    }

    /// The managers of a user, nearest first, as stored records.
    func managers(of record: [UInt8]) throws -> (records: [[UInt8]], end: ManagerChainEnd) {
        var user = try Self.user(record)
        var seen = [Array(user.id.utf8)]
        var records: [[UInt8]] = []
        while let manager = user.manager {
            if records.count == Self.mostManagers { return (records, .limit) }
            guard let found = try self.record(of: manager) else { return (records, .absent) }
            user = try Self.user(found)
            let id = Array(user.id.utf8)
            // Some name the head of all as their own manager.
            if id == seen.last { return (records, .top) }
            if seen.contains(id) { return (records, .circle) }
            seen.append(id)
            records.append(found)
        }
        return (records, .top)
    }

    /// Nil if no user, or more than one, is this manager.
    private func record(of manager: User.Manager) throws -> [UInt8]? {
        let names = [manager.id, isByID ? nil : manager.name].compactMap(\.self).filter { !$0.isEmpty }
        for key in names {
            do { return try UserRows.find(key, connection) } catch CacheError.notFound {
            } catch CacheError.ambiguous { return nil }
        }
        if let id = manager.id, ManagerKey.name(id) == id {
            let isPerson = try Kinds.andPerson(connection)
            let found = try connection.rows(
                """
                SELECT record FROM users JOIN user_records USING (number)
                WHERE id = ? COLLATE NOCASE \(isPerson) LIMIT 2
                """, [id.value]
            ) { try $0.bytes(0) }
            if !found.isEmpty { return found.count == 1 ? found[0] : nil }
        }
        guard !isByID, let name = names.last.map(ManagerKey.name) else { return nil }
        let named = try ManagerKey.users(called: name, connection).filter { $0.isNamed(name) }
        return named.count == 1 ? try UserRows.find(named[0].id, connection) : nil
    }

    private static func user(_ record: [UInt8]) throws -> User {
        try decoded(User.self, from: String(decoding: record, as: UTF8.self))
    }
}

// MARK: Those below

extension Organisation {
    /// A user among those below another.
    private struct Member {
        let number: Int
        let id: String
        /// How others may name this user, folded, what identifies best first.
        let keys: [String]
        let managerKey: String?
        /// Index of the manager among those that were found.
        let manager: Int?
        let depth: Int
    }

    /// The user with this record and everybody below, each followed by those below.
    /// - Parameters:
    ///   - depth: number of levels.
    ///   - limit: number of users; the first levels come first.
    func tree(
        of record: [UInt8], depth: Int, limit: Int
    ) throws -> (positions: [FoundPosition], total: Int) {
        var found = try members("users.id = ?", [try Self.user(record).id.value]) { _ in nil }
        var (records, bytes, level) = ([record], record.count, found.indices)
        var (seen, total) = (Set(found.map(\.number)), 1)
        var below: [Int: [Int]] = [:]
        while !level.isEmpty, found[level.lowerBound].depth < depth, total <= TreeLimits.most {
            var names: [String: Int] = [:]
            for rank in 0..<Self.mostKeys {
                for index in level {
                    if let key = found[index].keys.dropFirst(rank).first, names[key] == nil {
                        names[key] = index
                    }
                }
            }
            let (nextDepth, start) = (found[level.lowerBound].depth + 1, found.count)
            let next = try members(
                "manager_key IN (SELECT value FROM json_each(?))", [.text(try json(Array(names.keys)))],
                limit: TreeLimits.most + 2 - total
            ) { key in key.flatMap { names[$0] }.map { ($0, nextDepth) } }
            // Those of one manager together, so that a limit leaves out whole teams.
            for member in next.sorted(by: { $0.manager ?? 0 < $1.manager ?? 0 })
            where !seen.contains(member.number) {
                if records.count == found.count, records.count < limit, bytes < Self.mostBytes {
                    guard var manager = member.manager,
                        let record = try UserRows.record(member.number, connection)
                    else { continue }
                    if let other = try self.manager(of: record, unlike: found[manager]) {
                        guard let index = level.first(where: { found[$0].number == other }) else { continue }
                        manager = index
                    }
                    records.append(record)
                    bytes += record.count
                    below[manager, default: []].append(found.count)
                }
                seen.insert(member.number)
                found.append(member)
                total += 1
            }
            level = start..<found.count
        }
        let reports = try ManagerKey.counts(
            of: Set(found.prefix(records.count).flatMap(\.keys)), connection)
        var (positions, rest) = ([FoundPosition](), [0])
        while let index = rest.popLast() {
            let member = found[index]
            let isOwnManager = member.managerKey.map(member.keys.contains) ?? false
            let count = member.keys.reduce(0) { $0 + (reports[$1] ?? 0) } - (isOwnManager ? 1 : 0)
            positions.append(FoundPosition(record: records[index], depth: member.depth, reports: count))
            rest += (below[index] ?? []).reversed()
        }
        return (positions, total)
    }

    /// An id, a username, an address and four forms of the name.
    private static let mostKeys = 7

    /// - Parameter manager: finds by a key the index and the depth of the manager's report.
    private func members(
        _ condition: String, _ bindings: [Value], limit: Int = 1,
        manager: (String?) -> (index: Int, depth: Int)?
    ) throws -> [Member] {
        let names =
            isByID
            ? "NULL, NULL, NULL"
            : "record ->> '$.name.first', record ->> '$.name.last', record ->> '$.display_name'"
        // If managers are named by names, only a name that one user alone has leads to reports.
        let isUnique =
            isByID
            ? "0"
            : """
            NOT EXISTS (
                SELECT 1 FROM users AS others WHERE others.name_key = users.name_key AND others.number <> users.number
                \(try Kinds.andPerson(in: "others", connection))
            )
            """
        return try connection.rows(
            """
            SELECT number, id, username, email, manager_key, \(isUnique), \(names)
            FROM users \(isByID ? "" : "JOIN user_records USING (number)") WHERE \(condition)
            \(try Kinds.andPerson(connection)) ORDER BY name_key, number LIMIT ?
            """, bindings + [limit.value]
        ) { row in
            var texts = [try row.text(1), try row.textOrNil(2), try row.textOrNil(3)]
            if try row.int(5) == 1 {
                texts += User.writtenNames(
                    first: try row.textOrNil(6) ?? "", last: try row.textOrNil(7) ?? "",
                    displayName: try row.textOrNil(8))
            }
            let key = try row.textOrNil(4)
            let place = manager(key)
            var keys: [String] = []
            for key in texts.compactMap({ $0.map(ManagerKey.of) })
            where !key.allSatisfy(\.isWhitespace) && !keys.contains(key) { keys.append(key) }
            return Member(
                number: try row.int(0), id: try row.text(1), keys: keys, managerKey: key,
                manager: place?.index, depth: place?.depth ?? 0)
        }
    }

    /// The number of the user whose id is exactly that of the record's manager, if that is another one than this.
    private func manager(of record: [UInt8], unlike manager: Member) throws -> Int? {
        let id = JSONValue(trusting: record)["manager"]?["id"]?.string
        guard let id, !id.utf8.elementsEqual(manager.id.utf8) else { return nil }
        return try connection.firstInt("SELECT number FROM users WHERE id = ?", [id.value])
    }
}

/// A user's stored record, and the place among those below another.
package struct FoundPosition: Hashable, Sendable {
    package var record: [UInt8]
    package var depth: Int
    package var reports: Int
}

package struct FoundChain: Sendable {
    package var record: [UInt8]
    package var managers: [[UInt8]]
    package var end: ManagerChainEnd
    package var isNamed: Bool
    package var freshness: Freshness
}

package struct FoundTree: Sendable {
    package var positions: [FoundPosition]
    package var total: Int
    package var isNamed: Bool
    package var freshness: Freshness
}
