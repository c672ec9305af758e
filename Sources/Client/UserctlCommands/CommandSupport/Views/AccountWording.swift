import Model
import TerminalViews

extension Account {
    /// `as ann@example.org at https://idp.example, until 2026-01-02 03:04:05`
    package func text(_ clock: WallClock) -> Text {
        guard signedIn else { return Text("no: `userctl sign-in`").style(.warning) }
        let end = until.map { ", until \(clock.text($0))" } ?? ""
        return Text("\(name.map { "as \($0) " } ?? "")at \(provider)\(end)")
    }
}
