import Model

/// The reply to `GetState`.
package struct DaemonState: Hashable, Sendable, Codable {
    package var states: [State]
    package var paused: Bool
    package var version: String
    package var startedAt: Timestamp
    /// Nil unless the settings let people sign in.
    package var account: Account?

    package init(
        states: [State], paused: Bool, version: String, startedAt: Timestamp, account: Account? = nil
    ) {
        self.states = states
        self.paused = paused
        self.version = version
        self.startedAt = startedAt
        self.account = account
    }

    enum CodingKeys: String, CodingKey {
        case states, paused, version
        case startedAt = "started_at"
        case account
    }
}
