import Model
import TerminalViews
import UserdAPI

extension Browser {
    enum Event: Sendable {
        case key(Key)
        case resized(BrowserLayout.Size)
        /// The `wait` with this number has passed.
        case elapsed(Int)
        /// - Parameters:
        ///   - isNear: the search finds nobody, and these users are the nearest to it.
        ///   - whyEmpty: says why there are no managers; nil for other lists.
        case page(UserList, of: Fetch, from: Source, isNear: Bool = false, whyEmpty: String? = nil)
        /// Users of other kinds whom this search leaves out: `3 groups, 1 room`.
        case others(String, of: Fetch)
        case failed(Fetch, CommandError, isOutdated: Bool)
        case connected
        case lost
        case state(State)
        /// The request to sync, or an action, failed.
        case refused(CommandError)
        /// An action succeeded; the text says what it did.
        case done(String)
        /// What the card of the user with this id shows beside the user's record.
        case details(of: String, CardDetails)
    }

    /// Decides what Enter does, and whether users can be marked.
    enum Purpose: Sendable { case browsing, choosing, choosingSeveral }

    /// A key's action on the user on the card.
    enum Action: Hashable, Sendable {
        /// - Parameter named: what the message calls the text.
        case copy(String, named: String)
        case open(ActionAddress)
        case save(User)
    }

    enum Effect: Hashable, Sendable {
        case fetch(Fetch)
        /// Ends with `elapsed`; a new wait replaces the last one.
        case wait(Duration, Int)
        case sync
        case suspend
        case redraw
        case act(Action)
        /// Ends with `details`.
        case details(of: User)
        case leave(Leave)
    }

    enum Leave: Hashable, Sendable {
        case done
        /// Never empty.
        case chosen([User])
        case interrupted
        case failed(CommandError)
    }
}
