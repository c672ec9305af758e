import Model

/// The marked users, in the order in which they were marked.
struct MarkedUsers: Hashable, Sendable {
    private(set) var users: [User] = []
    private var ids: Set<[UInt8]> = []

    var isEmpty: Bool { users.isEmpty }

    func contains(_ id: User.ID) -> Bool { ids.contains(Array(id.utf8)) }

    mutating func toggle(_ user: User) {
        if ids.remove(Array(user.id.utf8)) != nil {
            users.removeAll { $0.id.hasSameBytes(as: user.id) }
        } else {
            ids.insert(Array(user.id.utf8))
            users.append(user)
        }
    }
}
