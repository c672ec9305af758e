/// What a try of each upstream has found: what `userd --check-upstream` prints, as JSON.
package struct UpstreamChecks: Hashable, Sendable, Codable {
    package var upstreams: [UpstreamCheck]

    package init(upstreams: [UpstreamCheck]) { self.upstreams = upstreams }
}

/// The way to one upstream, step by step.
package struct UpstreamCheck: Hashable, Sendable, Codable {
    /// The setting that names it, such as `users.url`.
    package var setting: String
    /// Without any part that may be secret.
    package var address: String
    /// In their order; none comes after one that failed.
    package var steps: [UpstreamStep]
    /// Where upstream has told the time.
    package var clock: ClockComparison?

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
        /// The host's addresses.
        case lookup
        case connection
        /// Only where the address is one of https://.
        case tls
        /// One request, as a sync makes it.
        case answer
    }

    package var name: Name
    /// For people; nil where it failed.
    package var found: String?
    package var failure: Failure?
    package var milliseconds: Int64

    package init(_ name: Name, found: String, milliseconds: Int64) {
        self.name = name
        self.found = found
        self.milliseconds = milliseconds
    }

    package init(_ name: Name, failure: Failure, milliseconds: Int64) {
        self.name = name
        self.failure = failure
        self.milliseconds = milliseconds
    }
}

/// The time here and there at one moment, or nearly.
package struct ClockComparison: Hashable, Sendable, Codable {
    package var here: Timestamp
    package var upstream: Timestamp

    package init(here: Timestamp, upstream: Timestamp) {
        self.here = here
        self.upstream = upstream
    }

    /// Negative where the clock here is slow.
    package var ahead: Duration { here - upstream }
}
