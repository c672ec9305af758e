import Model

/// The JSON that `userd --check-upstream` prints.
package struct UpstreamChecks: Hashable, Sendable, Codable {
    package var upstreams: [UpstreamCheck]

    package init(upstreams: [UpstreamCheck]) { self.upstreams = upstreams }

    package var haveFailed: Bool { upstreams.contains { $0.steps.contains { $0.failure != nil } } }
}

/// The result for one upstream, step by step.
package struct UpstreamCheck: Hashable, Sendable, Codable {
    /// Name of the setting with the address, such as `users.url`.
    package var setting: String
    /// Without parts that may be secret.
    package var address: String
    /// In order; the first failure ends the list.
    package var steps: [UpstreamStep]
    /// Nil if upstream sent no time.
    package var clock: ClockComparison?
    /// What the answer holds of users; nil if it is no list of them.
    package var sample: UsersSample?

    package init(
        setting: String, address: String, steps: [UpstreamStep] = [], clock: ClockComparison? = nil
    ) {
        self.setting = setting
        self.address = address
        self.steps = steps
        self.clock = clock
    }
}

package struct UpstreamStep: Hashable, Sendable, Codable {
    package enum Name: String, Sendable, Codable, CaseIterable {
        case lookup
        case connection
        /// Only for https:// addresses.
        case tls
        /// One request like that of a sync.
        case answer
    }

    package var name: Name
    /// For people; nil if the step failed.
    package var found: String?
    package var failure: Failure?
    package var milliseconds: Int64

    package init(_ name: Name, found: String? = nil, failure: Failure? = nil, milliseconds: Int64) {
        self.name = name
        self.found = found
        self.failure = failure
        self.milliseconds = milliseconds
    }
}

/// What one page of users holds.
package struct UsersSample: Hashable, Sendable, Codable {
    /// Of a format of pointers.
    package struct Field: Hashable, Sendable, Codable {
        package var name: String
        package var pointer: String
        /// The number of records in which there is something.
        package var found: Int
        /// The number of records in which there is something that can't be read, here or elsewhere; nil for none.
        package var unreadable: Int?
        /// Whether the configuration names it, not the format alone.
        package var isConfigured: Bool

        package init(name: String, pointer: String, found: Int, unreadable: Int = 0, isConfigured: Bool) {
            (self.name, self.pointer) = (name, pointer)
            (self.found, self.isConfigured) = (found, isConfigured)
            self.unreadable = unreadable == 0 ? nil : unreadable
        }
    }

    /// On the page, those included that are left out.
    package var records: Int
    package var leftOut: Int
    /// The first of them, as they would be cached.
    package var users: [User]
    package var fields: [Field]
    /// Pointers to what no field is made of.
    package var unread: [String]
    /// Nil where the pages have no rule that could be wrong.
    package var list: ListSample?

    package init(
        records: Int, leftOut: Int = 0, users: [User] = [], fields: [Field] = [], unread: [String] = []
    ) {
        (self.records, self.leftOut, self.users) = (records, leftOut, users)
        (self.fields, self.unread) = (fields, unread)
    }
}

/// How a list of users ends, as those pages show that decide it.
package struct ListSample: Hashable, Sendable, Codable {
    /// Records on the first pages, those included that are left out.
    package var pages: [Int]
    /// In the whole list, as upstream says.
    package var total: Int?
    /// With which page, and why, for people; nil where that can't be told.
    package var end: String?
    /// What is after the last page, for people; nil if that was not asked for.
    package var after: String?
    /// What upstream seems to have more, and what else would keep the list from ending well; for people.
    package var more: [String] = []

    package init(pages: [Int], total: Int? = nil) { (self.pages, self.total) = (pages, total) }
}

/// The local time and upstream's time, read at about the same moment.
package struct ClockComparison: Hashable, Sendable, Codable {
    package var here: Timestamp
    package var upstream: Timestamp

    package init(here: Timestamp, upstream: Timestamp) {
        self.here = here
        self.upstream = upstream
    }

    /// Negative if the local clock is slow.
    package var ahead: Duration { here - upstream }
}
