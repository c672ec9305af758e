import UserdAPI

/// Shows a notice by `org.freedesktop.Notifications` until it is closed, its action is chosen, the program that
/// shows it ends, the reason has passed, or an hour is over.
final class NotificationDisplay {
    static let signIn = "sign-in"
    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let daemon = "org.freedesktop.DBus"

    enum End: Hashable, Sendable { case closed, chosen, over }

    private let bus: SessionBus
    /// The number of what is shown, and the unique name of the program that shows it: numbers begin again with each.
    private var shown: (number: UInt32, owner: String)?
    private var end: End?

    init(_ bus: SessionBus) throws {
        self.bus = bus
        // Before it is shown, so that no signal is missed.
        for member in ["NotificationClosed", "ActionInvoked"] {
            try bus.match(Self.service, Self.path, Self.service, member) { [unowned self] in try note($0) }
        }
        try bus.match(Self.daemon, "/org/freedesktop/DBus", Self.daemon, "NameOwnerChanged") {
            [unowned self] in try noteOwner($0)
        }
    }

    /// Any program may send such a signal: sd-bus doesn't check a sender that was asked for by a well-known name.
    private func note(_ signal: BusMessage) throws {
        guard let shown, signal.sender == shown.owner, try signal.number() == shown.number else { return }
        end = signal.member == "ActionInvoked" ? .chosen : end ?? .closed
    }

    /// The notification is gone with the program that showed it, and will not be closed by a signal.
    private func noteOwner(_ signal: BusMessage) throws {
        guard let shown, signal.sender == Self.daemon else { return }
        let (name, former) = try (signal.string(), signal.string())
        if former == shown.owner, [Self.service, former].contains(name) { end = end ?? .over }
    }

    func show(_ kind: Attention.Kind, _ words: DesktopWords) throws {
        let isSignIn = kind == .signIn
        let reply = try bus.call(
            Self.service, Self.path, Self.service, "Notify", within: .seconds(10)
        ) {
            try $0.append("userd")
            try $0.append("u", UInt32(0))
            try $0.append(DesktopSearch.icon)
            try $0.append(isSignIn ? words.signInTitle : words.secretTitle)
            try $0.append(isSignIn ? words.signInBody : words.secretBody)
            // A click on the text is the action `default`.
            try $0.append(isSignIn ? ["default", words.signIn, Self.signIn, words.signIn] : [])
            try $0.append([
                ("urgency", .byte(1)), ("resident", .flag(true)),
                ("desktop-entry", .text(DesktopEntry.id)),
            ])
            // No end of its own.
            try $0.append("i", Int32(0))
        }
        shown = (number: try reply.number(), owner: reply.sender)
        end = nil
    }

    /// Waits for the end, and closes what is still shown.
    /// - Parameters:
    ///   - step: the time between two looks at the reason.
    ///   - isWanted: whether the reason is still there.
    func untilEnd(
        within limit: Duration, step: Duration = .seconds(5), isWanted: () -> Bool
    ) throws -> End {
        let deadline = ContinuousClock.now + limit
        while end == nil, isWanted() {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { break }
            try bus.handleAll()
            if end == nil { try bus.wait(min(step, left)) }
            try bus.handleAll()
        }
        if end != .closed, let shown {
            _ = try? bus.call(
                shown.owner, Self.path, Self.service, "CloseNotification", within: .seconds(1)
            ) { try $0.append("u", shown.number) }
        }
        return end ?? .over
    }
}
