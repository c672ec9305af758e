import Model
import TerminalViews

package struct CardDetails: Sendable {
    package var portrait: Picture?
    /// The cached user who is this one's manager.
    package var manager: User?

    package init(portrait: Picture? = nil, manager: User? = nil) {
        self.portrait = portrait
        self.manager = manager
    }
}
