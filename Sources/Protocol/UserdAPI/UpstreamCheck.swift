import Model

/// The JSON that `userd --check-upstream` prints.
package struct UpstreamChecks: Hashable, Sendable, Codable {
    package var upstreams: [UpstreamCheck]

    package init(upstreams: [UpstreamCheck]) { self.upstreams = upstreams }

    package var haveFailed: Bool { upstreams.contains { $0.steps.contains { $0.failure != nil } } }
}

/// The result for one upstream, step by step.
package struct UpstreamCheck: Hashable, Sendable, Codable {
    /// The name of the setting with the address, such as `users.url`.
    package var setting: String
    /// Without parts that may be secret.
    package var address: String
    /// The first request for users or facts, without secrets; nil if no HTTP request was answered.
    package var request: String?
    /// In order; the first failure ends the list.
    package var steps: [UpstreamStep]
    /// Nil if upstream sent no time.
    package var clock: ClockComparison?
    /// The users in the answer; nil if it is not a list of users.
    package var sample: UsersSample?

    package init(
        setting: String, address: String, steps: [UpstreamStep] = [], clock: ClockComparison? = nil
    ) {
        (self.setting, self.address, self.steps, self.clock) = (setting, address, steps, clock)
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
    /// What was found, in words; nil if the step failed.
    package var found: String?
    package var failure: Failure?
    package var milliseconds: Int64

    package init(_ name: Name, found: String? = nil, failure: Failure? = nil, milliseconds: Int64) {
        (self.name, self.found, self.failure, self.milliseconds) = (name, found, failure, milliseconds)
    }
}

/// The content of one page of users.
package struct UsersSample: Hashable, Sendable, Codable {
    /// A field of a format with pointers.
    package struct Field: Hashable, Sendable, Codable {
        package var name: String
        package var pointer: String
        /// The number of records that have a value there.
        package var found: Int
        /// The number of records with a value that can't be read, at this pointer or another; nil for none.
        package var unreadable: Int?
        /// True if the configuration names the field, not only the format.
        package var isConfigured: Bool

        package init(name: String, pointer: String, found: Int, unreadable: Int = 0, isConfigured: Bool) {
            (self.name, self.pointer) = (name, pointer)
            (self.found, self.isConfigured) = (found, isConfigured)
            self.unreadable = unreadable == 0 ? nil : unreadable
        }
    }

    /// The number of records on the page, including those that are left out.
    package var records: Int
    package var leftOut: Int
    /// The number of those left out for want of a name, a username and an email address.
    package var nameless: Int?
    /// Number of users with the id of another one on the page, who would not be cached; nil for none.
    package var shared: Int?
    /// Number of records that can't be told apart, and what is wrong with the first; nil for none.
    package var unidentified: Int?
    package var reason: String?
    /// Texts that are left out because they are too long, for people; nil for none.
    package var tooLong: [String]?
    /// The first users, as they would be cached.
    package var users: [User]
    package var fields: [Field]
    /// Pointers to members that no field uses.
    package var unread: [String]
    /// Nil if the pages have no rule that could be wrong.
    package var list: ListSample?

    package init(
        records: Int, leftOut: Int = 0, users: [User] = [], fields: [Field] = [], unread: [String] = []
    ) {
        (self.records, self.leftOut, self.users) = (records, leftOut, users)
        (self.fields, self.unread) = (fields, unread)
    }
}

/// The end of a list of users, judged by a few of its pages.
package struct ListSample: Hashable, Sendable, Codable {
    /// The numbers of records on the first pages, including those that are left out.
    package var pages: [Int]
    /// The number of records in the whole list, as upstream reports it.
    package var total: Int?
    /// The last page and the reason, for people; nil if it can't be determined.
    package var end: String?
    /// A description of the page after the last, for people; nil if it was not requested.
    package var after: String?
    /// Signs that upstream has more users, or that the list may not end; for people.
    package var more: [String] = []
    /// Less clear signs of more users; for people.
    package var hints: [String]?

    package init(pages: [Int], total: Int? = nil) { (self.pages, self.total) = (pages, total) }
}

/// The local time and upstream's time, read at about the same moment.
package struct ClockComparison: Hashable, Sendable, Codable {
    package var here: Timestamp
    package var upstream: Timestamp

    package init(here: Timestamp, upstream: Timestamp) {
        (self.here, self.upstream) = (here, upstream)
    }

    /// Negative if the local clock is slow.
    package var ahead: Duration { here - upstream }
}
