import CommandSupport
import Diagnostics

/// The browser of this desktop.
enum DesktopBrowser {
    /// The shell ends at once; the browser may stay for hours. The address has no secret: whoever sees it in the list of
    /// processes can't use it.
    private static let script = #"xdg-open "$0" </dev/null >/dev/null 2>&1 &"#

    /// Without xdg-open, the person opens the address.
    static func open(_ address: String, _ environment: Environment) {
        // It is from the provider, and could be an option or a path.
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else { return }
        _ = try? ProgramRun.of(
            "/bin/sh", ["-c", script, address], environment: environment, within: .seconds(5))
    }
}
