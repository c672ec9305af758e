import Model

/// Users on one page who have the id of another one there. A list that moves while it is read can't cause them.
package struct SharedIDs: Hashable, Sendable {
    /// Number of users beyond the first of each id. They are not cached.
    package var count = 0
    /// An id whose users have different names; nil if there is none.
    package var differing: String?

    package init() {}

    package init(in users: [User]) {
        // Not strings, which are equal if their letters are composed differently.
        var names: [[UInt8]: User.Name] = [:]
        for user in users {
            guard let name = names.updateValue(user.name, forKey: Array(user.id.utf8)) else { continue }
            count += 1
            if name != user.name, differing == nil { differing = user.id }
        }
    }

    package static func + (a: SharedIDs, b: SharedIDs) -> SharedIDs {
        var sum = a
        sum.count += b.count
        sum.differing = a.differing ?? b.differing
        return sum
    }
}
