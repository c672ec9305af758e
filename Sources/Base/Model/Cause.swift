/// The cause of a transition: `cause` of io.userd's `State`.
package enum Cause: Hashable, Sendable {
    case created
    /// Start of a sync: it was due, or a client called Sync or Retry.
    case due, requested, retried
    case committed(Changes = Changes())
    case failed, cancelled, interrupted
    /// The settings turned the resource off: it no longer has a state.
    case turnedOff
    /// Found in a cache that another version of userd has written.
    case other(String)
}

/// Number of rows that a sync added, changed and removed.
package struct Changes: Hashable, Sendable {
    package var added: Int
    package var changed: Int
    package var removed: Int

    package init(added: Int = 0, changed: Int = 0, removed: Int = 0) {
        (self.added, self.changed, self.removed) = (added, changed, removed)
    }
}

/// A commit's raw value is `committed`, followed by its changes if there are any:
/// `committed: 20 added, 1 changed, 3 removed`.
extension Cause: RawRepresentable, Codable {
    package var isCommitted: Bool { if case .committed = self { true } else { false } }

    package var rawValue: String {
        switch self {
        case .created: "created"
        case .due: "due"
        case .requested: "requested"
        case .retried: "retried"
        case .committed(let changes) where changes == Changes(): "committed"
        case .committed(let changes): "committed: \(changes)"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .interrupted: "interrupted"
        case .turnedOff: "turned_off"
        case .other(let text): text
        }
    }

    package init?(rawValue: String) {
        let plain: [Cause] = [
            .created, .due, .requested, .retried, .committed(), .failed, .cancelled, .interrupted, .turnedOff,
        ]
        if let cause = plain.first(where: { $0.rawValue == rawValue }) {
            self = cause
        } else if rawValue.hasPrefix("committed: "),
            let changes = Changes(String(rawValue.dropFirst("committed: ".count))), changes != Changes()
        {
            self = .committed(changes)
        } else {
            return nil
        }
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self = Cause(rawValue: text) ?? .other(text)
    }
}

extension Changes: LosslessStringConvertible {
    private static let parts: [(word: String, count: any WritableKeyPath<Changes, Int> & Sendable)] = [
        ("added", \.added), ("changed", \.changed), ("removed", \.removed),
    ]

    /// The changes in words, such as `20 added, 3 removed`; empty if nothing changed.
    package var description: String {
        Self.parts.filter { self[keyPath: $0.count] != 0 }.map { "\(self[keyPath: $0.count]) \($0.word)" }
            .joined(separator: ", ")
    }

    package init?(_ description: String) {
        self.init()
        for text in description.split(separator: ", ") {
            let words = text.split(separator: " ")
            guard words.count == 2, let count = Int(words[0]),
                let part = Self.parts.first(where: { $0.word == words[1] })
            else { return nil }
            self[keyPath: part.count] = count
        }
    }
}
