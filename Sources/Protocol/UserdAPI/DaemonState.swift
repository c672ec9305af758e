import Model

/// The reply to `GetState`.
package struct DaemonState: Hashable, Sendable, Codable {
    package var states: [State]
    package var paused: Bool
    package var version: String
    package var startedAt: Timestamp
    /// Nil unless the settings let people sign in.
    package var account: Account?
    /// Nil unless paused for another reason than a person's wish.
    package var pauseCause: String?

    package static let noDirectory = "no_directory"

    /// Advice if no directory is named; nil if one is.
    package var notConnected: String? {
        pauseCause == Self.noDirectory ? Failure.notConnected.message : nil
    }

    package init(
        states: [State], paused: Bool, version: String, startedAt: Timestamp, account: Account? = nil,
        pauseCause: String? = nil
    ) {
        self.states = states
        self.paused = paused
        self.version = version
        self.startedAt = startedAt
        self.account = account
        self.pauseCause = pauseCause
    }

    enum CodingKeys: String, CodingKey {
        case states, paused, version
        case startedAt = "started_at"
        case account
        case pauseCause = "pause_cause"
    }
}
