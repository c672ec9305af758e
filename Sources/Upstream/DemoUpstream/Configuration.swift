extension DemoUpstream {
    /// The configuration of a demo upstream. Every member has a working default.
    package struct Configuration: Sendable {
        package var host = "127.0.0.1"
        /// 0 for a free port; see ``DemoUpstream/port``.
        package var port = 0
        /// Port to control faults over HTTP; 0 for a free one.
        package var controlPort = 0
        /// Number of people; nil for an endless supply, like randomuser.me.
        package var users: Int?
        package var facts = 120
        /// Maximum of `results`; a larger value counts as 1.
        package var maxResults = 5000
        /// Whether a few people in a thousand have odd or missing fields; see ``Hardship``.
        package var hard = true
        package var faults: [Fault] = []
        package var directory = DirectorySettings()
        /// Draws a seed if the request has none, random facts and tokens.
        package var random: @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
        /// For the end of tokens.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }

        package init() {}

        func validate() throws(ControlError) {
            try check("port", port, 0...65_535)
            try check("control port", controlPort, 0...65_535)
            try check("users", users ?? 0, 0...1_000_000_000)
            try check("facts", facts, 0...100_000)
            try check("max results", maxResults, 1...1_000_000_000)
            try directory.validate()
        }
    }
}

func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(ControlError) {
    guard range.contains(value) else {
        throw ControlError("\(name) must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
    }
}
