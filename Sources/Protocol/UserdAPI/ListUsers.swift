import Model

package struct ListUsers: Hashable, Sendable, Codable {
    package var search: String?
    package var nationality: String?
    package var gender: String?
    package var department: String?
    package var order: UserOrder?
    package var descending: Bool?
    package var limit: Int?
    package var cursor: String?
    package var near: Bool?
    package var city: String?
    package var company: String?
    package var title: String?
    package var manager: String?

    /// - Parameter set: sets the other members.
    package init(
        search: String? = nil, nationality: String? = nil, gender: String? = nil,
        department: String? = nil, order: UserOrder? = nil, descending: Bool? = nil, limit: Int? = nil,
        cursor: String? = nil, _ set: (inout ListUsers) -> Void = { _ in }
    ) {
        self.search = search
        self.nationality = nationality
        self.gender = gender
        self.department = department
        self.order = order
        self.descending = descending
        self.limit = limit
        self.cursor = cursor
        set(&self)
    }
}
