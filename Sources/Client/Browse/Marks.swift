import Model

/// The marked users, in the order in which they were marked.
package struct Marks: Hashable, Sendable {
    package private(set) var users: [User] = []
    private var ids: Set<User.ID> = []

    package init() {}

    package var isEmpty: Bool { users.isEmpty }

    func contains(_ id: User.ID) -> Bool { ids.contains(id) }

    mutating func toggle(_ user: User) {
        if ids.remove(user.id) != nil {
            users.removeAll { $0.id == user.id }
        } else {
            ids.insert(user.id)
            users.append(user)
        }
    }
}
