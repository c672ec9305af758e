import Model

package struct ListManagers: Hashable, Sendable, Codable {
    package var key: String

    package init(key: String) { self.key = key }
}

/// JSON: the reply to `ListManagers`.
package struct ManagerChain: Hashable, Sendable, Codable {
    package typealias End = ManagerChainEnd

    package var user: User
    /// The nearest first.
    package var managers: [User]
    package var end: End
    /// Whether upstream names a manager of anybody.
    package var named: Bool
    package var freshness: Freshness

    package init(user: User, managers: [User], end: End, named: Bool, freshness: Freshness) {
        (self.user, self.managers, self.end) = (user, managers, end)
        (self.named, self.freshness) = (named, freshness)
    }
}

package struct ListReports: Hashable, Sendable, Codable {
    package var key: String
    package var depth: Int?
    package var limit: Int?

    package init(key: String, depth: Int? = nil, limit: Int? = nil) {
        (self.key, self.depth, self.limit) = (key, depth, limit)
    }
}

/// JSON: the reply to `ListReports`.
package struct ReportTree: Hashable, Sendable, Codable {
    /// Each user is followed by those below. The first is the one who was asked for.
    package var positions: [Position]
    package var total: Int
    package var named: Bool
    package var freshness: Freshness

    package init(positions: [Position], total: Int, named: Bool, freshness: Freshness) {
        (self.positions, self.total, self.named) = (positions, total, named)
        self.freshness = freshness
    }
}

/// JSON: `Position` of io.userd.
package struct Position: Hashable, Sendable, Codable {
    package var user: User
    /// Number of levels below the first.
    package var depth: Int
    /// Number of users whose manager this is.
    package var reports: Int

    package init(user: User, depth: Int, reports: Int) {
        (self.user, self.depth, self.reports) = (user, depth, reports)
    }
}
